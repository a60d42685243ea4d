package partita.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static partita.conformance.Account.item;
import static partita.conformance.Account.newContainer;
import static partita.conformance.Account.newDatabase;
import static partita.conformance.Account.uniqueId;

import com.azure.cosmos.ChangeFeedProcessor;
import com.azure.cosmos.ChangeFeedProcessorBuilder;
import com.azure.cosmos.CosmosAsyncClient;
import com.azure.cosmos.CosmosAsyncDatabase;
import com.azure.cosmos.CosmosClientBuilder;
import com.azure.cosmos.CosmosContainer;
import com.azure.cosmos.CosmosDatabase;
import com.azure.cosmos.models.ChangeFeedProcessorOptions;
import com.azure.cosmos.models.CosmosChangeFeedRequestOptions;
import com.azure.cosmos.models.FeedRange;
import com.azure.cosmos.models.FeedResponse;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class ChangeFeedTest {
    private static CosmosDatabase database;

    @BeforeAll
    static void createDatabase() {
        database = newDatabase();
    }

    @AfterAll
    static void deleteDatabase() {
        database.delete();
    }

    private static String drain(CosmosContainer container, CosmosChangeFeedRequestOptions options, List<ObjectNode> into) {
        String position = null;
        for (FeedResponse<ObjectNode> page : container.queryChangeFeed(options, ObjectNode.class).iterableByPage()) {
            into.addAll(page.getResults());
            position = page.getContinuationToken();
        }
        return position;
    }

    private static Set<String> ids(List<ObjectNode> items) {
        Set<String> ids = new TreeSet<>();
        items.forEach(item -> ids.add(item.get("id").asText()));
        return ids;
    }

    @Test
    void theFeedGivesEachItemOnceAndGoesOnFromItsPosition() {
        CosmosContainer container = newContainer(database, "/pk", 25_000);
        for (int i = 0; i < 20; ++i) {
            container.createItem(item("i" + i, "k" + i % 6));
        }
        container.upsertItem(item("i3", "k3").put("again", true));
        List<ObjectNode> changes = new ArrayList<>();
        String position = drain(container, CosmosChangeFeedRequestOptions
            .createForProcessingFromBeginning(FeedRange.forFullRange()).setMaxItemCount(3), changes);
        assertEquals(20, changes.size());
        assertEquals(20, ids(changes).size());
        assertTrue(changes.stream().anyMatch(item -> item.has("again")));
        container.createItem(item("late", "k1"));
        List<ObjectNode> later = new ArrayList<>();
        drain(container, CosmosChangeFeedRequestOptions.createForProcessingFromContinuation(position), later);
        assertEquals(Set.of("late"), ids(later));
    }

    @Test
    void aProcessorIsGivenEveryItem() throws InterruptedException {
        CosmosContainer container = newContainer(database, "/pk", 25_000);
        CosmosContainer leases = newContainer(database, "/id");
        for (int i = 0; i < 10; ++i) {
            container.createItem(item("before" + i, "k" + i));
        }
        BlockingQueue<String> seen = new LinkedBlockingQueue<>();
        try (CosmosAsyncClient client = new CosmosClientBuilder()
                .endpoint(Account.ENDPOINT).key(Account.KEY).gatewayMode().contentResponseOnWriteEnabled(true).buildAsyncClient()) {
            CosmosAsyncDatabase feeds = client.getDatabase(database.getId());
            ChangeFeedProcessor processor = new ChangeFeedProcessorBuilder()
                .hostName(uniqueId("host"))
                .feedContainer(feeds.getContainer(container.getId()))
                .leaseContainer(feeds.getContainer(leases.getId()))
                .options(new ChangeFeedProcessorOptions().setStartFromBeginning(true).setFeedPollDelay(Duration.ofMillis(100)))
                .handleChanges((List<JsonNode> changes) -> changes.forEach(change -> seen.add(change.get("id").asText())))
                .buildChangeFeedProcessor();
            processor.start().block();
            Set<String> ids = new TreeSet<>();
            while (ids.size() < 10) {
                ids.add(next(seen));
            }
            container.createItem(item("after", "k0"));
            while (!ids.contains("after")) {
                ids.add(next(seen));
            }
            assertEquals(11, ids.size());
            processor.stop().block();
        }
    }

    private static String next(BlockingQueue<String> seen) throws InterruptedException {
        String id = seen.poll(60, TimeUnit.SECONDS);
        assertTrue(id != null, "the processor was given nothing for a minute");
        return id;
    }
}
