package partita.conformance;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static partita.conformance.Account.item;
import static partita.conformance.Account.newContainer;
import static partita.conformance.Account.newDatabase;
import static partita.conformance.Reshapes.reshape;

import com.azure.cosmos.CosmosContainer;
import com.azure.cosmos.CosmosDatabase;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Two processors share a change feed, one is killed, the other takes over, while partitions are split and merged. */
@Tag("long")
class ChangeWorkersTest {
    private static final int KEYS = 30;
    private static final int MORE = 40;
    /** A lease whose owner notes its position all the time can hardly be taken over. */
    private static final int PAUSE_MS = 20;
    private static final Duration WAIT_MAX = Duration.ofSeconds(150);
    private static CosmosDatabase database;
    private final ExecutorService thread = Executors.newSingleThreadExecutor();
    private int written;

    @BeforeAll
    static void createDatabase() {
        database = newDatabase();
    }

    @AfterAll
    static void deleteDatabase() {
        database.delete();
    }

    private void write(CosmosContainer container) throws InterruptedException {
        container.createItem(item("i" + written, "k" + written % KEYS).put("n", written));
        ++written;
        Thread.sleep(PAUSE_MS);
    }

    private void writeMore(CosmosContainer container) throws InterruptedException {
        for (int i = 0; i < MORE; ++i) {
            write(container);
        }
    }

    /** As long as this takes. */
    private <T> T writeDuring(Future<T> work, CosmosContainer container) throws Exception {
        while (!work.isDone()) {
            write(container);
        }
        return work.get();
    }

    private <T> T writeDuring(Callable<T> work, CosmosContainer container) throws Exception {
        return writeDuring(thread.submit(work), container);
    }

    private static Void until(BooleanSupplier isTrue, String what) throws InterruptedException {
        Instant deadline = Instant.now().plus(WAIT_MAX);
        while (!isTrue.getAsBoolean()) {
            assertTrue(Instant.now().isBefore(deadline), () -> "not within " + WAIT_MAX.toSeconds() + " s: " + what);
            Thread.sleep(50);
        }
        return null;
    }

    private List<Integer> missing(ChangeWorker... workers) {
        return IntStream.range(0, written)
            .filter(n -> Arrays.stream(workers).noneMatch(worker -> worker.seen().contains(n)))
            .boxed()
            .toList();
    }

    private static String splitMergeAndSplit(CosmosContainer container, String range) throws Exception {
        String first = range;
        for (String kind : List.of("split", "merge", "split")) {
            first = reshape(kind, database, container, first);
        }
        return first;
    }

    @Test
    void twoWorkersShareTheChangesAndWhenOneIsKilledTheOtherTakesOver() throws Exception {
        CosmosContainer watched = newContainer(database, "/pk", 25_000);
        CosmosContainer leases = newContainer(database, "/id", 4000);
        try (ChangeWorker one = newWorker("one", watched, leases)) {
            // Two that begin at once would wait for each other, many seconds long, before one of them makes the leases.
            writeDuring(() -> until(() -> one.seen().size() > 5, "the first has something to do"), watched);
            try (ChangeWorker two = newWorker("two", watched, leases)) {
                writeDuring(() -> until(() -> two.seen().size() > 5, "both have something to do"), watched);
                shareAndTakeOver(one, two, watched);
            }
        } finally {
            thread.shutdown();
        }
    }

    private static ChangeWorker newWorker(String name, CosmosContainer watched, CosmosContainer leases) throws IOException {
        return new ChangeWorker(name, database.getId(), watched.getId(), leases.getId());
    }

    private void shareAndTakeOver(ChangeWorker one, ChangeWorker two, CosmosContainer watched) throws Exception {
        String first = writeDuring(() -> splitMergeAndSplit(watched, "0"), watched);
        writeMore(watched);
        until(() -> missing(one, two).isEmpty(), "both are told of everything");
        assertTrue(one.isRunning() && two.isRunning(), "both go on");
        assertTrue(one.seen().size() < written && two.seen().size() < written, "both share");
        Future<String> death = thread.submit(() -> reshape("merge", database, watched, first));
        write(watched);
        one.kill();
        int before = written;
        writeDuring(death, watched);
        writeMore(watched);
        until(() -> missing(one, two).isEmpty(), "with one dead all is told");
        assertTrue(missing(two).stream().allMatch(n -> n < before), "the other one is told of all that is written now");
        assertTrue(two.isRunning(), "and goes on");
    }
}
