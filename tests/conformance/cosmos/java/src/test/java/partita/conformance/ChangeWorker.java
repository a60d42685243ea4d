package partita.conformance;

import com.azure.cosmos.ChangeFeedProcessor;
import com.azure.cosmos.ChangeFeedProcessorBuilder;
import com.azure.cosmos.CosmosAsyncClient;
import com.azure.cosmos.CosmosAsyncDatabase;
import com.azure.cosmos.models.ChangeFeedProcessorOptions;
import java.io.BufferedReader;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A change feed processor in a process of its own, so that it can be killed. It writes the number of each document that it is told of. */
final class ChangeWorker implements AutoCloseable {
    private final Set<Integer> seen = ConcurrentHashMap.newKeySet();
    private final Process process;

    ChangeWorker(String name, String database, String watched, String leases) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        // What tells this process how to reach the account tells the other.
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream().filter(option -> option.startsWith("-D")).forEach(command::add);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), ChangeWorker.class.getName(), name, database, watched, leases));
        process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        Thread reader = new Thread(this::read);
        reader.setDaemon(true);
        reader.start();
    }

    private void read() {
        try (BufferedReader lines = process.inputReader()) {
            lines.lines().forEach(line -> seen.add(Integer.valueOf(line)));
        } catch (IOException | RuntimeException ended) {
            // What a killed process had half written is nothing that it was told of.
        }
    }

    Set<Integer> seen() {
        return seen;
    }

    boolean isRunning() {
        return process.isAlive();
    }

    /** It gets no chance to give its leases back. */
    void kill() {
        process.destroyForcibly().onExit().join();
    }

    @Override
    public void close() {
        kill();
    }

    /** What the process does, until its standard input ends: a processor with leases that change hands within seconds. */
    public static void main(String[] arguments) throws IOException {
        CosmosAsyncClient client = Account.builder(Account.KEY).buildAsyncClient();
        CosmosAsyncDatabase database = client.getDatabase(arguments[1]);
        ChangeFeedProcessor processor = new ChangeFeedProcessorBuilder()
            .hostName(arguments[0])
            .feedContainer(database.getContainer(arguments[2]))
            .leaseContainer(database.getContainer(arguments[3]))
            .options(new ChangeFeedProcessorOptions()
                .setStartFromBeginning(true)
                .setMaxItemCount(10)
                .setFeedPollDelay(Duration.ofMillis(500))
                .setLeaseAcquireInterval(Duration.ofSeconds(1))
                .setLeaseRenewInterval(Duration.ofSeconds(1))
                .setLeaseExpirationInterval(Duration.ofSeconds(5)))
            .handleLatestVersionChanges(changes -> changes.forEach(change -> System.out.println(change.getCurrent().get("n").asInt())))
            .buildChangeFeedProcessor();
        processor.start().block();
        while (System.in.read() >= 0) {
            // Nothing is said to it.
        }
        System.exit(0);
    }
}
