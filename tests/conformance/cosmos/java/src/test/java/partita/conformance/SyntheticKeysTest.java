package partita.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static partita.conformance.Account.assertFails;
import static partita.conformance.Account.item;
import static partita.conformance.Account.newDatabase;
import static partita.conformance.Account.uniqueId;

import com.azure.cosmos.CosmosContainer;
import com.azure.cosmos.CosmosDatabase;
import com.azure.cosmos.models.ComputedProperty;
import com.azure.cosmos.models.CosmosBatch;
import com.azure.cosmos.models.CosmosBatchOperationResult;
import com.azure.cosmos.models.CosmosBatchResponse;
import com.azure.cosmos.models.CosmosBulkOperations;
import com.azure.cosmos.models.CosmosContainerProperties;
import com.azure.cosmos.models.CosmosItemOperation;
import com.azure.cosmos.models.CosmosItemResponse;
import com.azure.cosmos.models.CosmosPatchOperations;
import com.azure.cosmos.models.CosmosQueryRequestOptions;
import com.azure.cosmos.models.FeedResponse;
import com.azure.cosmos.models.PartitionKey;
import com.azure.cosmos.models.ThroughputProperties;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Containers whose partition key the server computes from other properties. */
class SyntheticKeysTest {
    private static final int SUFFIXES = 400;
    private static final String DAY = "2018-07-12";
    /** In the text of a page's diagnostics: the partition of a request, and what its query metrics say. */
    private static final Pattern ASKED = Pattern.compile("\"partitionKeyRangeId\":\"(\\d+)\"");
    private static final Pattern RETRIEVED = Pattern.compile("\"retrievedDocumentCount\":(\\d+)");
    private static CosmosDatabase database;

    @BeforeAll
    static void createDatabase() {
        database = newDatabase();
    }

    @AfterAll
    static void deleteDatabase() {
        database.delete();
    }

    private static CosmosContainer newContainer(String expression) {
        CosmosContainerProperties properties = new CosmosContainerProperties(uniqueId("c"), "/partitionKey");
        properties.setComputedProperties(List.of(new ComputedProperty("partitionKey", "SELECT VALUE " + expression + " FROM c")));
        database.createContainer(properties, ThroughputProperties.createManualThroughput(40000));
        return database.getContainer(properties.getId());
    }

    private static String vinOf(int n) {
        return String.format("5YJ3E1EA7KF%06d", n);
    }

    private static int mixed(int k) {
        return Integer.rotateLeft(k * 0xcc9e2d51, 15) * 0x1b873593;
    }

    /** MurmurHash3 x86-32 with seed 0, as docs/synthetic-keys.md has it. */
    private static int hashBucket(String text, int count) {
        byte[] data = text.getBytes(StandardCharsets.UTF_8);
        int hash = 0;
        int at = 0;
        for (; at + 4 <= data.length; at += 4) {
            int block = 0;
            for (int i = 3; i >= 0; --i) {
                block = block << 8 | data[at + i] & 0xff;
            }
            hash = Integer.rotateLeft(hash ^ mixed(block), 13) * 5 + 0xe6546b64;
        }
        int rest = 0;
        for (int i = data.length - 1; i >= at; --i) {
            rest = rest << 8 | data[i] & 0xff;
        }
        hash ^= mixed(rest) ^ data.length;
        hash = (hash ^ hash >>> 16) * 0x85ebca6b;
        hash = (hash ^ hash >>> 13) * 0xc2b2ae35;
        return 1 + Integer.remainderUnsigned(hash ^ hash >>> 16, count);
    }

    @Test
    void aConcatenatedKeyIsComputedAndStored() {
        CosmosContainer container = newContainer("CONCAT(c.deviceId, '-', ToString(c.date))");
        ObjectNode device = item("1").put("deviceId", "abc-123").put("date", 2018);
        ObjectNode stored = container.createItem(device).getItem();
        assertEquals("abc-123-2018", stored.get("partitionKey").asText());
        PartitionKey key = new PartitionKey("abc-123-2018");
        assertEquals(200, container.readItem("1", key, ObjectNode.class).getStatusCode());
        assertEquals(200, container.upsertItem(device.put("n", 1)).getStatusCode());
        assertEquals(200, container.replaceItem(device.put("n", 2), "1", key, null).getStatusCode());
        assertFails(400, () -> container.replaceItem(stored.put("date", 2019), "1", key, null));
        assertFails(400, () -> container.createItem(item("2").put("deviceId", "a").put("date", 1).put("partitionKey", "b")));
        assertEquals(1, find(container, "SELECT * FROM c WHERE c.deviceId = 'abc-123' AND c.date = 2018").size());
    }

    @Test
    void patchesBatchesAndBulkWritesComputeTheKey() {
        CosmosContainer container = newContainer("CONCAT(c.deviceId, '-', ToString(c.date))");
        container.createItem(item("1").put("deviceId", "abc").put("date", 1).put("n", 0));
        PartitionKey key = new PartitionKey("abc-1");
        CosmosPatchOperations change = CosmosPatchOperations.create().set("/n", 1);
        ObjectNode patched = container.patchItem("1", key, change, ObjectNode.class).getItem();
        assertEquals("abc-1", patched.get("partitionKey").asText());
        assertFails(400, () -> container.patchItem("1", key, CosmosPatchOperations.create().set("/date", 2), ObjectNode.class));

        CosmosBatch batch = CosmosBatch.createCosmosBatch(key);
        batch.createItemOperation(item("2").put("deviceId", "abc").put("date", 1));
        batch.upsertItemOperation(item("3").put("deviceId", "abc").put("date", 1));
        CosmosBatchResponse answer = container.executeCosmosBatch(batch);
        assertTrue(answer.isSuccessStatusCode(), answer.getErrorMessage());
        for (CosmosBatchOperationResult result : answer.getResults()) {
            assertEquals("abc-1", result.getItem(ObjectNode.class).get("partitionKey").asText());
        }
        CosmosBatch foreign = CosmosBatch.createCosmosBatch(key);
        foreign.createItemOperation(item("4").put("deviceId", "other").put("date", 1));
        assertFalse(container.executeCosmosBatch(foreign).isSuccessStatusCode());

        // The client places each operation by the key that it is given, so that a program has to know it here.
        List<CosmosItemOperation> operations = new ArrayList<>();
        for (int n = 0; n < 40; ++n) {
            ObjectNode device = item("b" + n).put("deviceId", "d" + n).put("date", 1);
            operations.add(CosmosBulkOperations.getCreateItemOperation(device, new PartitionKey("d" + n + "-1")));
        }
        for (var response : container.executeBulkOperations(operations)) {
            assertEquals(201, response.getResponse().getStatusCode());
        }
        assertEquals(40, find(container, "SELECT c.id FROM c WHERE STARTSWITH(c.id, 'b') AND c.partitionKey = CONCAT(c.deviceId, '-1')").size());
        assertEquals(Set.of("1", "2", "3"), find(container, "SELECT c.id FROM c WHERE c.deviceId = 'abc' AND c.date = 1"));
    }

    /** What a query found, and which partitions its requests say that they asked, each with the number of documents that it read. */
    private record Found(Set<String> ids, Set<String> partitions, long read) {}

    private static Found measured(CosmosContainer container, String query) {
        CosmosQueryRequestOptions options = new CosmosQueryRequestOptions().setQueryMetricsEnabled(true);
        Set<String> ids = new HashSet<>();
        Set<String> partitions = new TreeSet<>();
        long read = 0;
        for (FeedResponse<ObjectNode> page : container.queryItems(query, options, ObjectNode.class).iterableByPage()) {
            page.getResults().forEach(row -> ids.add(row.get("id").asText()));
            String diagnostics = page.getCosmosDiagnostics().toString();
            Matcher asked = ASKED.matcher(diagnostics);
            while (asked.find()) {
                partitions.add(asked.group(1));
            }
            Matcher retrieved = RETRIEVED.matcher(diagnostics);
            while (retrieved.find()) {
                read += Long.parseLong(retrieved.group(1));
            }
        }
        return new Found(ids, partitions, read);
    }

    private static Set<String> find(CosmosContainer container, String query) {
        Set<String> found = new HashSet<>();
        container.queryItems(query, new CosmosQueryRequestOptions(), ObjectNode.class).forEach(row -> found.add(row.get("id").asText()));
        return found;
    }

    @ParameterizedTest
    @ValueSource(strings = {"RANDOM_BUCKET(400)", "HASH_BUCKET(c.vin, 400)"})
    void suffixesSpreadOneDayOverAllPartitionsAndItsQueryIsComplete(String suffix) {
        CosmosContainer container = newContainer("CONCAT(c.date, '.', ToString(" + suffix + "))");
        Map<String, Integer> writes = new TreeMap<>();
        for (int n = 0; n < 400; ++n) {
            CosmosItemResponse<ObjectNode> created = container.createItem(item("t" + n).put("vin", vinOf(n)).put("date", DAY));
            writes.merge(created.getResponseHeaders().get("x-ms-documentdb-partitionkeyrangeid"), 1, Integer::sum);
        }
        double mean = 400.0 / writes.size();
        double squares = writes.values().stream().mapToDouble(count -> (count - mean) * (count - mean)).sum();
        double variation = Math.sqrt(squares / writes.size()) / mean;
        System.out.printf("note: %s writes by partition %s, coefficient of variation %.3f%n", suffix, writes, variation);
        assertEquals(4, writes.size());
        assertTrue(variation < 0.4);
        assertEquals(400, find(container, "SELECT c.id FROM c WHERE c.date = '" + DAY + "'").size());
        assertEquals(400, find(container, "SELECT c.id FROM c WHERE c.date >= '" + DAY + "' AND c.date < '2018-07-13'").size());
    }

    @Test
    void aPointReadByVinAndDateIsOneByTheHashThatAnyClientCanCompute() {
        CosmosContainer container = newContainer("CONCAT(c.date, '.', ToString(HASH_BUCKET(c.vin, " + SUFFIXES + ")))");
        container.createItem(item("t").put("vin", vinOf(1)).put("date", DAY));
        String key = DAY + "." + hashBucket(vinOf(1), SUFFIXES);
        CosmosItemResponse<ObjectNode> read = container.readItem("t", new PartitionKey(key), ObjectNode.class);
        assertEquals(key, read.getItem().get("partitionKey").asText());
        assertTrue(read.getRequestCharge() < 2, "a point read costs about 1 RU, this one " + read.getRequestCharge());
    }

    @Test
    void aQueryForVinAndDateAsksOnePartitionAndOneForTheDateAll() {
        CosmosContainer container = newContainer("CONCAT(c.date, '.', ToString(HASH_BUCKET(c.vin, " + SUFFIXES + ")))");
        for (int n = 0; n < 40; ++n) {
            container.createItem(item("t" + n).put("vin", vinOf(n)).put("date", DAY));
        }
        String ofDay = "SELECT c.id FROM c WHERE c.date = '" + DAY + "'";
        Found one = measured(container, ofDay + " AND c.vin = '" + vinOf(7) + "'");
        assertEquals(Set.of("t7"), one.ids);
        assertEquals(1, one.partitions.size(), "asked: " + one.partitions);
        Found all = measured(container, ofDay);
        assertEquals(40, all.ids.size());
        assertEquals(4, all.partitions.size(), "asked: " + all.partitions);
        assertTrue(one.read < 40, "documents of other partitions were read: " + one.read);
        assertEquals(40, all.read);
    }
}
