using System;
using System.Collections.Generic;
using System.Linq;
using System.Net;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.Azure.Cosmos;
using Microsoft.Azure.Cosmos.Scripts;

namespace Conformance.Reshapes
{
    public sealed class Moving
    {
        public string id { get; set; }
        public string pk { get; set; }
        public string kind { get; set; } = "moving";
        public int n { get; set; }
    }

    /// <summary>
    /// Each works with documents of its own until `isOver`, with one kind of request, and has what must be there in its model. What
    /// increments tells also whether anything happened twice.
    /// </summary>
    public sealed class Workers
    {
        private const int Keys = 20;
        private const int FirstCallsMax = 30;
        private const int BulkSize = 60;
        /// <summary>A round of a bulk worker has its own numbers, so that the documents' numbers only rise.</summary>
        private const int BulkStep = 10;

        private const string CountInScript = @"function (id, pk, kind) {
            const collection = getContext().getCollection();
            const query = { query: 'SELECT * FROM c WHERE c.id = @id', parameters: [{ name: '@id', value: id }] };
            if (!collection.queryDocuments(collection.getSelfLink(), query, {}, (error, found) => {
                if (error) throw error;
                const document = found[0] || { id, pk, kind, n: 0 };
                ++document.n;
                if (!collection.upsertDocument(collection.getSelfLink(), document, error => { if (error) throw error; })) throw new Error('no time');
                getContext().getResponse().setBody(document.n);
            })) throw new Error('no time');
        }";

        private readonly Container container;
        private readonly Func<bool> isOver;

        private Workers(Container container, Func<bool> isOver)
        {
            this.container = container;
            this.isOver = isOver;
        }

        public Dictionary<string, int> Model { get; } = new Dictionary<string, int>();

        /// <summary>Ends when it has ended, or with what went wrong.</summary>
        public Task Work { get; private set; }

        /// <summary>How often it has begun anew.</summary>
        private int rounds;

        public static async Task<List<Workers>> Start(Container container, Func<bool> isOver)
        {
            await container.Scripts.CreateStoredProcedureAsync(new StoredProcedureProperties("count", CountInScript));
            await WaitForScripts(container);
            return new Func<Workers, Task>[] { one => one.Bulk(), one => one.Batch(), one => one.Procedure(), one => one.Patch() }
                .Select(start =>
                {
                    var worker = new Workers(container, isOver);
                    worker.Work = start(worker);
                    return worker;
                })
                .ToList();
        }

        /// <summary>The first call starts a process, which can take longer than the client waits while the machine is busy.</summary>
        private static async Task WaitForScripts(Container container)
        {
            for (int call = 1; ; call++)
            {
                try
                {
                    await Count(container, "first", "first", "first");
                    return;
                }
                catch (CosmosException failure) when (
                    call < FirstCallsMax
                    && (failure.StatusCode == HttpStatusCode.RequestTimeout || failure.StatusCode == HttpStatusCode.ServiceUnavailable))
                {
                }
            }
        }

        private static async Task<int> Count(Container container, string id, string pk, string kind) =>
            await container.Scripts.ExecuteStoredProcedureAsync<int>("count", new PartitionKey(pk), new dynamic[] { id, pk, kind });

        /// <summary>Until each that goes on at all has begun anew, so that none sleeps through what happens to the partitions.</summary>
        public static async Task LetAllGoOn(List<Workers> workers)
        {
            List<(Workers Worker, int Rounds)> before = workers.Select(worker => (worker, Volatile.Read(ref worker.rounds))).ToList();
            while (before.Any(one => !one.Worker.Work.IsCompleted && Volatile.Read(ref one.Worker.rounds) == one.Rounds)) await Task.Delay(1);
        }

        private bool GoesOn()
        {
            Interlocked.Increment(ref rounds);
            return !isOver();
        }

        private static string Key(int n) => $"key {n % Keys}";

        /// <summary>Its requests go to ranges, each with operations for many keys.</summary>
        private async Task Bulk()
        {
            using (CosmosClient client = Account.NewClient(options => options.AllowBulkExecution = true))
            {
                Container bulk = client.GetContainer(container.Database.Id, container.Id);
                for (int round = 1; GoesOn(); round++)
                {
                    List<Moving> items = Enumerable.Range(0, BulkSize)
                        .Select(n => new Moving { id = $"bulk-{n}", pk = Key(n), n = round * BulkStep }).ToList();
                    await Task.WhenAll(items.Select(item => bulk.UpsertItemAsync(item, new PartitionKey(item.pk))));
                    PatchOperation[] increment = { PatchOperation.Increment("/n", 1) };
                    ItemResponse<Moving>[] patched =
                        await Task.WhenAll(items.Select(item => bulk.PatchItemAsync<Moving>(item.id, new PartitionKey(item.pk), increment)));
                    foreach (ItemResponse<Moving> one in patched)
                    {
                        Check.Equal(round * BulkStep + 1, one.Resource.n, $"{one.Resource.id}, incremented in bulk, is");
                        Model[one.Resource.id] = one.Resource.n;
                    }
                }
            }
        }

        private async Task Batch()
        {
            for (int n = 1; GoesOn(); n++)
            {
                string pk = Key(n);
                string left = $"batch-left {pk}";
                string right = $"batch-right {pk}";
                using (TransactionalBatchResponse response = await container.CreateTransactionalBatch(new PartitionKey(pk))
                    .UpsertItem(new Moving { id = left, pk = pk, n = n })
                    .UpsertItem(new Moving { id = right, pk = pk, n = n - 1 })
                    .PatchItem(right, new[] { PatchOperation.Increment("/n", 1) })
                    .ReadItem(left)
                    .ExecuteAsync())
                {
                    Check.Equal(HttpStatusCode.OK, response.StatusCode, response.ErrorMessage);
                    Check.Equal(n, response.GetOperationResultAtIndex<Moving>(2).Resource.n, "incremented in a batch:");
                    Check.Equal(n, response.GetOperationResultAtIndex<Moving>(3).Resource.n, "read in a batch:");
                }
                Model[left] = Model[right] = n;
            }
        }

        private async Task Procedure()
        {
            for (int n = 0; GoesOn(); n++)
            {
                string pk = Key(n);
                string id = $"script {pk}";
                int counted = await Count(container, id, pk, "moving");
                Check.Equal(n / Keys + 1, counted, $"{id}, counted by a procedure, is");
                Model[id] = counted;
            }
        }

        private async Task Patch()
        {
            for (int n = 0; n < Keys; n++) await container.CreateItemAsync(new Moving { id = $"patched {Key(n)}", pk = Key(n) });
            PatchOperation[] increment = { PatchOperation.Increment("/n", 1) };
            for (int n = 0; GoesOn() || n < Keys; n++)
            {
                string pk = Key(n);
                string id = $"patched {pk}";
                Moving patched = await container.PatchItemAsync<Moving>(id, new PartitionKey(pk), increment);
                Check.Equal(n / Keys + 1, patched.n, $"{id}, incremented, is");
                Model[id] = patched.n;
            }
        }
    }
}
