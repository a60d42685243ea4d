package partita.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static partita.conformance.Account.item;

import com.azure.cosmos.CosmosContainer;
import com.azure.cosmos.CosmosException;
import com.azure.cosmos.models.CosmosBatch;
import com.azure.cosmos.models.CosmosBatchResponse;
import com.azure.cosmos.models.CosmosBulkItemResponse;
import com.azure.cosmos.models.CosmosBulkOperations;
import com.azure.cosmos.models.CosmosItemOperation;
import com.azure.cosmos.models.CosmosPatchOperations;
import com.azure.cosmos.models.CosmosStoredProcedureProperties;
import com.azure.cosmos.models.CosmosStoredProcedureRequestOptions;
import com.azure.cosmos.models.PartitionKey;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * Each works with documents of its own until it is over, with one kind of request, and has what must be there in its model. What
 * increments tells also whether anything happened twice.
 */
final class SplitWorkers {
    static final int KINDS = 4;
    private static final int KEYS = 20;
    private static final int FIRST_CALLS_MAX = 30;
    private static final int BULK_SIZE = 60;
    /** A round of a bulk worker has its own numbers, so that the documents' numbers only rise. */
    private static final int BULK_STEP = 10;
    private static final int BULK_ATTEMPTS = 20;
    private static final String COUNT_IN_SCRIPT = """
        function (id, pk, kind) {
            const collection = getContext().getCollection();
            const query = { query: 'SELECT * FROM c WHERE c.id = @id', parameters: [{ name: '@id', value: id }] };
            if (!collection.queryDocuments(collection.getSelfLink(), query, {}, (error, found) => {
                if (error) throw error;
                const document = found[0] || { id, pk, kind, n: 0 };
                ++document.n;
                if (!collection.upsertDocument(collection.getSelfLink(), document, error => { if (error) throw error; })) throw new Error('no time');
                getContext().getResponse().setBody(document.n);
            })) throw new Error('no time');
        }""";

    private final CosmosContainer container;
    private final BooleanSupplier isOver;
    private final Map<String, Integer> model = new HashMap<>();
    private final AtomicInteger rounds = new AtomicInteger();
    private Future<Map<String, Integer>> work;

    private SplitWorkers(CosmosContainer container, BooleanSupplier isOver) {
        this.container = container;
        this.isOver = isOver;
    }

    /** The first call starts a process, which can take longer than the client waits while the machine is busy. */
    private static void waitForScripts(CosmosContainer container) {
        for (int call = 1; ; ++call) {
            try {
                count(container, "first", "first", "first");
                return;
            } catch (CosmosException failure) {
                boolean isSlow = failure.getStatusCode() == 408 || failure.getStatusCode() == 503;
                if (!isSlow || call == FIRST_CALLS_MAX) {
                    throw failure;
                }
            }
        }
    }

    private static int count(CosmosContainer container, String id, String pk, String kind) {
        CosmosStoredProcedureRequestOptions options = new CosmosStoredProcedureRequestOptions().setPartitionKey(new PartitionKey(pk));
        List<Object> arguments = List.of(id, pk, kind);
        return Integer.parseInt(container.getScripts().getStoredProcedure("count").execute(arguments, options).getResponseAsString());
    }

    /** The threads must have room for one of each kind. */
    static List<SplitWorkers> start(CosmosContainer container, ExecutorService threads, BooleanSupplier isOver) {
        container.getScripts().createStoredProcedure(new CosmosStoredProcedureProperties("count", COUNT_IN_SCRIPT));
        waitForScripts(container);
        List<Function<SplitWorkers, Map<String, Integer>>> kinds =
            List.of(SplitWorkers::bulk, SplitWorkers::batch, SplitWorkers::procedure, SplitWorkers::patch);
        return kinds.stream().map(kind -> {
            SplitWorkers worker = new SplitWorkers(container, isOver);
            worker.work = threads.submit(() -> kind.apply(worker));
            return worker;
        }).toList();
    }

    /** Once it is over: what must be there. */
    Map<String, Integer> model() throws Exception {
        return work.get();
    }

    /** Until each that goes on at all has begun anew, so that none sleeps through what happens to the partitions. */
    static void letAllGoOn(List<SplitWorkers> workers) throws InterruptedException {
        List<Integer> before = workers.stream().map(worker -> worker.rounds.get()).toList();
        for (int i = 0; i < workers.size(); ++i) {
            while (!workers.get(i).work.isDone() && workers.get(i).rounds.get() == before.get(i)) {
                Thread.sleep(1);
            }
        }
    }

    private boolean goesOn() {
        rounds.incrementAndGet();
        return !isOver.getAsBoolean();
    }

    private static String key(int n) {
        return "key " + n % KEYS;
    }

    private static ObjectNode moving(String id, String pk, int n) {
        return item(id, pk).put("kind", "moving").put("n", n);
    }

    /** Its requests go to ranges, each with operations for many keys. */
    private Map<String, Integer> bulk() {
        CosmosPatchOperations increment = CosmosPatchOperations.create().increment("/n", 1L);
        for (int round = 1; goesOn(); ++round) {
            int n = round * BULK_STEP;
            send(i -> CosmosBulkOperations.getUpsertItemOperation(moving("bulk-" + i, key(i), n), new PartitionKey(key(i))));
            send(i -> CosmosBulkOperations.getPatchItemOperation("bulk-" + i, new PartitionKey(key(i)), increment)).forEach((id, found) -> {
                assertEquals(n + 1, found, id + ", incremented in bulk");
                model.put(id, found);
            });
        }
        return model;
    }

    /**
     * The numbers that the documents have then, by their ids. The client sends an operation of a bulk once more when its range is
     * gone, and only once: what becomes of the map a second time within one call is left to the program.
     */
    private Map<String, Integer> send(Function<Integer, CosmosItemOperation> operation) {
        Map<String, Integer> found = new HashMap<>();
        List<CosmosItemOperation> left = IntStream.range(0, BULK_SIZE).boxed().map(operation).toList();
        for (int times = 0; !left.isEmpty(); ++times) {
            assertTrue(times < BULK_ATTEMPTS, "operations of a bulk find no range");
            List<CosmosItemOperation> gone = new ArrayList<>();
            container.executeBulkOperations(left).forEach(one -> {
                CosmosBulkItemResponse response = one.getResponse();
                assertNotNull(response, () -> "in bulk: " + one.getException());
                if (response.getStatusCode() == 410 && response.getSubStatusCode() == 1002) {
                    gone.add(one.getOperation());
                    return;
                }
                assertTrue(response.isSuccessStatusCode(), () -> "in bulk: " + response.getStatusCode() + "/" + response.getSubStatusCode());
                ObjectNode document = response.getItem(ObjectNode.class);
                found.put(document.get("id").asText(), document.get("n").asInt());
            });
            left = gone;
        }
        assertEquals(BULK_SIZE, found.size());
        return found;
    }

    private Map<String, Integer> batch() {
        for (int n = 1; goesOn(); ++n) {
            String pk = key(n);
            String left = "batch-left " + pk;
            String right = "batch-right " + pk;
            CosmosBatch batch = CosmosBatch.createCosmosBatch(new PartitionKey(pk));
            batch.upsertItemOperation(moving(left, pk, n));
            batch.upsertItemOperation(moving(right, pk, n - 1));
            batch.patchItemOperation(right, CosmosPatchOperations.create().increment("/n", 1L));
            batch.readItemOperation(left);
            CosmosBatchResponse response = container.executeCosmosBatch(batch);
            assertTrue(response.isSuccessStatusCode(), () -> response.getStatusCode() + ": " + response.getErrorMessage());
            assertEquals(n, response.getResults().get(2).getItem(ObjectNode.class).get("n").asInt(), "incremented in a batch");
            assertEquals(n, response.getResults().get(3).getItem(ObjectNode.class).get("n").asInt(), "read in a batch");
            model.put(left, n);
            model.put(right, n);
        }
        return model;
    }

    private Map<String, Integer> procedure() {
        for (int n = 0; goesOn(); ++n) {
            String pk = key(n);
            String id = "script " + pk;
            int counted = count(container, id, pk, "moving");
            assertEquals(n / KEYS + 1, counted, id + ", counted by a procedure");
            model.put(id, counted);
        }
        return model;
    }

    private Map<String, Integer> patch() {
        for (int n = 0; n < KEYS; ++n) {
            container.createItem(moving("patched " + key(n), key(n), 0));
        }
        CosmosPatchOperations increment = CosmosPatchOperations.create().increment("/n", 1L);
        for (int n = 0; goesOn() || n < KEYS; ++n) {
            String id = "patched " + key(n);
            int patched = container.patchItem(id, new PartitionKey(key(n)), increment, ObjectNode.class).getItem().get("n").asInt();
            assertEquals(n / KEYS + 1, patched, id + ", incremented");
            model.put(id, patched);
        }
        return model;
    }
}
