package partita.conformance;

import com.azure.cosmos.ConsistencyLevel;
import com.azure.cosmos.CosmosClient;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** An account and its consistency level: the judged one, which is taken for one with Session, and those that the environment adds. */
record LeveledAccount(ConsistencyLevel level, String endpoint) {
    /** The strongest first. */
    private static final List<ConsistencyLevel> LEVELS = List.of(
        ConsistencyLevel.STRONG, ConsistencyLevel.BOUNDED_STALENESS, ConsistencyLevel.SESSION,
        ConsistencyLevel.CONSISTENT_PREFIX, ConsistencyLevel.EVENTUAL);

    static Stream<LeveledAccount> all() {
        String told = "Session=" + Account.ENDPOINT + " " + Account.environment("PARTITA_OTHER_ACCOUNTS", "");
        return Arrays.stream(told.trim().split(" +")).map(each -> each.split("=", 2))
            .map(parts -> new LeveledAccount(levelOf(parts[0]), parts[1]));
    }

    private static ConsistencyLevel levelOf(String name) {
        return LEVELS.stream().filter(level -> level.toString().equals(name)).findFirst().orElseThrow();
    }

    /** What a request may ask for, the account's own level included. */
    List<ConsistencyLevel> allowed() {
        return LEVELS.subList(LEVELS.indexOf(level), LEVELS.size());
    }

    List<ConsistencyLevel> stronger() {
        return LEVELS.subList(0, LEVELS.indexOf(level));
    }

    /** Whether clients in direct mode read from two replicas and compare what they say. */
    boolean isReadByQuorum() {
        return Account.IS_DIRECT && isQuorum(level);
    }

    static boolean isQuorum(ConsistencyLevel level) {
        return level == ConsistencyLevel.STRONG || level == ConsistencyLevel.BOUNDED_STALENESS;
    }

    CosmosClient open() {
        return Account.builder(endpoint, Account.KEY).buildClient();
    }

    @Override
    public String toString() {
        return level.toString();
    }
}
