package partita.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;
import static partita.conformance.Account.item;
import static partita.conformance.Account.newContainer;
import static partita.conformance.Account.newDatabase;
import static partita.conformance.Reshapes.reshape;

import com.azure.cosmos.CosmosContainer;
import com.azure.cosmos.CosmosDatabase;
import com.azure.cosmos.models.CosmosChangeFeedRequestOptions;
import com.azure.cosmos.models.CosmosItemRequestOptions;
import com.azure.cosmos.models.CosmosItemResponse;
import com.azure.cosmos.models.CosmosQueryRequestOptions;
import com.azure.cosmos.models.FeedRange;
import com.azure.cosmos.models.FeedResponse;
import com.azure.cosmos.models.PartitionKey;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A program goes on while the partitions under it are split and merged: no error reaches it, no answer is wrong. */
class SplitsTest {
    private static final int STILL = 60;
    private static final int WRITERS = 3;
    private static final int FILLER_BYTES = 400_000;
    /** More than a partition may hold, and less than its two halves may: it is split once. */
    private static final int FILLERS = 13;
    private static final int PROBES_MAX = 20_000;
    private static CosmosDatabase database;

    /** What happens to the partitions while the workers work. */
    private interface Change {
        void make(List<SplitWorkers> workers) throws Exception;
    }

    private final AtomicBoolean isOver = new AtomicBoolean();
    private final AtomicBoolean isWritten = new AtomicBoolean();

    @BeforeAll
    static void createDatabase() {
        database = newDatabase();
    }

    @AfterAll
    static void deleteDatabase() {
        database.delete();
    }

    /** Counts up documents of its own and reads every one back; the result is what must be there. */
    private Map<String, Integer> write(int writer, CosmosContainer container) {
        Map<String, Integer> model = new HashMap<>();
        for (int n = 0; !isOver.get(); ++n) {
            String pk = "key " + n % 20;
            String id = "w" + writer + "-" + n % 25 + " " + pk;
            if (n % 9 == 8 && model.containsKey(id)) {
                container.deleteItem(id, new PartitionKey(pk), new CosmosItemRequestOptions());
                model.remove(id);
                continue;
            }
            container.upsertItem(item(id, pk).put("kind", "moving").put("n", n));
            model.put(id, n);
            assertEquals(n, container.readItem(id, new PartitionKey(pk), ObjectNode.class).getItem().get("n").asInt());
        }
        return model;
    }

    /** Documents that nobody changes must always come complete and in order, page by page. */
    private Void queryInOrder(CosmosContainer container) {
        List<Integer> expected = IntStream.range(0, STILL).boxed().toList();
        String query = "SELECT c.n FROM c WHERE c.kind = 'still' ORDER BY c.n";
        do {
            List<Integer> found = new ArrayList<>();
            container.queryItems(query, new CosmosQueryRequestOptions(), ObjectNode.class)
                .iterableByPage(7)
                .forEach(page -> page.getResults().forEach(row -> found.add(row.get("n").asInt())));
            assertEquals(expected, found);
        } while (!isOver.get());
        return null;
    }

    /** Reads the change feed until all changes have come; the result is the newest of each document. */
    private Map<String, Integer> readChanges(CosmosContainer container) {
        Map<String, Integer> seen = new HashMap<>();
        CosmosChangeFeedRequestOptions options =
            CosmosChangeFeedRequestOptions.createForProcessingFromBeginning(FeedRange.forFullRange());
        boolean wasWritten = false;
        while (true) {
            int count = 0;
            String position = null;
            for (FeedResponse<ObjectNode> page
                    : container.queryChangeFeed(options.setMaxItemCount(20), ObjectNode.class).iterableByPage()) {
                for (ObjectNode item : page.getResults()) {
                    ++count;
                    Integer earlier = seen.put(item.get("id").asText(), item.get("n").asInt());
                    assertTrue(earlier == null || earlier <= item.get("n").asInt(), item + " goes back from " + earlier);
                }
                position = page.getContinuationToken();
            }
            if (count == 0 && wasWritten) {
                return seen;
            }
            wasWritten = count == 0 && isWritten.get();
            options = CosmosChangeFeedRequestOptions.createForProcessingFromContinuation(position);
        }
    }

    /** Large documents with key values of the first partition; then waits until the account has split it. */
    private static void fillFirstPartition(CosmosContainer container) {
        String filler = "x".repeat(FILLER_BYTES);
        int fillers = 0;
        for (int n = 0; n < PROBES_MAX; ++n) {
            String pk = "key " + n % 20;
            CosmosItemResponse<ObjectNode> probe =
                container.upsertItem(item("probe " + pk, pk).put("kind", "filler").put("n", n));
            if (probe.getSessionToken().startsWith("0:") && fillers < FILLERS) {
                ++fillers;
                container.createItem(item("filler " + n, pk).put("kind", "filler").put("n", n).put("filler", filler));
            } else if (Integer.parseInt(probe.getSessionToken().split(":")[0]) > 2) {
                return;
            }
        }
        fail("the partition was not split, though it has " + fillers + " large documents");
    }

    private static Map<String, Integer> moving(CosmosContainer container) {
        Map<String, Integer> found = new HashMap<>();
        container.queryItems("SELECT c.id, c.n FROM c WHERE c.kind = 'moving'", new CosmosQueryRequestOptions(), ObjectNode.class)
            .forEach(row -> found.put(row.get("id").asText(), row.get("n").asInt()));
        return found;
    }

    /** Lets writers and readers work while `change` changes the partitions; no error may reach them, and no answer be wrong. */
    private void workThrough(Change change, CosmosContainer container) throws Exception {
        Map<String, Integer> still = new HashMap<>();
        for (int n = 0; n < STILL; ++n) {
            still.put("still-" + n, n * 37 % STILL);
            container.createItem(item("still-" + n, "key " + n % 20).put("kind", "still").put("n", n * 37 % STILL));
        }
        ExecutorService threads = Executors.newFixedThreadPool(WRITERS + SplitWorkers.KINDS + 2);
        List<SplitWorkers> workers = SplitWorkers.start(container, threads, isOver::get);
        List<Future<Map<String, Integer>>> writers = new ArrayList<>();
        for (int i = 0; i < WRITERS; ++i) {
            int writer = i;
            writers.add(threads.submit(() -> write(writer, container)));
        }
        Future<Void> queries = threads.submit(() -> queryInOrder(container));
        Future<Map<String, Integer>> changes = threads.submit(() -> readChanges(container));
        Map<String, Integer> expected = new HashMap<>();
        try {
            SplitWorkers.letAllGoOn(workers);
            change.make(workers);
            SplitWorkers.letAllGoOn(workers);
            isOver.set(true);
            for (Future<Map<String, Integer>> writer : writers) {
                expected.putAll(writer.get());
            }
            for (SplitWorkers worker : workers) {
                expected.putAll(worker.model());
            }
        } finally {
            isOver.set(true);
            isWritten.set(true);
            threads.shutdown();
        }
        queries.get();
        assertEquals(expected, moving(container));
        expected.putAll(still);
        Map<String, Integer> seen = changes.get();
        seen.keySet().retainAll(expected.keySet());
        assertEquals(expected, seen);
    }

    @Test
    void aProgramGoesOnWhenAFullPartitionIsSplit() throws Exception {
        CosmosContainer container = newContainer(database, "/pk", 25000);
        assertEquals(3, container.getFeedRanges().size());
        workThrough(workers -> fillFirstPartition(container), container);
        assertEquals(4, container.getFeedRanges().size());
    }

    @Test
    void aProgramGoesOnThroughSplitsAndMerges() throws Exception {
        CosmosContainer container = newContainer(database, "/pk", 25000);
        workThrough(workers -> {
            String first = "0";
            for (String kind : List.of("split", "merge", "split", "split", "merge", "split")) {
                first = reshape(kind, database, container, first);
                SplitWorkers.letAllGoOn(workers);
            }
        }, container);
    }
}
