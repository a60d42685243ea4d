using System;
using System.Collections.Generic;
using System.Linq;
using System.Net;
using System.Threading.Tasks;
using Microsoft.Azure.Cosmos;

namespace Conformance.Consistency
{
    /// <summary>The same program on accounts of every consistency level, with two clients: one writes, the other reads.</summary>
    public sealed class ConsistencyLevels : Cases
    {
        private static readonly PartitionKey X = new PartitionKey("x");

        private static Thing New(int n) => new Thing { Id = "a", Pk = "x", N = n };

        /// <summary>Lets `work` have the two clients' views of a container on each account.</summary>
        private static Task OnEveryAccount(Func<LeveledAccount, Container, Container, Task> work) =>
            Task.WhenAll(LeveledAccount.All.Select(async account =>
            {
                using (CosmosClient writer = account.NewClient())
                using (CosmosClient reader = account.NewClient())
                {
                    Database database = (await writer.CreateDatabaseAsync(Account.UniqueId("consistency-net"))).Database;
                    try
                    {
                        Container written = (await database.CreateContainerAsync("c", "/pk", 10000)).Container;
                        await work(account, written, reader.GetContainer(database.Id, "c"));
                    }
                    catch (Exception problem)
                    {
                        throw new CheckFailedException($"On an account with {account.Level}: {problem}");
                    }
                    finally
                    {
                        await database.DeleteAsync();
                    }
                }
            }));

        public Task Items_are_written_read_and_queried() => OnEveryAccount(async (account, written, read) =>
        {
            Check.Equal(account.Level, (await written.Database.Client.ReadAccountAsync()).Consistency.DefaultConsistencyLevel);
            await Check.Fails(HttpStatusCode.NotFound, () => read.ReadItemAsync<Thing>("a", X), 0);
            string etag = (await written.CreateItemAsync(New(1), X)).ETag;
            Check.Equal(etag, (await written.ReadItemAsync<Thing>("a", X)).ETag);
            await written.ReplaceItemAsync(New(2), "a", X, new ItemRequestOptions { IfMatchEtag = etag });
            await Check.Fails(HttpStatusCode.PreconditionFailed, () => written.DeleteItemAsync<Thing>("a", X, new ItemRequestOptions { IfMatchEtag = etag }));
            await written.UpsertItemAsync(new Thing { Id = "b", Pk = "y", N = 3 });
            Check.Equal(new[] { 2, 3 }, await written.Query<int>("SELECT VALUE c.n FROM c ORDER BY c.n"));
            Check.Equal(new[] { 2 }, await written.Query<int>("SELECT VALUE c.n FROM c", new QueryRequestOptions { PartitionKey = X }));
            await written.DeleteItemAsync<Thing>("a", X);
            await Check.Fails(HttpStatusCode.NotFound, () => written.ReadItemAsync<Thing>("a", X), 0);
        });

        public Task A_session_goes_on_in_another_client() => OnEveryAccount(async (account, written, read) =>
        {
            for (int n = 0; n < 20; n++)
            {
                string session = (await written.UpsertItemAsync(New(n), X)).Headers.Session;
                // On an account that is weaker than Session the token is no promise, but must do no harm.
                bool isPromised = account.Allowed.Contains(ConsistencyLevel.Session);
                var level = isPromised ? ConsistencyLevel.Session : account.Level;
                var options = new ItemRequestOptions { SessionToken = session, ConsistencyLevel = level };
                int found = (await read.ReadItemAsync<Thing>("a", X, options)).Resource.N;
                Check.True(found == n || (!isPromised && found < n), $"{found} was read, {n} had been written");
                var page = new QueryRequestOptions { SessionToken = session, ConsistencyLevel = level, PartitionKey = X };
                int queried = (await read.Query<int>("SELECT VALUE c.n FROM c", page)).Single();
                Check.True(queried == n || (!isPromised && queried < n), $"{queried} was found, {n} had been written");
            }
        });

        public Task A_request_may_ask_for_less_than_the_account_has_and_pays_less_but_not_for_more() => OnEveryAccount(async (account, written, read) =>
        {
            await written.CreateItemAsync(New(1), X);
            foreach (ConsistencyLevel level in account.Allowed)
            {
                var options = new ItemRequestOptions { ConsistencyLevel = level };
                ItemResponse<Thing> found = await written.ReadItemAsync<Thing>("a", X, options);
                Check.Equal(1, found.Resource.N);
                Check.Equal(LeveledAccount.IsQuorum(level) ? 2.0 : 1.0, found.RequestCharge, $"what {level} costs:");
                var all = new QueryRequestOptions { ConsistencyLevel = level };
                Check.Equal(new[] { 1 }, await written.Query<int>("SELECT VALUE c.n FROM c", all));
            }
            foreach (ConsistencyLevel level in account.Stronger)
            {
                var options = new ItemRequestOptions { ConsistencyLevel = level };
                await MustBeRefused(() => read.ReadItemAsync<Thing>("a", X, options), level);
                var all = new QueryRequestOptions { ConsistencyLevel = level };
                await MustBeRefused(() => read.Query<int>("SELECT VALUE c.n FROM c", all), level);
            }
        });

        /// <summary>By the client itself or by the account.</summary>
        private static async Task MustBeRefused(Func<Task> request, ConsistencyLevel level)
        {
            try
            {
                await request();
            }
            catch (ArgumentException)
            {
                return;
            }
            catch (CosmosException failure) when (failure.StatusCode == HttpStatusCode.BadRequest)
            {
                return;
            }
            throw new CheckFailedException($"{level} is served");
        }

        public Task What_was_acknowledged_is_read_while_more_is_written() => OnEveryAccount(
            (account, written, read) => new WritersAndReaders(account, written, read).Run());
    }
}
