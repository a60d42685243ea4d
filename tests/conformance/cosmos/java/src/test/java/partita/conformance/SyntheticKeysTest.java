package partita.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static partita.conformance.Account.assertFails;
import static partita.conformance.Account.item;
import static partita.conformance.Account.newDatabase;
import static partita.conformance.Account.uniqueId;

import com.azure.cosmos.CosmosContainer;
import com.azure.cosmos.CosmosDatabase;
import com.azure.cosmos.models.ComputedProperty;
import com.azure.cosmos.models.CosmosContainerProperties;
import com.azure.cosmos.models.CosmosItemResponse;
import com.azure.cosmos.models.CosmosQueryRequestOptions;
import com.azure.cosmos.models.PartitionKey;
import com.azure.cosmos.models.ThroughputProperties;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Containers whose partition key the server computes from other properties. */
class SyntheticKeysTest {
    private static final int SUFFIXES = 400;
    private static final String DAY = "2018-07-12";
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
        System.out.printf("writes by partition %s, coefficient of variation %.3f%n", writes, variation);
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
        ObjectNode read = container.readItem("t", new PartitionKey(key), ObjectNode.class).getItem();
        assertEquals(key, read.get("partitionKey").asText());
    }
}
