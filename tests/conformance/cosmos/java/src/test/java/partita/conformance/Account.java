package partita.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.azure.cosmos.CosmosClient;
import com.azure.cosmos.CosmosClientBuilder;
import com.azure.cosmos.CosmosContainer;
import com.azure.cosmos.CosmosDatabase;
import com.azure.cosmos.CosmosException;
import com.azure.cosmos.models.CosmosContainerProperties;
import com.azure.cosmos.models.PartitionKeyDefinition;
import com.azure.cosmos.models.PartitionKeyDefinitionVersion;
import com.azure.cosmos.models.PartitionKind;
import com.azure.cosmos.models.ThroughputProperties;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.function.Executable;

/** The judged account: its address and key, clients on it, and short ways to make what a test needs. */
final class Account {
    static final String ENDPOINT = environment("PARTITA_ENDPOINT", "https://127.0.0.1:8081/");
    static final String KEY = environment(
        "PARTITA_KEY",
        "C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIw/Jw==");

    static final boolean IS_DIRECT = "direct".equals(environment("PARTITA_CONNECTION_MODE", "gateway"));

    private static CosmosClient shared;

    private Account() {}

    static String environment(String name, String otherwise) {
        String value = System.getenv(name);
        return value == null || value.isEmpty() ? otherwise : value;
    }

    /** A client to be, which reaches the account in the mode that the environment says. */
    static CosmosClientBuilder builder(String key) {
        return builder(ENDPOINT, key);
    }

    static CosmosClientBuilder builder(String endpoint, String key) {
        CosmosClientBuilder builder = new CosmosClientBuilder().endpoint(endpoint).key(key).contentResponseOnWriteEnabled(true);
        return IS_DIRECT ? builder.directMode() : builder.gatewayMode();
    }

    static CosmosClient open(String key) {
        return builder(key).buildClient();
    }

    /** One client for all tests of the process: making one is slow. */
    static synchronized CosmosClient client() {
        if (shared == null) {
            shared = open(KEY);
        }
        return shared;
    }

    static String uniqueId(String prefix) {
        return prefix + "-" + UUID.randomUUID();
    }

    static CosmosDatabase newDatabase() {
        String id = uniqueId("conformance-java");
        client().createDatabase(id);
        return client().getDatabase(id);
    }

    static CosmosContainer newContainer(CosmosDatabase database, String path) {
        String id = uniqueId("c");
        database.createContainer(new CosmosContainerProperties(id, path));
        return database.getContainer(id);
    }

    static CosmosContainer newContainer(CosmosDatabase database, String path, int throughput) {
        String id = uniqueId("c");
        ThroughputProperties manual = ThroughputProperties.createManualThroughput(throughput);
        database.createContainer(new CosmosContainerProperties(id, path), manual);
        return database.getContainer(id);
    }

    static CosmosContainer newHierarchicalContainer(CosmosDatabase database, String... paths) {
        PartitionKeyDefinition definition = new PartitionKeyDefinition()
            .setPaths(List.of(paths))
            .setKind(PartitionKind.MULTI_HASH)
            .setVersion(PartitionKeyDefinitionVersion.V2);
        String id = uniqueId("c");
        database.createContainer(new CosmosContainerProperties(id, definition));
        return database.getContainer(id);
    }

    static ObjectNode item(String id) {
        return JsonNodeFactory.instance.objectNode().put("id", id);
    }

    static ObjectNode item(String id, String pk) {
        return item(id).put("pk", pk);
    }

    static CosmosException assertFails(int status, Executable operation) {
        CosmosException failure = assertThrows(CosmosException.class, operation);
        assertEquals(status, failure.getStatusCode(), failure.getMessage());
        return failure;
    }
}
