package partita.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static partita.conformance.Account.item;
import static partita.conformance.Account.newContainer;
import static partita.conformance.Account.newDatabase;
import static partita.conformance.Account.uniqueId;
import static partita.conformance.Reshapes.reshape;

import com.azure.cosmos.ChangeFeedProcessor;
import com.azure.cosmos.ChangeFeedProcessorBuilder;
import com.azure.cosmos.CosmosAsyncClient;
import com.azure.cosmos.CosmosAsyncDatabase;
import com.azure.cosmos.CosmosContainer;
import com.azure.cosmos.CosmosDatabase;
import com.azure.cosmos.models.ChangeFeedPolicy;
import com.azure.cosmos.models.ChangeFeedProcessorItem;
import com.azure.cosmos.models.ChangeFeedProcessorOptions;
import com.azure.cosmos.models.CosmosChangeFeedRequestOptions;
import com.azure.cosmos.models.CosmosContainerProperties;
import com.azure.cosmos.models.CosmosItemRequestOptions;
import com.azure.cosmos.models.FeedRange;
import com.azure.cosmos.models.FeedResponse;
import com.azure.cosmos.models.PartitionKey;
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

    /** With leases of the older kind, one for each partition. */
    @Test
    void aProcessorIsGivenEveryItemAlsoAfterASplit() throws Exception {
        CosmosContainer container = newContainer(database, "/pk", 25_000);
        CosmosContainer leases = newContainer(database, "/id", 4000);
        for (int i = 0; i < 10; ++i) {
            container.createItem(item("before" + i, "k" + i));
        }
        BlockingQueue<String> seen = new LinkedBlockingQueue<>();
        try (CosmosAsyncClient client = Account.builder(Account.KEY).buildAsyncClient()) {
            CosmosAsyncDatabase feeds = client.getDatabase(database.getId());
            ChangeFeedProcessor processor = new ChangeFeedProcessorBuilder()
                .hostName(uniqueId("host"))
                .feedContainer(feeds.getContainer(container.getId()))
                .leaseContainer(feeds.getContainer(leases.getId()))
                .options(new ChangeFeedProcessorOptions()
                    .setStartFromBeginning(true)
                    .setFeedPollDelay(Duration.ofMillis(100))
                    .setLeaseAcquireInterval(Duration.ofSeconds(1)))
                .handleChanges((List<JsonNode> changes) -> changes.forEach(change -> seen.add(change.get("id").asText())))
                .buildChangeFeedProcessor();
            processor.start().block();
            Set<String> ids = new TreeSet<>();
            while (ids.size() < 10) {
                ids.add(next(seen));
            }
            reshape("split", database, container, "0");
            for (int i = 0; i < 10; ++i) {
                container.createItem(item("after" + i, "k" + i));
            }
            while (ids.size() < 20) {
                ids.add(next(seen));
            }
            processor.stop().block();
        }
    }

    private static CosmosContainer newContainerWithVersions() {
        String id = uniqueId("c");
        database.createContainer(new CosmosContainerProperties(id, "/pk")
            .setChangeFeedPolicy(ChangeFeedPolicy.createAllVersionsAndDeletesPolicy(Duration.ofMinutes(10))));
        return database.getContainer(id);
    }

    @Test
    void allVersionsAndDeletesAreGivenInTheirOrder() {
        CosmosContainer container = newContainerWithVersions();
        String position = drain(container, CosmosChangeFeedRequestOptions
            .createForProcessingFromNow(FeedRange.forFullRange()).allVersionsAndDeletes(), new ArrayList<>());
        container.createItem(item("a", "x").put("n", 1));
        container.upsertItem(item("a", "x").put("n", 2));
        container.deleteItem("a", new PartitionKey("x"), new CosmosItemRequestOptions());
        List<ObjectNode> changes = new ArrayList<>();
        drain(container, CosmosChangeFeedRequestOptions
            .createForProcessingFromContinuation(position).allVersionsAndDeletes(), changes);
        assertEquals(List.of("create", "replace", "delete"),
            changes.stream().map(change -> change.get("metadata").get("operationType").asText()).toList());
        assertEquals(2, changes.get(1).get("current").get("n").asInt());
        assertTrue(changes.get(2).get("current").isEmpty());
        assertEquals(changes.get(1).get("metadata").get("lsn"), changes.get(2).get("metadata").get("previousImageLSN"));
    }

    @Test
    void aProcessorIsGivenAllVersionsAndDeletes() throws InterruptedException {
        CosmosContainer container = newContainerWithVersions();
        CosmosContainer leases = newContainer(database, "/id");
        BlockingQueue<String> seen = new LinkedBlockingQueue<>();
        try (CosmosAsyncClient client = Account.builder(Account.KEY).buildAsyncClient()) {
            CosmosAsyncDatabase feeds = client.getDatabase(database.getId());
            ChangeFeedProcessor processor = new ChangeFeedProcessorBuilder()
                .hostName(uniqueId("host"))
                .feedContainer(feeds.getContainer(container.getId()))
                .leaseContainer(feeds.getContainer(leases.getId()))
                .options(new ChangeFeedProcessorOptions().setFeedPollDelay(Duration.ofMillis(100)))
                .handleAllVersionsAndDeletesChanges((List<ChangeFeedProcessorItem> changes) ->
                    changes.forEach(change -> seen.add(change.getChangeFeedMetaData().getOperationType().toString())))
                .buildChangeFeedProcessor();
            processor.start().block();
            // Nobody says when it has begun to read: until it has, what is written is not for it.
            do {
                container.upsertItem(item("a", "x"));
            } while (seen.poll(100, TimeUnit.MILLISECONDS) == null);
            container.deleteItem("a", new PartitionKey("x"), new CosmosItemRequestOptions());
            String last = next(seen);
            while (!last.equals("DELETE")) {
                last = next(seen);
            }
            processor.stop().block();
        }
    }

    private static String next(BlockingQueue<String> seen) throws InterruptedException {
        String id = seen.poll(60, TimeUnit.SECONDS);
        assertTrue(id != null, "the processor was given nothing for a minute");
        return id;
    }
}
