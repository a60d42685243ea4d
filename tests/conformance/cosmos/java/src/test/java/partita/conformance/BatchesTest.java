package partita.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static partita.conformance.Account.assertFails;
import static partita.conformance.Account.item;
import static partita.conformance.Account.newContainer;
import static partita.conformance.Account.newDatabase;

import com.azure.cosmos.CosmosContainer;
import com.azure.cosmos.CosmosDatabase;
import com.azure.cosmos.models.CosmosBatch;
import com.azure.cosmos.models.CosmosBatchOperationResult;
import com.azure.cosmos.models.CosmosBatchResponse;
import com.azure.cosmos.models.CosmosBulkOperations;
import com.azure.cosmos.models.CosmosItemOperation;
import com.azure.cosmos.models.CosmosPatchItemRequestOptions;
import com.azure.cosmos.models.CosmosPatchOperations;
import com.azure.cosmos.models.PartitionKey;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class BatchesTest {
    private static final PartitionKey X = new PartitionKey("x");
    private static CosmosDatabase database;
    private static CosmosContainer container;

    @BeforeAll
    static void createContainer() {
        database = newDatabase();
        container = newContainer(database, "/pk", 25_000);
    }

    @AfterAll
    static void deleteDatabase() {
        database.delete();
    }

    private static List<Integer> statuses(CosmosBatchResponse response) {
        return response.getResults().stream().map(CosmosBatchOperationResult::getStatusCode).toList();
    }

    @Test
    void aPatchAppliesItsOperations() {
        container.createItem(item("patched", "x").put("n", 1));
        CosmosPatchOperations changes = CosmosPatchOperations.create()
            .increment("/n", 41L).add("/added", "yes").set("/set", List.of(1, 2)).remove("/set/0");
        ObjectNode patched = container.patchItem("patched", X, changes, ObjectNode.class).getItem();
        assertEquals(42, patched.get("n").asInt());
        assertEquals("yes", patched.get("added").asText());
        assertEquals(1, patched.get("set").size());
    }

    @Test
    void aPatchHasACondition() {
        container.createItem(item("conditional", "x").put("n", 1));
        CosmosPatchOperations change = CosmosPatchOperations.create().replace("/n", 2);
        CosmosPatchItemRequestOptions options = new CosmosPatchItemRequestOptions().setFilterPredicate("from c where c.n = 1");
        container.patchItem("conditional", X, change, options, ObjectNode.class);
        assertFails(412, () -> container.patchItem("conditional", X, change, options, ObjectNode.class));
    }

    @Test
    void aBatchRunsAllItsOperations() {
        CosmosBatch batch = CosmosBatch.createCosmosBatch(X);
        batch.createItemOperation(item("batched", "x").put("n", 1));
        batch.upsertItemOperation(item("upserted", "x"));
        batch.patchItemOperation("batched", CosmosPatchOperations.create().increment("/n", 1L));
        batch.readItemOperation("batched");
        batch.replaceItemOperation("upserted", item("upserted", "x").put("replaced", true));
        batch.deleteItemOperation("batched");
        CosmosBatchResponse response = container.executeCosmosBatch(batch);
        assertTrue(response.isSuccessStatusCode(), response.getErrorMessage());
        assertEquals(List.of(201, 201, 200, 200, 200, 204), statuses(response));
        assertEquals(2, response.getResults().get(3).getItem(ObjectNode.class).get("n").asInt());
        assertFails(404, () -> container.readItem("batched", X, ObjectNode.class));
    }

    @Test
    void aBatchHappensWhollyOrNotAtAll() {
        container.createItem(item("taken", "x"));
        CosmosBatch batch = CosmosBatch.createCosmosBatch(X);
        batch.createItemOperation(item("fresh", "x"));
        batch.createItemOperation(item("taken", "x"));
        CosmosBatchResponse response = container.executeCosmosBatch(batch);
        assertFalse(response.isSuccessStatusCode());
        assertEquals(List.of(424, 409), statuses(response));
        assertFails(404, () -> container.readItem("fresh", X, ObjectNode.class));
    }

    @Test
    void bulkReportsEachOperation() {
        List<CosmosItemOperation> operations = new ArrayList<>();
        IntStream.range(0, 150).forEach(i -> {
            String key = "bulk-" + i % 10;
            operations.add(CosmosBulkOperations.getCreateItemOperation(item("i" + i, key), new PartitionKey(key)));
        });
        long created = 0;
        for (var response : container.executeBulkOperations(operations)) {
            assertEquals(201, response.getResponse().getStatusCode());
            ++created;
        }
        assertEquals(150, created);
        for (var response : container.executeBulkOperations(operations.subList(0, 5))) {
            assertEquals(409, response.getResponse().getStatusCode());
        }
    }
}
