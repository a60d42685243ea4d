package partita.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static partita.conformance.Account.assertFails;
import static partita.conformance.Account.client;
import static partita.conformance.Account.uniqueId;

import com.azure.cosmos.CosmosDatabase;
import com.azure.cosmos.CosmosException;
import com.azure.cosmos.models.CosmosDatabaseProperties;
import com.azure.cosmos.models.CosmosDatabaseResponse;
import com.azure.cosmos.models.ThroughputProperties;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class DatabasesTest {
    private final String id = uniqueId("conformance-java");
    private CosmosDatabase database;
    private CosmosDatabaseResponse created;

    @BeforeEach
    void createDatabase() {
        created = client().createDatabase(id);
        database = client().getDatabase(id);
    }

    @AfterEach
    void deleteDatabase() {
        try {
            database.delete();
        } catch (CosmosException failure) {
            assertEquals(404, failure.getStatusCode());
        }
    }

    @Test
    void aDatabaseIsCreatedAndRead() {
        assertEquals(201, created.getStatusCode());
        assertTrue(created.getRequestCharge() > 0);
        CosmosDatabaseResponse read = database.read();
        assertEquals(200, read.getStatusCode());
        assertEquals(id, read.getProperties().getId());
        assertEquals(created.getProperties().getResourceId(), read.getProperties().getResourceId());
        assertTrue(read.getProperties().getETag().startsWith("\""));
    }

    @Test
    void creatingADatabaseTwiceConflicts() {
        assertFails(409, () -> client().createDatabase(id));
    }

    @Test
    void createIfNotExistsFindsWhatIsThere() {
        assertEquals(200, client().createDatabaseIfNotExists(id).getStatusCode());
    }

    @Test
    void aDeletedDatabaseIsGone() {
        assertEquals(204, database.delete().getStatusCode());
        assertFails(404, () -> database.read());
        assertFails(404, () -> database.delete());
    }

    @Test
    void databasesAreListed() {
        List<String> ids = client().readAllDatabases().stream().map(CosmosDatabaseProperties::getId).toList();
        assertTrue(ids.contains(id));
    }

    @Test
    void aDatabaseSharesItsThroughput() {
        String shared = uniqueId("conformance-java");
        client().createDatabase(shared, ThroughputProperties.createManualThroughput(800));
        CosmosDatabase sharing = client().getDatabase(shared);
        try {
            assertEquals(800, sharing.readThroughput().getProperties().getManualThroughput());
            sharing.replaceThroughput(ThroughputProperties.createManualThroughput(1000));
            assertEquals(1000, sharing.readThroughput().getProperties().getManualThroughput());
        } finally {
            sharing.delete();
        }
    }

    @Test
    void aWrongKeyIs401() {
        byte[] wrong = "not the key of this account".getBytes(StandardCharsets.UTF_8);
        Throwable failure = assertThrows(
            RuntimeException.class, () -> Account.open(Base64.getEncoder().encodeToString(wrong)).close());
        while (failure != null && !(failure instanceof CosmosException)) {
            failure = failure.getCause();
        }
        assertEquals(401, ((CosmosException) failure).getStatusCode());
    }
}
