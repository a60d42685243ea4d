package partita.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static partita.conformance.Account.assertFails;
import static partita.conformance.Account.item;
import static partita.conformance.Account.uniqueId;

import com.azure.cosmos.ConsistencyLevel;
import com.azure.cosmos.CosmosClient;
import com.azure.cosmos.CosmosContainer;
import com.azure.cosmos.CosmosDatabase;
import com.azure.cosmos.models.CosmosItemRequestOptions;
import com.azure.cosmos.models.CosmosItemResponse;
import com.azure.cosmos.models.CosmosQueryRequestOptions;
import com.azure.cosmos.models.PartitionKey;
import com.azure.cosmos.models.ThroughputProperties;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The same program on accounts of every consistency level, with two clients: one writes, the other reads. */
class ConsistencyTest {
    private static final String ACCOUNTS = "partita.conformance.LeveledAccount#all";
    private static final PartitionKey X = new PartitionKey("x");
    private static final String NUMBERS = "SELECT VALUE c.n FROM c ORDER BY c.n";
    private static final int SESSION_ROUNDS = 20;

    /** Making clients is slow, so an account's cases share two. */
    @ParameterizedTest
    @MethodSource(ACCOUNTS)
    void anAccountKeepsWhatItsLevelPromises(LeveledAccount account) throws Exception {
        try (CosmosClient writer = account.open(); CosmosClient reader = account.open()) {
            String id = uniqueId("consistency-java");
            writer.createDatabase(id);
            CosmosDatabase database = writer.getDatabase(id);
            try {
                database.createContainer("c", "/pk", ThroughputProperties.createManualThroughput(10_000));
                CosmosContainer written = database.getContainer("c");
                CosmosContainer read = reader.getDatabase(id).getContainer("c");
                itemsAreWrittenReadAndQueried(written);
                aSessionGoesOnInAnotherClient(account, written, read);
                aRequestMayAskForLess(account, written);
                aRequestMayNotAskForMore(account, written);
                new WritersAndReaders(account, written, read).run();
            } finally {
                database.delete();
            }
        }
    }

    private static List<Integer> numbers(CosmosContainer container, CosmosQueryRequestOptions options) {
        return container.queryItems(NUMBERS, options, Integer.class).stream().toList();
    }

    private static void itemsAreWrittenReadAndQueried(CosmosContainer written) {
        assertFails(404, () -> written.readItem("a", X, ObjectNode.class));
        String etag = written.createItem(item("a", "x").put("n", 1)).getETag();
        assertEquals(etag, written.readItem("a", X, ObjectNode.class).getETag());
        CosmosItemRequestOptions ifSame = new CosmosItemRequestOptions().setIfMatchETag(etag);
        written.replaceItem(item("a", "x").put("n", 2), "a", X, ifSame);
        assertFails(412, () -> written.deleteItem("a", X, ifSame));
        written.upsertItem(item("b", "y").put("n", 3));
        assertEquals(List.of(2, 3), numbers(written, new CosmosQueryRequestOptions()));
        assertEquals(List.of(2), numbers(written, new CosmosQueryRequestOptions().setPartitionKey(X)));
        written.deleteItem("a", X, new CosmosItemRequestOptions());
        assertFails(404, () -> written.readItem("a", X, ObjectNode.class));
    }

    private static void aSessionGoesOnInAnotherClient(LeveledAccount account, CosmosContainer written, CosmosContainer read) {
        // On an account that is weaker than Session the token is no promise, but must do no harm.
        boolean isPromised = account.allowed().contains(ConsistencyLevel.SESSION);
        ConsistencyLevel level = isPromised ? ConsistencyLevel.SESSION : account.level();
        for (int n = 0; n < SESSION_ROUNDS; ++n) {
            String session = written.upsertItem(item("a", "x").put("n", n)).getSessionToken();
            CosmosItemRequestOptions options = new CosmosItemRequestOptions().setSessionToken(session).setConsistencyLevel(level);
            int found = read.readItem("a", X, options, ObjectNode.class).getItem().get("n").asInt();
            assertTrue(found == n || (!isPromised && found < n), found + " was read, but " + n + " had been written");
            CosmosQueryRequestOptions page =
                new CosmosQueryRequestOptions().setSessionToken(session).setConsistencyLevel(level).setPartitionKey(X);
            int queried = numbers(read, page).get(0);
            assertTrue(queried == n || (!isPromised && queried < n), queried + " was found, but " + n + " had been written");
        }
    }

    private static void aRequestMayAskForLess(LeveledAccount account, CosmosContainer written) {
        for (ConsistencyLevel level : account.allowed()) {
            CosmosItemRequestOptions options = new CosmosItemRequestOptions().setConsistencyLevel(level);
            CosmosItemResponse<ObjectNode> found = written.readItem("b", new PartitionKey("y"), options, ObjectNode.class);
            assertEquals(3, found.getItem().get("n").asInt());
            assertEquals(LeveledAccount.isQuorum(level) ? 2.0 : 1.0, found.getRequestCharge(), "what " + level + " costs");
            CosmosQueryRequestOptions ofOneKey =
                new CosmosQueryRequestOptions().setConsistencyLevel(level).setPartitionKey(new PartitionKey("y"));
            assertEquals(List.of(3), numbers(written, ofOneKey), level.toString());
        }
    }

    /** Of a query the SDK does not send the level. */
    private static void aRequestMayNotAskForMore(LeveledAccount account, CosmosContainer written) {
        for (ConsistencyLevel level : account.stronger()) {
            CosmosItemRequestOptions options = new CosmosItemRequestOptions().setConsistencyLevel(level);
            assertFails(400, () -> written.readItem("b", new PartitionKey("y"), options, ObjectNode.class));
        }
    }
}
