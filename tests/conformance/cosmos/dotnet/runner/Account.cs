using System;
using Microsoft.Azure.Cosmos;

namespace Conformance
{
    /// <summary>The judged account, and how the client is to talk to it, as the environment says.</summary>
    public static class Account
    {
        private const string WellKnownKey =
            "C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIw/Jw==";

        public static readonly string Endpoint =
            Environment.GetEnvironmentVariable("PARTITA_ENDPOINT") ?? "http://127.0.0.1:8081/";

        public static readonly string Key = Environment.GetEnvironmentVariable("PARTITA_KEY") ?? WellKnownKey;

        public static readonly bool IsDirect = Environment.GetEnvironmentVariable("PARTITA_CONNECTION_MODE") == "direct";

        private static readonly Lazy<CosmosClient> SharedClient = new Lazy<CosmosClient>(() => NewClient());

        /// <summary>One client for all cases, as the SDK wants it.</summary>
        public static CosmosClient Client => SharedClient.Value;

        public static CosmosClient NewClient(Action<CosmosClientOptions> change = null, string key = null) =>
            new CosmosClient(Endpoint, key ?? Key, Options(change));

        public static CosmosClientOptions Options(Action<CosmosClientOptions> change = null)
        {
            var options = new CosmosClientOptions
            {
                ConnectionMode = IsDirect ? ConnectionMode.Direct : ConnectionMode.Gateway,
            };
            change?.Invoke(options);
            return options;
        }

        public static string UniqueId(string prefix) => $"{prefix}-{Guid.NewGuid()}";
    }
}
