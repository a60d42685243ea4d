using System;
using System.Collections.Generic;
using System.Linq;
using System.Net;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.Azure.Cosmos;

namespace Conformance.Reshapes
{
    /// <summary>A container gets another partition key while a program works with it: the SDK finds the new key of what is written by itself.</summary>
    [Long]
    public sealed class Rekeys : Cases
    {
        private const int Changes = 4;
        private const int OperationsBetweenChanges = 20;
        private const int StillCount = 60;

        private int done;
        /// <summary>Of the key: odd while one is under way.</summary>
        private int changes;
        private int queriesBetween;

        private sealed class Owned
        {
            public string id { get; set; }
            public string pk { get; set; }
            public string tenant { get; set; }
            public int n { get; set; }

            public string Under(string path) => path == "/pk" ? pk : tenant;

            public static Owned Of(string id, int key, int n) =>
                new Owned { id = id, pk = $"key {key % 25}", tenant = $"tenant {key % 5}", n = n };
        }

        public async Task Writers_and_queries_go_on_with_the_clients_that_they_have()
        {
            await Admin.MustBeThere();
            Container container = await NewWideContainer();
            await Task.WhenAll(Enumerable.Range(0, StillCount).Select(n => container.CreateItemAsync(Owned.Of($"still-{n}", n, n * 37 % StillCount))));
            bool isOver = false;
            var model = new Dictionary<string, int>();
            using (CosmosClient other = Account.NewClient())
            {
                Container queried = other.GetContainer(container.Database.Id, container.Id);
                Task writing = Write(container, model, () => Volatile.Read(ref isOver));
                Task querying = QueryInOrder(queried, () => Volatile.Read(ref isOver));
                try
                {
                    for (int change = 1; change <= Changes; change++)
                    {
                        int queriesBefore = Volatile.Read(ref queriesBetween);
                        bool IsBehind() => Volatile.Read(ref done) < change * OperationsBetweenChanges || Volatile.Read(ref queriesBetween) == queriesBefore;
                        while (!writing.IsCompleted && !querying.IsCompleted && IsBehind()) await Task.Delay(1);
                        Interlocked.Increment(ref changes);
                        await Admin.Rekey(container, change % 2 == 1 ? "/tenant" : "/pk");
                        Interlocked.Increment(ref changes);
                    }
                }
                finally
                {
                    Volatile.Write(ref isOver, true);
                    await Task.WhenAll(writing, querying);
                }
                foreach (Container each in new[] { container, queried }) await MustFind(each, model);
            }
        }

        /// <summary>Documents that nobody changes come complete and in order. Only a query that was under way when the key changed may be refused.</summary>
        private async Task QueryInOrder(Container container, Func<bool> isOver)
        {
            var options = new QueryRequestOptions { MaxItemCount = 7, MaxConcurrency = -1 };
            while (!isOver())
            {
                int before = Volatile.Read(ref changes);
                List<int> found = null;
                try
                {
                    found = await container.Query<int>("SELECT VALUE c.n FROM c WHERE STARTSWITH(c.id, 'still') ORDER BY c.n", options);
                }
                catch (CosmosException refusal) when (
                    refusal.StatusCode == HttpStatusCode.BadRequest && refusal.Message.Contains("another partition key") && !IsUndisturbed(before))
                {
                }
                if (!IsUndisturbed(before)) continue;
                Check.Equal(Enumerable.Range(0, StillCount), found);
                Interlocked.Increment(ref queriesBetween);
            }
        }

        private bool IsUndisturbed(int before) => before % 2 == 0 && Volatile.Read(ref changes) == before;

        private async Task Write(Container container, IDictionary<string, int> model, Func<bool> isOver)
        {
            for (int n = 0; !isOver(); n++)
            {
                Owned document = Owned.Of($"w-{n % 25}", n, n);
                await container.UpsertItemAsync(document);
                model[document.id] = n;
                Check.Equal(n, (await Read(container, document)).n);
                Interlocked.Increment(ref done);
            }
        }

        /// <summary>Under the key that the container has; what was written is always there.</summary>
        private static async Task<Owned> Read(Container container, Owned document)
        {
            for (int attempt = 0; ; attempt++)
            {
                string path = (await container.ReadContainerAsync()).Resource.PartitionKeyPath;
                try
                {
                    return await container.ReadItemAsync<Owned>(document.id, new PartitionKey(document.Under(path)));
                }
                catch (CosmosException failure) when (failure.StatusCode == HttpStatusCode.NotFound && attempt < 2)
                {
                }
            }
        }

        private static async Task MustFind(Container container, IDictionary<string, int> model)
        {
            List<Owned> rows = await container.Query<Owned>("SELECT c.id, c.n FROM c WHERE STARTSWITH(c.id, 'w')", default(QueryRequestOptions));
            Check.Equal(
                model.OrderBy(row => row.Key, StringComparer.Ordinal),
                rows.Select(row => KeyValuePair.Create(row.id, row.n)).OrderBy(row => row.Key, StringComparer.Ordinal));
        }
    }
}
