package partita.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.params.provider.Arguments.arguments;
import static partita.conformance.Account.assertFails;
import static partita.conformance.Account.item;
import static partita.conformance.Account.newContainer;
import static partita.conformance.Account.newDatabase;
import static partita.conformance.Account.newHierarchicalContainer;
import static partita.conformance.Account.uniqueId;

import com.azure.cosmos.CosmosContainer;
import com.azure.cosmos.CosmosDatabase;
import com.azure.cosmos.models.PartitionKey;
import com.azure.cosmos.models.PartitionKeyBuilder;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class PartitionKeysTest {
    private static CosmosDatabase database;

    @BeforeAll
    static void createDatabase() {
        database = newDatabase();
    }

    @AfterAll
    static void deleteDatabase() {
        database.delete();
    }

    /** Creates, reads, replaces, upserts and deletes one item by its full primary key. */
    private static void exercise(CosmosContainer container, PartitionKey key, ObjectNode item) {
        String id = item.get("id").asText();
        assertEquals(201, container.createItem(item.put("step", "created"), key, null).getStatusCode());
        assertEquals("created", container.readItem(id, key, ObjectNode.class).getItem().get("step").asText());
        assertEquals(200, container.replaceItem(item.put("step", "replaced"), id, key, null).getStatusCode());
        assertEquals("replaced", container.readItem(id, key, ObjectNode.class).getItem().get("step").asText());
        assertEquals(200, container.upsertItem(item.put("step", "upserted"), key, null).getStatusCode());
        assertEquals("upserted", container.readItem(id, key, ObjectNode.class).getItem().get("step").asText());
        assertEquals(204, container.deleteItem(id, key, null).getStatusCode());
        assertFails(404, () -> container.readItem(id, key, ObjectNode.class));
    }

    static Stream<Arguments> shapes() {
        ObjectNode nested = item("a");
        nested.putObject("properties").put("name", "n");
        String longKey = "k".repeat(1500);
        return Stream.of(
            arguments("/department", item("a").put("department", "Sales"), new PartitionKey("Sales")),
            arguments("/properties/name", nested, new PartitionKey("n")),
            arguments("/\"department name\"", item("a").put("department name", "R&D"), new PartitionKey("R&D")),
            arguments("/id", item("a"), new PartitionKey("a")),
            arguments("/pk", item("a").put("pk", 42.5), new PartitionKey(42.5)),
            arguments("/pk", item("a").put("pk", true), new PartitionKey(true)),
            arguments("/pk", item("a").putNull("pk"), new PartitionKey(null)),
            arguments("/pk", item("a"), PartitionKey.NONE),
            arguments("/pk", item("a").put("pk", "é鱀"), new PartitionKey("é鱀")),
            arguments("/pk", item("a").put("pk", longKey), new PartitionKey(longKey)));
    }

    @ParameterizedTest(name = "{0} {index}")
    @MethodSource("shapes")
    void itemsAreStoredByTheirKey(String path, ObjectNode item, PartitionKey key) {
        exercise(newContainer(database, path), key, item);
    }

    @Test
    void itemsAreStoredByTwoLevels() {
        PartitionKey key = new PartitionKeyBuilder().add("t").add(7).build();
        exercise(newHierarchicalContainer(database, "/tenant", "/user"), key, item("a").put("tenant", "t").put("user", 7));
    }

    @Test
    void itemsAreStoredByThreeLevels() {
        PartitionKey key = new PartitionKeyBuilder().add("1").add("2").add("3").build();
        exercise(newHierarchicalContainer(database, "/a", "/b", "/c"), key, item("a").put("a", "1").put("b", "2").put("c", "3"));
    }

    @Test
    void manyKeysOverThreePhysicalPartitionsAreFoundAgain() {
        CosmosContainer container = newContainer(database, "/pk", 25000);
        Set<String> partitions = new HashSet<>();
        for (int n = 0; n < 60; ++n) {
            partitions.add(container.createItem(item("a", "key-" + n)).getSessionToken().split(":")[0]);
        }
        assertEquals(3, partitions.size());
        for (int n = 0; n < 60; ++n) {
            PartitionKey key = new PartitionKey("key-" + n);
            assertEquals("key-" + n, container.readItem("a", key, ObjectNode.class).getItem().get("pk").asText());
        }
    }

    @Test
    void anotherKeyDoesNotFindTheItem() {
        CosmosContainer container = newContainer(database, "/pk");
        container.createItem(item("a", "1"));
        for (PartitionKey wrong : new PartitionKey[] {new PartitionKey("wrong"), new PartitionKey(1)}) {
            assertFails(404, () -> container.readItem("a", wrong, ObjectNode.class));
            assertFails(404, () -> container.deleteItem("a", wrong, null));
        }
    }

    @Test
    void aKeyThatIsNotTheBodysIs400WithSubstatus1001() {
        CosmosContainer container = newContainer(database, "/pk");
        PartitionKey other = new PartitionKey("header");
        assertEquals(
            1001, assertFails(400, () -> container.createItem(item("a", "body"), other, null)).getSubStatusCode());
        assertFails(404, () -> container.readItem("a", new PartitionKey("body"), ObjectNode.class));
    }

    @Test
    void replaceCannotMoveAnItemToAnotherKey() {
        CosmosContainer container = newContainer(database, "/pk");
        container.createItem(item("a", "x"));
        assertFails(400, () -> container.replaceItem(item("a", "y"), "a", new PartitionKey("x"), null));
    }

    @Test
    void singlePartitionContainersStoreItemsByIdAlone() throws Exception {
        String id = uniqueId("single");
        String link = "dbs/" + database.getId();
        assertEquals(
            201,
            SignedRequest.post("colls", link, "/" + link + "/colls", "2018-06-18", "{\"id\":\"" + id + "\"}").statusCode());
        CosmosContainer container = database.getContainer(id);
        assertTrue(container.read().getProperties().getPartitionKeyDefinition().getPaths().contains("/_partitionKey"));
        exercise(container, PartitionKey.NONE, item("a", "ignored"));
        container.createItem(item("once", "x"), PartitionKey.NONE, null);
        assertFails(409, () -> container.createItem(item("once", "y"), PartitionKey.NONE, null));
    }
}
