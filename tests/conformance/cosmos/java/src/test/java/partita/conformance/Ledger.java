package partita.conformance;

import com.azure.cosmos.CosmosClient;
import com.azure.cosmos.CosmosContainer;
import com.azure.cosmos.CosmosEndToEndOperationLatencyPolicyConfigBuilder;
import com.azure.cosmos.CosmosException;
import com.azure.cosmos.models.CosmosItemRequestOptions;
import com.azure.cosmos.models.CosmosItemResponse;
import com.azure.cosmos.models.PartitionKey;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;

/**
 * A program that writes and reads while its account is hurt, and remembers what it was told. Arguments: DATABASE CONTAINER. It
 * goes on until its standard input ends; then it reads everything once more. It says, in lines:
 *
 * <pre>
 * ok WRITER              an operation was answered as it should be
 * failed WRITER STATUS   nobody knows what became of an operation
 * wrong WRITER TEXT      what the account has promised does not hold, or its error is a lie
 * end ACKNOWLEDGED       all was read once more
 * </pre>
 */
final class Ledger {
    private static final int WRITERS = 4;
    private static final int KEYS = 20;
    private static final int PAUSE_MS = 4;
    private static final int FINAL_TRIES = 50;
    private static final int MESSAGE_LENGTH_MAX = 300;
    /** A connection that broke, a time-out, a partition that cannot be reached, nobody there. */
    private static final Duration OPERATION_MAX = Duration.ofSeconds(12);
    private static final Set<Integer> FAILURES = Set.of(0, 408, 410, 503);

    private final int writer;
    private final CosmosContainer container;
    private final Random random;
    private final List<Integer> acknowledged = new ArrayList<>();
    private int written;
    /** What the counter must at least be, and what it can be at most: more only while an increment has an unknown outcome. */
    private int least;
    private int most;
    private String etag;

    private Ledger(int writer, CosmosContainer container) {
        this.writer = writer;
        this.container = container;
        this.random = new Random(writer);
    }

    private static synchronized void say(String line) {
        System.out.println(line);
    }

    private void wrong(String what) {
        say("wrong " + writer + " " + what.replace('\n', ' ').substring(0, Math.min(what.length(), MESSAGE_LENGTH_MAX)));
    }

    private enum Outcome { DONE, REFUSED, UNKNOWN }

    private Outcome attempt(int refusal, Runnable operation) {
        try {
            operation.run();
        } catch (CosmosException failure) {
            int status = failure.getStatusCode();
            if (status != refusal) {
                String what = status + "/" + failure.getSubStatusCode();
                if (FAILURES.contains(status)) {
                    say("failed " + writer + " " + what);
                } else {
                    wrong("status " + what + ": " + failure.getMessage());
                }
                return Outcome.UNKNOWN;
            }
            say("ok " + writer);
            return Outcome.REFUSED;
        }
        say("ok " + writer);
        return Outcome.DONE;
    }

    private String id(int n) {
        return "w" + writer + "-" + n;
    }

    private PartitionKey key(int n) {
        return new PartitionKey("key " + n % KEYS);
    }

    private void create() {
        int n = written++;
        ObjectNode item = Account.item(id(n), "key " + n % KEYS).put("n", n);
        // An id that was never sent before can only be taken if this very write was sent twice: it is there, then.
        if (attempt(409, () -> container.createItem(item, key(n), new CosmosItemRequestOptions())) != Outcome.UNKNOWN) {
            acknowledged.add(n);
        }
    }

    private Outcome read(int n) {
        Outcome outcome = attempt(404, () -> {
            ObjectNode found = container.readItem(id(n), key(n), ObjectNode.class).getItem();
            if (found.get("n").asInt() != n) {
                wrong(id(n) + " is " + found);
            }
        });
        if (outcome == Outcome.REFUSED) {
            wrong(id(n) + " is lost");
        }
        return outcome;
    }

    private String counter() {
        return "counter-" + writer;
    }

    private ObjectNode counterAt(int count) {
        return Account.item(counter(), counter()).put("count", count);
    }

    private void findCounter() {
        Outcome outcome = attempt(404, () -> {
            CosmosItemResponse<ObjectNode> response = container.readItem(counter(), new PartitionKey(counter()), ObjectNode.class);
            int count = response.getItem().get("count").asInt();
            if (count < least || count > most) {
                wrong("the counter is " + count + ", not from " + least + " to " + most);
            }
            etag = response.getETag();
            least = count;
        });
        if (outcome == Outcome.REFUSED) {
            if (least > 0) {
                wrong("the counter is lost");
            }
            attempt(409, () -> container.createItem(counterAt(0)));
        }
    }

    /** On condition that it is as it was read: an increment that comes late cannot undo what came after. */
    private void increment() {
        if (etag == null) {
            findCounter();
            return;
        }
        CosmosItemRequestOptions options = new CosmosItemRequestOptions().setIfMatchETag(etag);
        most = least + 1;
        etag = null;
        attempt(412, () -> {
            etag = container.replaceItem(counterAt(most), counter(), new PartitionKey(counter()), options).getETag();
            least = most;
        });
    }

    private void work() throws InterruptedException {
        create();
        increment();
        if (!acknowledged.isEmpty()) {
            read(acknowledged.get(random.nextInt(acknowledged.size())));
        }
        Thread.sleep(PAUSE_MS);
    }

    private void readAllAgain() throws InterruptedException {
        for (int n : acknowledged) {
            int tries = 1;
            while (read(n) == Outcome.UNKNOWN) {
                if (++tries > FINAL_TRIES) {
                    wrong(id(n) + " cannot be read");
                    return;
                }
                Thread.sleep(PAUSE_MS);
            }
        }
        findCounter();
    }

    private void live(BooleanSupplier isOver) {
        try {
            while (!isOver.getAsBoolean()) {
                work();
            }
            readAllAgain();
        } catch (InterruptedException | RuntimeException defect) {
            wrong("the program ended with " + defect);
        }
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
        // Without a bound of its own the client now and then waits for ever for an operation whose connection has ended (seen twice in some
        // thirty faults): nobody wakes its thread, through further restarts of the server, too.
        CosmosClient client = Account.builder(Account.KEY)
                .endToEndOperationLatencyPolicyConfig(new CosmosEndToEndOperationLatencyPolicyConfigBuilder(OPERATION_MAX).build())
                .buildClient();
        CosmosContainer container = client.getDatabase(arguments[0]).getContainer(arguments[1]);
        AtomicBoolean isOver = new AtomicBoolean();
        List<Ledger> ledgers = IntStream.range(0, WRITERS).mapToObj(writer -> new Ledger(writer, container)).toList();
        List<Thread> threads = ledgers.stream().map(ledger -> new Thread(() -> ledger.live(isOver::get))).toList();
        threads.forEach(Thread::start);
        while (System.in.read() >= 0) {
            // Nothing is said to it.
        }
        isOver.set(true);
        for (Thread thread : threads) {
            thread.join();
        }
        say("end " + ledgers.stream().mapToInt(ledger -> ledger.acknowledged.size()).sum());
        System.exit(0);
    }
}
