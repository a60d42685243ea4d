package partita.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static partita.conformance.Account.KEY;
import static partita.conformance.Account.item;
import static partita.conformance.Account.newContainer;
import static partita.conformance.Account.newDatabase;

import com.azure.cosmos.CosmosClient;
import com.azure.cosmos.CosmosContainer;
import com.azure.cosmos.CosmosDatabase;
import com.azure.cosmos.CosmosException;
import com.azure.cosmos.ThrottlingRetryOptions;
import com.azure.cosmos.models.CosmosQueryRequestOptions;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ThrottlingTest {
    private static final int ITEMS = 2;

    private CosmosDatabase database;

    @BeforeEach
    void createDatabase() {
        database = newDatabase();
    }

    @AfterEach
    void deleteDatabase() {
        database.delete();
    }

    /** Large, so that one is more than a second's 400 RU. */
    private static ObjectNode bulky(String id) {
        return item(id, "p").put("text", "x".repeat(1536 * 1024));
    }

    private static CosmosClient impatientClient() {
        return Account.builder(KEY)
            .throttlingRetryOptions(new ThrottlingRetryOptions().setMaxRetryAttemptsOnThrottledRequests(0))
            .buildClient();
    }

    @Test
    void whoeverExceedsTheThroughputIsToldWhenToComeBack() {
        CosmosContainer container = newContainer(database, "/pk", 400);
        try (CosmosClient client = impatientClient()) {
            CosmosContainer impatient = client.getDatabase(database.getId()).getContainer(container.getId());
            CosmosException refused = null;
            for (int i = 0; i < 100 && refused == null; ++i) {
                try {
                    impatient.upsertItem(bulky("overdraws"));
                } catch (CosmosException failure) {
                    refused = failure;
                }
            }
            assertEquals(429, refused.getStatusCode());
            assertEquals(3200, refused.getSubStatusCode());
            long milliseconds = refused.getRetryAfterDuration().toMillis();
            assertTrue(milliseconds > 0 && milliseconds <= 5000, () -> milliseconds + " ms");
        }
    }

    @Test
    void theClientsOwnRetriesSucceedInTheEnd() {
        CosmosContainer container = newContainer(database, "/pk", 400);
        IntStream.range(0, ITEMS).forEach(i -> container.createItem(bulky("item-" + i)));
        List<Integer> count = container
            .queryItems("SELECT VALUE COUNT(1) FROM c", new CosmosQueryRequestOptions(), Integer.class)
            .stream()
            .toList();
        assertEquals(List.of(ITEMS), count);
    }
}
