package partita.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static partita.conformance.Account.item;
import static partita.conformance.Account.newContainer;
import static partita.conformance.Account.newDatabase;

import com.azure.cosmos.CosmosContainer;
import com.azure.cosmos.CosmosDatabase;
import com.azure.cosmos.models.FeedResponse;
import com.azure.cosmos.models.PartitionKey;
import com.azure.cosmos.util.CosmosPagedIterable;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class PagingTest {
    private static final List<String> IDS = IntStream.range(0, 25).mapToObj(n -> String.format("item-%02d", n)).toList();
    private static CosmosDatabase database;
    private static CosmosContainer container;

    @BeforeAll
    static void createItems() {
        database = newDatabase();
        container = newContainer(database, "/pk", 25000);
        for (String id : IDS) {
            container.createItem(item(id, "x"));
            container.createItem(item(id, "other"));
        }
    }

    @AfterAll
    static void deleteDatabase() {
        database.delete();
    }

    private static CosmosPagedIterable<ObjectNode> allOfX() {
        return container.readAllItems(new PartitionKey("x"), ObjectNode.class);
    }

    private static List<String> idsOf(FeedResponse<ObjectNode> page) {
        return page.getResults().stream().map(item -> item.get("id").asText()).toList();
    }

    @Test
    void oneKeyIsReadInInsertionOrder() {
        assertEquals(IDS, allOfX().stream().map(item -> item.get("id").asText()).toList());
    }

    @Test
    void pagesHoldTheAskedNumber() {
        List<List<String>> pages = new ArrayList<>();
        for (FeedResponse<ObjectNode> page : allOfX().iterableByPage(10)) {
            assertTrue(page.getRequestCharge() > 0);
            pages.add(idsOf(page));
        }
        assertEquals(List.of(IDS.subList(0, 10), IDS.subList(10, 20), IDS.subList(20, 25)), pages);
    }

    @Test
    void readingResumesFromAContinuationToken() {
        FeedResponse<ObjectNode> first = allOfX().iterableByPage(10).iterator().next();
        assertEquals(IDS.subList(0, 10), idsOf(first));
        List<String> rest = new ArrayList<>();
        allOfX().iterableByPage(first.getContinuationToken(), 100).forEach(page -> rest.addAll(idsOf(page)));
        assertEquals(IDS.subList(10, 25), rest);
    }
}
