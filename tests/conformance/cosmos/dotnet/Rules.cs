using System;
using System.Linq;
using System.Net;
using System.Threading.Tasks;
using Microsoft.Azure.Cosmos;

namespace Conformance
{
    /// <summary>What a container demands of its items, and what it gives.</summary>
    public sealed class Rules : Cases
    {
        private static readonly PartitionKey X = new PartitionKey("x");

        public async Task A_unique_key_holds_within_a_partition_key()
        {
            var properties = new ContainerProperties(Account.UniqueId("c"), "/pk");
            var key = new UniqueKey();
            key.Paths.Add("/text");
            properties.UniqueKeyPolicy.UniqueKeys.Add(key);
            Container container = await NewContainer(properties);
            await container.CreateItemAsync(new Thing { Id = "a", Pk = "x", Text = "t" });
            await Check.Fails(HttpStatusCode.Conflict, () => container.CreateItemAsync(new Thing { Id = "b", Pk = "x", Text = "t" }));
            await container.CreateItemAsync(new Thing { Id = "a", Pk = "y", Text = "t" });
            await container.CreateItemAsync(new Thing { Id = "b", Pk = "x", Text = "u" });
            await Check.Fails(HttpStatusCode.Conflict, () => container.ReplaceItemAsync(new Thing { Id = "b", Pk = "x", Text = "t" }, "b"));
        }

        public async Task An_item_lives_for_as_long_as_it_or_its_container_says()
        {
            Container container = await NewContainer(new ContainerProperties(Account.UniqueId("c"), "/pk") { DefaultTimeToLive = 1 });
            await container.CreateItemAsync(new { id = "default", pk = "x" }, X);
            await container.CreateItemAsync(new { id = "never", pk = "x", ttl = -1 }, X);
            await container.CreateItemAsync(new { id = "long", pk = "x", ttl = 1000 }, X);
            HttpStatusCode status = HttpStatusCode.OK;
            while (status != HttpStatusCode.NotFound)
            {
                await Task.Delay(100);
                using (ResponseMessage read = await container.ReadItemStreamAsync("default", X)) status = read.StatusCode;
            }
            Check.Equal(new[] { "long", "never" }, await container.Query<string>("SELECT VALUE c.id FROM c ORDER BY c.id"));
        }

        public async Task Who_exceeds_the_throughput_gets_429_and_when_to_come_back()
        {
            Container container = await NewContainer("/pk", 400);
            using (CosmosClient client = Account.NewClient(options => options.MaxRetryAttemptsOnRateLimitedRequests = 0))
            {
                Container impatient = client.GetContainer(container.Database.Id, container.Id);
                CosmosException refusal = await Check.Fails(HttpStatusCode.TooManyRequests, () => Overdraw(impatient), 3200);
                Check.True(refusal.RetryAfter > TimeSpan.Zero && refusal.RetryAfter <= TimeSpan.FromSeconds(5), $"{refusal.RetryAfter}");
                Check.True(refusal.ActivityId != null, "an activity");
            }
        }

        private static async Task Overdraw(Container container)
        {
            for (int i = 0; i < 100; i++) await container.UpsertItemAsync(new Thing { Id = "a", Pk = "x", Text = new string('t', 1_500_000) });
        }

        public async Task The_SDKs_own_retries_succeed_in_the_end()
        {
            Container container = await NewContainer("/pk", 400);
            foreach (string id in new[] { "a", "b" })
            {
                ItemResponse<Thing> written = await container.CreateItemAsync(new Thing { Id = id, Pk = "x", Text = new string('t', 1_500_000) });
                Check.Equal(HttpStatusCode.Created, written.StatusCode);
                if (id == "b") Check.Contains("429", written.Diagnostics.ToString());
            }
        }

        public async Task A_weaker_consistency_is_accepted_and_a_stronger_one_is_not()
        {
            Container container = await NewContainer();
            await container.CreateItemAsync(new Thing { Id = "a", Pk = "x", N = 1 });
            foreach (ConsistencyLevel level in new[] { ConsistencyLevel.Eventual, ConsistencyLevel.ConsistentPrefix, ConsistencyLevel.Session })
            {
                var options = new ItemRequestOptions { ConsistencyLevel = level };
                Check.Equal(1, (await container.ReadItemAsync<Thing>("a", X, options)).Resource.N);
            }
            AccountProperties account = await Account.Client.ReadAccountAsync();
            if (account.Consistency.DefaultConsistencyLevel == ConsistencyLevel.Strong) return;
            var strong = new ItemRequestOptions { ConsistencyLevel = ConsistencyLevel.Strong };
            try
            {
                await container.ReadItemAsync<Thing>("a", X, strong);
            }
            catch (ArgumentException)
            {
                return;
            }
            throw new CheckFailedException("a strong read of a weaker account succeeded");
        }
    }
}
