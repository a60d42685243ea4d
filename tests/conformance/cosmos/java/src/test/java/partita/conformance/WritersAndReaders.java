package partita.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static partita.conformance.Account.item;

import com.azure.cosmos.ConsistencyLevel;
import com.azure.cosmos.CosmosContainer;
import com.azure.cosmos.CosmosDiagnostics;
import com.azure.cosmos.models.CosmosItemRequestOptions;
import com.azure.cosmos.models.CosmosItemResponse;
import com.azure.cosmos.models.CosmosQueryRequestOptions;
import com.azure.cosmos.models.FeedResponse;
import com.azure.cosmos.models.PartitionKey;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * One client counts up documents, another reads them meanwhile. Where reads are by a quorum, replicas that were asked in different
 * moments differ, and the client asks them how far they are (a barrier) before it believes what it has read.
 */
final class WritersAndReaders {
    private static final int WRITERS = 3;
    private static final int ROUNDS = 25;
    private static final int ROUNDS_MAX = 5000;
    private static final String QUIET = "quiet";
    private static final PartitionKey X = new PartitionKey("x");

    private record Acknowledged(int n, String session) {
        long lsn() {
            return Long.parseLong(session.split("#")[1]);
        }
    }

    private final LeveledAccount account;
    private final CosmosContainer written;
    private final CosmosContainer read;
    private final AtomicReferenceArray<Acknowledged> newest = new AtomicReferenceArray<>(WRITERS);
    private volatile boolean isOver;
    private int barriers;

    WritersAndReaders(LeveledAccount account, CosmosContainer written, CosmosContainer read) {
        this.account = account;
        this.written = written;
        this.read = read;
    }

    void run() throws Exception {
        written.createItem(item(QUIET, "x"));
        ExecutorService threads = Executors.newFixedThreadPool(WRITERS);
        List<Future<?>> writing = new ArrayList<>();
        for (int i = 0; i < WRITERS; ++i) {
            int writer = i;
            write(writer, 0);
            writing.add(threads.submit(() -> keepWriting(writer)));
        }
        try {
            for (int round = 0; round < ROUNDS || (account.isReadByQuorum() && barriers == 0); ++round) {
                assertTrue(round < ROUNDS_MAX, "in " + ROUNDS_MAX + " rounds there was no barrier");
                for (int writer = 0; writer < WRITERS; ++writer) {
                    readOne(writer);
                }
                readQuiet();
                query();
            }
        } finally {
            isOver = true;
            threads.shutdown();
        }
        for (Future<?> each : writing) {
            each.get();
        }
        if (!account.isReadByQuorum()) {
            assertEquals(0, barriers, "barriers of reads that need no quorum");
        }
    }

    private static String id(int writer) {
        return "w" + writer;
    }

    private void keepWriting(int writer) {
        for (int n = 1; !isOver; ++n) {
            write(writer, n);
        }
    }

    private void write(int writer, int n) {
        newest.set(writer, new Acknowledged(n, written.upsertItem(item(id(writer), "x").put("n", n)).getSessionToken()));
    }

    /** Across clients a read is promised to be as new as this only by the strongest level, and to whoever has the session. */
    private int least(Acknowledged acknowledged) {
        boolean isPromised = account.level() == ConsistencyLevel.STRONG || account.level() == ConsistencyLevel.SESSION;
        return isPromised ? acknowledged.n() : 0;
    }

    private String sessionOf(Acknowledged acknowledged) {
        return account.level() == ConsistencyLevel.SESSION ? acknowledged.session() : null;
    }

    private void mustBeNewEnough(int n, Acknowledged acknowledged) {
        assertTrue(n >= least(acknowledged), n + " is read, but " + acknowledged.n() + " was acknowledged before");
    }

    private void readOne(int writer) {
        Acknowledged acknowledged = newest.get(writer);
        CosmosItemRequestOptions options = new CosmosItemRequestOptions().setSessionToken(sessionOf(acknowledged));
        CosmosItemResponse<ObjectNode> found = read.readItem(id(writer), X, options, ObjectNode.class);
        mustBeNewEnough(found.getItem().get("n").asInt(), acknowledged);
        barriers += barriers(found.getDiagnostics());
    }

    /** The others' writes move the partition on, but the document's own position tells that it is the newest. */
    private void readQuiet() {
        CosmosItemResponse<ObjectNode> found = read.readItem(QUIET, X, ObjectNode.class);
        assertEquals(0, barriers(found.getDiagnostics()), "barriers for a document that nobody writes");
    }

    private void query() {
        List<Acknowledged> acknowledged = new ArrayList<>();
        for (int writer = 0; writer < WRITERS; ++writer) {
            acknowledged.add(newest.get(writer));
        }
        // The session of one partition: the latest token has what all writers were told.
        Acknowledged latest = acknowledged.stream().max(Comparator.comparingLong(Acknowledged::lsn)).orElseThrow();
        CosmosQueryRequestOptions options = new CosmosQueryRequestOptions().setPartitionKey(X).setSessionToken(sessionOf(latest));
        Map<String, Integer> found = new HashMap<>();
        String query = "SELECT c.id, c.n FROM c WHERE c.id != '" + QUIET + "'";
        for (FeedResponse<ObjectNode> page : read.queryItems(query, options, ObjectNode.class).iterableByPage()) {
            page.getResults().forEach(row -> found.put(row.get("id").asText(), row.path("n").asInt()));
            barriers += barriers(page.getCosmosDiagnostics());
        }
        for (int writer = 0; writer < WRITERS; ++writer) {
            mustBeNewEnough(found.get(id(writer)), acknowledged.get(writer));
        }
    }

    /** The SDK tells of the latest ten of a request. */
    private static int barriers(CosmosDiagnostics diagnostics) {
        return diagnostics.toString().split("\"requestOperationType\":\"Head\"", -1).length - 1;
    }
}
