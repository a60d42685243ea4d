package partita.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static partita.conformance.Account.assertFails;
import static partita.conformance.Account.client;
import static partita.conformance.Account.item;
import static partita.conformance.Account.newContainer;
import static partita.conformance.Account.newDatabase;
import static partita.conformance.Account.uniqueId;

import com.azure.cosmos.CosmosContainer;
import com.azure.cosmos.CosmosDatabase;
import com.azure.cosmos.models.CosmosContainerProperties;
import com.azure.cosmos.models.CosmosContainerResponse;
import com.azure.cosmos.models.ExcludedPath;
import com.azure.cosmos.models.IncludedPath;
import com.azure.cosmos.models.IndexingMode;
import com.azure.cosmos.models.PartitionKey;
import com.azure.cosmos.models.PartitionKeyDefinition;
import com.azure.cosmos.models.ThroughputProperties;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ContainersTest {
    private static CosmosDatabase database;

    @BeforeAll
    static void createDatabase() {
        database = newDatabase();
    }

    @AfterAll
    static void deleteDatabase() {
        database.delete();
    }

    @Test
    void aContainerHasTheDefaultIndexingPolicy() {
        CosmosContainerResponse created = database.createContainer(new CosmosContainerProperties(uniqueId("c"), "/pk"));
        assertEquals(201, created.getStatusCode());
        assertTrue(created.getRequestCharge() > 0);
        CosmosContainerProperties properties = created.getProperties();
        assertEquals(List.of("/pk"), properties.getPartitionKeyDefinition().getPaths());
        assertEquals(IndexingMode.CONSISTENT, properties.getIndexingPolicy().getIndexingMode());
        assertEquals(
            List.of("/*"),
            properties.getIndexingPolicy().getIncludedPaths().stream().map(IncludedPath::getPath).toList());
        assertEquals(
            List.of("/\"_etag\"/?"),
            properties.getIndexingPolicy().getExcludedPaths().stream().map(ExcludedPath::getPath).toList());
    }

    @Test
    void creatingAContainerTwiceConflicts() {
        CosmosContainer container = newContainer(database, "/pk");
        assertFails(409, () -> database.createContainer(new CosmosContainerProperties(container.getId(), "/pk")));
        assertEquals(
            200,
            database.createContainerIfNotExists(new CosmosContainerProperties(container.getId(), "/pk")).getStatusCode());
    }

    @Test
    void missingContainersAndDatabasesAreNotFound() {
        assertFails(404, () -> database.getContainer("missing").read());
        CosmosDatabase nowhere = client().getDatabase(uniqueId("missing"));
        assertFails(404, () -> nowhere.createContainer(new CosmosContainerProperties("c", "/pk")));
    }

    @Test
    void aDeletedContainerIsGoneWithItsItems() {
        CosmosContainer container = newContainer(database, "/pk");
        container.createItem(item("a", "x"));
        assertEquals(204, container.delete().getStatusCode());
        assertFails(404, () -> container.read());
        database.createContainer(new CosmosContainerProperties(container.getId(), "/pk"));
        assertFails(404, () -> container.readItem("a", new PartitionKey("x"), ObjectNode.class));
    }

    @Test
    void containersAreListed() {
        CosmosDatabase own = newDatabase();
        try {
            TreeSet<String> created = new TreeSet<>();
            for (int n = 0; n < 5; ++n) {
                created.add(newContainer(own, "/pk").getId());
            }
            List<String> listed = own.readAllContainers().stream().map(CosmosContainerProperties::getId).toList();
            assertEquals(5, listed.size());
            assertEquals(created, new TreeSet<>(listed));
        } finally {
            own.delete();
        }
    }

    @Test
    void replacingAContainerChangesItsTimeToLive() {
        CosmosContainer container = newContainer(database, "/pk");
        CosmosContainerProperties before = container.read().getProperties();
        before.setDefaultTimeToLiveInSeconds(3600);
        CosmosContainerProperties after = container.replace(before).getProperties();
        assertEquals(3600, after.getDefaultTimeToLiveInSeconds());
        assertEquals(before.getResourceId(), after.getResourceId());
        assertNotEquals(before.getETag(), after.getETag());
    }

    @Test
    void thePartitionKeyOfAContainerCannotBeChanged() {
        CosmosContainer container = newContainer(database, "/pk");
        CosmosContainerProperties properties = container.read().getProperties();
        properties.setPartitionKeyDefinition(new PartitionKeyDefinition().setPaths(List.of("/other")));
        assertFails(400, () -> container.replace(properties));
    }

    @Test
    void throughputIsReadAndReplaced() {
        CosmosContainer container = newContainer(database, "/pk", 1000);
        assertEquals(1000, container.readThroughput().getProperties().getManualThroughput());
        ThroughputProperties more = ThroughputProperties.createManualThroughput(1200);
        assertEquals(1200, container.replaceThroughput(more).getProperties().getManualThroughput());
        assertEquals(1200, container.readThroughput().getProperties().getManualThroughput());
    }

    @ParameterizedTest
    @ValueSource(ints = {450, 300})
    void throughputMustBeAMultipleOf100AndAtLeast400(int throughput) {
        CosmosContainer container = newContainer(database, "/pk", 400);
        ThroughputProperties refused = ThroughputProperties.createManualThroughput(throughput);
        assertFails(400, () -> container.replaceThroughput(refused));
        assertFails(400, () -> newContainer(database, "/pk", throughput));
        assertEquals(400, container.readThroughput().getProperties().getManualThroughput());
    }

    @Test
    void theNumberOfPhysicalPartitionsFollowsTheThroughput() {
        assertEquals(3, newContainer(database, "/pk", 25000).getFeedRanges().size());
    }
}
