package partita.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static partita.conformance.Account.item;
import static partita.conformance.Account.newContainer;
import static partita.conformance.Account.newDatabase;

import com.azure.cosmos.CosmosClient;
import com.azure.cosmos.CosmosContainer;
import com.azure.cosmos.CosmosDatabase;
import com.azure.cosmos.CosmosException;
import com.azure.cosmos.models.CosmosQueryRequestOptions;
import com.azure.cosmos.models.PartitionKey;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A container gets another partition key while a program works with it: the SDK finds the new key of what is written by itself. */
class RekeysTest {
    private static final int OPERATIONS_BETWEEN_CHANGES = 20;
    private static final String PARTITA_VERSION = "2020-07-15";
    private static final int CHANGES = 4;
    private static final int STILL = 60;
    private static CosmosDatabase database;
    private final AtomicBoolean isOver = new AtomicBoolean();
    private final AtomicInteger done = new AtomicInteger();
    /** Of the key: odd while one is under way. */
    private final AtomicInteger changes = new AtomicInteger();
    private final AtomicInteger queriesBetween = new AtomicInteger();

    @BeforeAll
    static void createDatabase() {
        database = newDatabase();
    }

    @AfterAll
    static void deleteDatabase() {
        database.delete();
    }

    private static void changeKey(CosmosContainer container, String path) throws Exception {
        String order = String.format(
            "{\"database\":\"%s\",\"container\":\"%s\",\"partitionKey\":{\"paths\":[\"%s\"],\"kind\":\"Hash\",\"version\":2}}",
            database.getId(), container.getId(), path);
        HttpResponse<String> answer = SignedRequest.post("partita", "rekey", "/_partita/rekey", PARTITA_VERSION, order);
        assumeTrue(answer.statusCode() != 405, "the account does not change partition keys");
        assertEquals(200, answer.statusCode(), answer.body());
    }

    private static String keyProperty(CosmosContainer container) {
        return container.read().getProperties().getPartitionKeyDefinition().getPaths().get(0).substring(1);
    }

    /** Under the key that the container has; what was written is always there. */
    private static ObjectNode read(CosmosContainer container, ObjectNode document) {
        for (int attempt = 0; ; ++attempt) {
            PartitionKey key = new PartitionKey(document.get(keyProperty(container)).asText());
            try {
                return container.readItem(document.get("id").asText(), key, ObjectNode.class).getItem();
            } catch (CosmosException failure) {
                if (failure.getStatusCode() != 404 || attempt == 2) {
                    throw failure;
                }
            }
        }
    }

    private boolean isUndisturbed(int before) {
        return before % 2 == 0 && changes.get() == before;
    }

    /** Documents that nobody changes come complete and in order. Only a query that was under way when the key changed may be refused. */
    private Void queryInOrder(CosmosContainer container) {
        List<Integer> expected = IntStream.range(0, STILL).boxed().toList();
        while (!isOver.get()) {
            int before = changes.get();
            List<Integer> found = new ArrayList<>();
            try {
                container.queryItems("SELECT VALUE c.n FROM c WHERE STARTSWITH(c.id, 'still') ORDER BY c.n", new CosmosQueryRequestOptions(), Integer.class)
                    .iterableByPage(7)
                    .forEach(page -> found.addAll(page.getResults()));
            } catch (RuntimeException refusal) {
                if (!isOfChange(refusal) || isUndisturbed(before)) {
                    throw refusal;
                }
            }
            if (isUndisturbed(before)) {
                assertEquals(expected, found);
                queriesBetween.incrementAndGet();
            }
        }
        return null;
    }

    /** Where several partitions refuse at once, what the program gets has their answers inside. */
    private static boolean isOfChange(Throwable refusal) {
        if (refusal instanceof CosmosException answer) {
            return answer.getStatusCode() == 400 && answer.getMessage().contains("another partition key");
        }
        boolean isInside = refusal.getCause() != null && isOfChange(refusal.getCause());
        return isInside || Arrays.stream(refusal.getSuppressed()).anyMatch(RekeysTest::isOfChange);
    }

    private Map<String, Integer> write(CosmosContainer container) {
        Map<String, Integer> model = new HashMap<>();
        for (int n = 0; !isOver.get(); ++n) {
            ObjectNode document = owned("w-" + n % 25, n, n);
            container.upsertItem(document);
            model.put(document.get("id").asText(), n);
            assertEquals(n, read(container, document).get("n").asInt());
            done.incrementAndGet();
        }
        return model;
    }

    private static ObjectNode owned(String id, int key, int n) {
        return item(id, "key " + key % 25).put("tenant", "tenant " + key % 5).put("n", n);
    }

    private static void mustFind(Map<String, Integer> expected, CosmosContainer container) {
        Map<String, Integer> found = new HashMap<>();
        int rows = 0;
        String query = "SELECT c.id, c.n FROM c WHERE STARTSWITH(c.id, 'w')";
        for (ObjectNode row : container.queryItems(query, new CosmosQueryRequestOptions(), ObjectNode.class)) {
            ++rows;
            found.put(row.get("id").asText(), row.get("n").asInt());
        }
        assertEquals(expected, found);
        assertEquals(found.size(), rows);
    }

    @Test
    void writersAndQueriesGoOnWithTheClientsThatTheyHave() throws Exception {
        CosmosContainer container = newContainer(database, "/pk", 25000);
        for (int n = 0; n < STILL; ++n) {
            container.createItem(owned("still-" + n, n, n * 37 % STILL));
        }
        try (CosmosClient other = Account.open(Account.KEY)) {
            CosmosContainer queried = other.getDatabase(database.getId()).getContainer(container.getId());
            CompletableFuture<Map<String, Integer>> writing = CompletableFuture.supplyAsync(() -> write(container));
            CompletableFuture<Void> querying = CompletableFuture.supplyAsync(() -> queryInOrder(queried));
            try {
                for (int change = 1; change <= CHANGES; ++change) {
                    int queriesBefore = queriesBetween.get();
                    int goal = change * OPERATIONS_BETWEEN_CHANGES;
                    while (!writing.isDone() && !querying.isDone() && (done.get() < goal || queriesBetween.get() == queriesBefore)) {
                        Thread.sleep(1);
                    }
                    changes.incrementAndGet();
                    changeKey(container, change % 2 == 1 ? "/tenant" : "/pk");
                    changes.incrementAndGet();
                }
            } finally {
                isOver.set(true);
            }
            Map<String, Integer> expected = writing.get();
            querying.get();
            mustFind(expected, container);
            mustFind(expected, queried);
        }
    }
}
