package partita.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static partita.conformance.Account.assertFails;
import static partita.conformance.Account.item;
import static partita.conformance.Account.newContainer;
import static partita.conformance.Account.newDatabase;
import static partita.conformance.Account.uniqueId;

import com.azure.cosmos.CosmosContainer;
import com.azure.cosmos.CosmosDatabase;
import com.azure.cosmos.models.CosmosBatch;
import com.azure.cosmos.models.CosmosContainerProperties;
import com.azure.cosmos.models.CosmosItemRequestOptions;
import com.azure.cosmos.models.CosmosQueryRequestOptions;
import com.azure.cosmos.models.PartitionKey;
import com.azure.cosmos.models.UniqueKey;
import com.azure.cosmos.models.UniqueKeyPolicy;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a container demands of its items: unique keys, time to live; and deleting all items of a key. */
class RulesTest {
    private static final PartitionKey X = new PartitionKey("x");
    private static CosmosDatabase database;

    @BeforeAll
    static void createDatabase() {
        database = newDatabase();
    }

    @AfterAll
    static void deleteDatabase() {
        database.delete();
    }

    private static CosmosContainer containerWith(CosmosContainerProperties properties) {
        database.createContainer(properties);
        return database.getContainer(properties.getId());
    }

    private static CosmosContainer uniqueContainer() {
        UniqueKeyPolicy policy = new UniqueKeyPolicy().setUniqueKeys(List.of(new UniqueKey(List.of("/u"))));
        return containerWith(new CosmosContainerProperties(uniqueId("unique"), "/pk").setUniqueKeyPolicy(policy));
    }

    private static ObjectNode claim(String id, String key) {
        return item(id, key).put("u", 1);
    }

    private static Set<String> all(CosmosContainer container, String property) {
        return container.queryItems("SELECT * FROM c", new CosmosQueryRequestOptions(), JsonNode.class)
            .stream().map(found -> found.get(property).asText()).collect(Collectors.toSet());
    }

    @Test
    void aUniqueKeyHoldsWithinAPartitionKey() {
        CosmosContainer container = uniqueContainer();
        container.createItem(claim("1", "x"));
        assertFails(409, () -> container.createItem(claim("2", "x")));
        assertFails(409, () -> container.upsertItem(claim("2", "x")));
        container.createItem(claim("2", "y"));
        container.deleteItem("1", X, new CosmosItemRequestOptions());
        container.createItem(claim("2", "x"));
    }

    @Test
    void aBatchThatBreaksAUniqueKeyChangesNothing() {
        CosmosContainer container = uniqueContainer();
        CosmosBatch batch = CosmosBatch.createCosmosBatch(X);
        batch.createItemOperation(claim("1", "x"));
        batch.createItemOperation(claim("2", "x"));
        assertFalse(container.executeCosmosBatch(batch).isSuccessStatusCode());
        assertEquals(Set.of(), all(container, "id"));
    }

    @Test
    @Timeout(30)
    void anItemExpires() throws InterruptedException {
        CosmosContainer container =
            containerWith(new CosmosContainerProperties(uniqueId("ttl"), "/pk").setDefaultTimeToLiveInSeconds(-1));
        container.createItem(item("short", "x").put("ttl", 1));
        container.createItem(item("long", "x").put("ttl", 1000));
        container.createItem(item("always", "x"));
        while (all(container, "id").contains("short")) {
            Thread.sleep(Duration.ofMillis(100).toMillis());
        }
        assertEquals(Set.of("long", "always"), all(container, "id"));
        assertFails(404, () -> container.readItem("short", X, JsonNode.class));
        assertFails(400, () -> container.createItem(item("never", "x").put("ttl", 0)));
    }

    @Test
    void allItemsOfAKeyAreDeleted() {
        CosmosContainer container = newContainer(database, "/pk");
        for (int i = 0; i < 20; ++i) {
            container.createItem(item("i" + i, i % 2 == 0 ? "kept" : "gone"));
        }
        container.deleteAllItemsByPartitionKey(new PartitionKey("gone"), new CosmosItemRequestOptions());
        assertEquals(Set.of("kept"), all(container, "pk"));
    }
}
