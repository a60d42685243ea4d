package partita.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static partita.conformance.Account.item;
import static partita.conformance.Account.newContainer;
import static partita.conformance.Account.newDatabase;

import com.azure.cosmos.CosmosContainer;
import com.azure.cosmos.CosmosDatabase;
import com.azure.cosmos.models.CosmosQueryRequestOptions;
import com.azure.cosmos.models.FeedResponse;
import com.azure.cosmos.models.SqlParameter;
import com.azure.cosmos.models.SqlQuerySpec;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Queries over five physical partitions, which this SDK merges itself. */
class QueriesTest {
    private static final int TOTAL = 60;
    private static CosmosDatabase database;
    private static CosmosContainer container;

    @BeforeAll
    static void createItems() {
        database = newDatabase();
        container = newContainer(database, "/pk", 50000);
        for (int n = 0; n < TOTAL; ++n) {
            ObjectNode item = item(String.format("item-%02d", n), "key-" + n).put("n", n).put("mod", n % 7);
            item.putArray("tags").add("t" + n % 3).add("u" + n % 4);
            item.putObject("nested").put("half", n / 2.0);
            container.createItem(item);
        }
    }

    @AfterAll
    static void deleteDatabase() {
        database.delete();
    }

    private static List<String> numbers(IntPredicate wanted) {
        return IntStream.range(0, TOTAL).filter(wanted).mapToObj(Integer::toString).toList();
    }

    private static List<String> backwards(List<String> rows) {
        List<String> reversed = new ArrayList<>(rows);
        Collections.reverse(reversed);
        return reversed;
    }

    private static List<String> rowsOf(SqlQuerySpec query, CosmosQueryRequestOptions options, int pageSize) {
        List<String> rows = new ArrayList<>();
        for (FeedResponse<JsonNode> page : container.queryItems(query, options, JsonNode.class).iterableByPage(pageSize)) {
            page.getResults().forEach(row -> rows.add(row.toString()));
        }
        return rows;
    }

    static Stream<Arguments> cases() {
        List<String> all = numbers(n -> true);
        return Stream.of(
            Arguments.of("SELECT VALUE c.n FROM c ORDER BY c.n", all),
            Arguments.of("SELECT VALUE c.n FROM c ORDER BY c.n DESC", backwards(all)),
            Arguments.of("SELECT VALUE c.n FROM c ORDER BY c.nested.half", all),
            Arguments.of("SELECT TOP 5 VALUE c.n FROM c ORDER BY c.n DESC", List.of("59", "58", "57", "56", "55")),
            Arguments.of("SELECT VALUE c.n FROM c ORDER BY c.n OFFSET 10 LIMIT 7", all.subList(10, 17)),
            Arguments.of("SELECT VALUE COUNT(1) FROM c", List.of("60")),
            Arguments.of("SELECT VALUE SUM(c.n) FROM c", List.of("1770.0")),
            Arguments.of("SELECT VALUE AVG(c.n) FROM c", List.of("29.5")),
            Arguments.of("SELECT VALUE MIN(c.n) FROM c", List.of("0")),
            Arguments.of("SELECT VALUE MAX(c.id) FROM c", List.of("\"item-59\"")),
            Arguments.of("SELECT DISTINCT VALUE c.mod FROM c ORDER BY c.mod", all.subList(0, 7)),
            Arguments.of("SELECT VALUE c.n FROM c JOIN t IN c.tags WHERE t = 't1' ORDER BY c.n", numbers(n -> n % 3 == 1)),
            Arguments.of(
                "SELECT VALUE c.n FROM c WHERE EXISTS(SELECT VALUE t FROM t IN c.tags WHERE t = 'u2') ORDER BY c.n",
                numbers(n -> n % 4 == 2)));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void partitionsAreMergedOneByOneAndInParallel(String query, List<String> expected) {
        CosmosQueryRequestOptions parallel = new CosmosQueryRequestOptions().setMaxDegreeOfParallelism(10).setMaxBufferedItemCount(100);
        for (int pageSize : new int[] {1000, 3}) {
            assertEquals(expected, rowsOf(new SqlQuerySpec(query), new CosmosQueryRequestOptions(), pageSize), query);
            assertEquals(expected, rowsOf(new SqlQuerySpec(query), parallel, pageSize), query);
        }
    }

    @Test
    void groupsAreMerged() {
        SqlQuerySpec query = new SqlQuerySpec("SELECT c.mod, COUNT(1) AS count, MAX(c.n) AS max FROM c GROUP BY c.mod");
        List<String> groups = new ArrayList<>();
        for (JsonNode group : container.queryItems(query, new CosmosQueryRequestOptions(), JsonNode.class)) {
            groups.add(group.get("mod").asInt() + ":" + group.get("count").asInt() + ":" + group.get("max").asInt());
        }
        Collections.sort(groups);
        assertEquals(List.of("0:9:56", "1:9:57", "2:9:58", "3:9:59", "4:8:53", "5:8:54", "6:8:55"), groups);
    }

    @Test
    void parametersAreTaken() {
        SqlQuerySpec query = new SqlQuerySpec(
            "SELECT VALUE c.n FROM c WHERE c.n >= @least AND ARRAY_CONTAINS(@mods, c.mod) ORDER BY c.n",
            List.of(new SqlParameter("@least", 20), new SqlParameter("@mods", List.of(1, 5))));
        List<String> expected = numbers(n -> n >= 20 && (n % 7 == 1 || n % 7 == 5));
        assertEquals(expected, rowsOf(query, new CosmosQueryRequestOptions(), 100));
    }

    @Test
    void anOrderIsResumedFromEveryToken() {
        String query = "SELECT VALUE c.n FROM c ORDER BY c.n DESC";
        List<String> all = backwards(numbers(n -> true));
        int given = 0;
        String token = null;
        do {
            FeedResponse<JsonNode> page = container.queryItems(query, new CosmosQueryRequestOptions(), JsonNode.class)
                .iterableByPage(token, 7).iterator().next();
            List<String> rows = page.getResults().stream().map(JsonNode::toString).toList();
            assertEquals(all.subList(given, given + rows.size()), rows);
            given += rows.size();
            token = page.getContinuationToken();
        } while (token != null);
        assertEquals(TOTAL, given);
    }
}
