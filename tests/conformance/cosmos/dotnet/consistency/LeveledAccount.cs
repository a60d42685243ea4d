using System;
using System.Collections.Generic;
using System.Linq;
using Microsoft.Azure.Cosmos;

namespace Conformance.Consistency
{
    /// <summary>An account and its consistency level: the judged one, which is taken for one with Session, and those that the environment adds.</summary>
    public sealed class LeveledAccount
    {
        /// <summary>The strongest first.</summary>
        private static readonly ConsistencyLevel[] Levels =
        {
            ConsistencyLevel.Strong, ConsistencyLevel.BoundedStaleness, ConsistencyLevel.Session,
            ConsistencyLevel.ConsistentPrefix, ConsistencyLevel.Eventual,
        };

        private readonly string endpoint;

        private LeveledAccount(ConsistencyLevel level, string endpoint)
        {
            Level = level;
            this.endpoint = endpoint;
        }

        public static IReadOnlyList<LeveledAccount> All { get; } =
            $"Session={Account.Endpoint} {Environment.GetEnvironmentVariable("PARTITA_OTHER_ACCOUNTS")}"
                .Split(' ', StringSplitOptions.RemoveEmptyEntries)
                .Select(told => told.Split('=', 2))
                .Select(parts => new LeveledAccount(Enum.Parse<ConsistencyLevel>(parts[0]), parts[1]))
                .ToList();

        public ConsistencyLevel Level { get; }

        /// <summary>What a request may ask for, the account's own level included.</summary>
        public IEnumerable<ConsistencyLevel> Allowed => Levels.SkipWhile(level => level != Level);

        public IEnumerable<ConsistencyLevel> Stronger => Levels.TakeWhile(level => level != Level);

        /// <summary>Whether clients in direct mode read from two replicas and compare what they say.</summary>
        public bool IsReadByQuorum => Account.IsDirect && IsQuorum(Level);

        public static bool IsQuorum(ConsistencyLevel level) =>
            level == ConsistencyLevel.Strong || level == ConsistencyLevel.BoundedStaleness;

        public CosmosClient NewClient() => new CosmosClient(endpoint, Account.Key, Account.Options());
    }
}
