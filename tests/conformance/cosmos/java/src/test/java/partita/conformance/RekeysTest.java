package partita.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static partita.conformance.Account.item;
import static partita.conformance.Account.newContainer;
import static partita.conformance.Account.newDatabase;

import com.azure.cosmos.CosmosContainer;
import com.azure.cosmos.CosmosDatabase;
import com.azure.cosmos.CosmosException;
import com.azure.cosmos.models.CosmosQueryRequestOptions;
import com.azure.cosmos.models.PartitionKey;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.net.http.HttpResponse;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A container gets another partition key while a program works with it: the SDK finds the new key of what is written by itself. */
class RekeysTest {
    private static final int OPERATIONS_BETWEEN_CHANGES = 20;
    private static final String PARTITA_VERSION = "2020-07-15";
    private static CosmosDatabase database;

    @BeforeAll
    static void createDatabase() {
        database = newDatabase();
    }

    @AfterAll
    static void deleteDatabase() {
        database.delete();
    }

    private static void changeKey(CosmosContainer container, String path) throws Exception {
        String order = String.format(
            "{\"database\":\"%s\",\"container\":\"%s\",\"partitionKey\":{\"paths\":[\"%s\"],\"kind\":\"Hash\",\"version\":2}}",
            database.getId(), container.getId(), path);
        HttpResponse<String> answer = SignedRequest.post("partita", "rekey", "/_partita/rekey", PARTITA_VERSION, order);
        assumeTrue(answer.statusCode() != 405, "the account does not change partition keys");
        assertEquals(200, answer.statusCode(), answer.body());
    }

    private static String keyProperty(CosmosContainer container) {
        return container.read().getProperties().getPartitionKeyDefinition().getPaths().get(0).substring(1);
    }

    /** Under the key that the container has; what was written is always there. */
    private static ObjectNode read(CosmosContainer container, ObjectNode document) {
        for (int attempt = 0; ; ++attempt) {
            PartitionKey key = new PartitionKey(document.get(keyProperty(container)).asText());
            try {
                return container.readItem(document.get("id").asText(), key, ObjectNode.class).getItem();
            } catch (CosmosException failure) {
                if (failure.getStatusCode() != 404 || attempt == 2) {
                    throw failure;
                }
            }
        }
    }

    /**
     * In direct mode nothing has told the client yet that its map of partitions is old: its first query of all of them would, by
     * a defect of the SDK, read some rows twice (docs/compatibility/cosmos.md). A new client has the new map.
     */
    private static CosmosContainer knowingItsPartitions(CosmosContainer container) {
        if (!Account.IS_DIRECT) {
            return container;
        }
        return Account.open(Account.KEY).getDatabase(database.getId()).getContainer(container.getId());
    }

    @Test
    void writersGoOnWithoutNoticing() throws Exception {
        CosmosContainer container = newContainer(database, "/pk", 25000);
        AtomicBoolean isOver = new AtomicBoolean();
        AtomicInteger done = new AtomicInteger();
        CompletableFuture<Map<String, Integer>> writing = CompletableFuture.supplyAsync(() -> {
            Map<String, Integer> model = new HashMap<>();
            for (int n = 0; !isOver.get(); ++n) {
                ObjectNode document = item("w-" + n % 25, "key " + n % 25).put("tenant", "tenant " + n % 5).put("n", n);
                container.upsertItem(document);
                model.put(document.get("id").asText(), n);
                assertEquals(n, read(container, document).get("n").asInt());
                done.incrementAndGet();
            }
            return model;
        });
        try {
            for (int change = 1; change <= 4; ++change) {
                while (!writing.isDone() && done.get() < change * OPERATIONS_BETWEEN_CHANGES) {
                    Thread.yield();
                }
                changeKey(container, change % 2 == 1 ? "/tenant" : "/pk");
            }
        } finally {
            isOver.set(true);
        }
        Map<String, Integer> expected = writing.get();
        Map<String, Integer> found = new HashMap<>();
        AtomicInteger rows = new AtomicInteger();
        knowingItsPartitions(container).queryItems("SELECT c.id, c.n FROM c", new CosmosQueryRequestOptions(), ObjectNode.class).forEach(row -> {
            rows.incrementAndGet();
            found.put(row.get("id").asText(), row.get("n").asInt());
        });
        assertEquals(expected, found);
        assertEquals(found.size(), rows.get());
    }
}
