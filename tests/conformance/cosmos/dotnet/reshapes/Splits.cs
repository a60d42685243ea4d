using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;
using Microsoft.Azure.Cosmos;

namespace Conformance.Reshapes
{
    /// <summary>A program goes on while the partitions under it are split and merged: no error reaches it, no answer is wrong.</summary>
    [Long]
    public sealed class Splits : Cases
    {
        private const int Writers = 3;
        private const int StillCount = 60;

        public async Task Writers_of_every_kind_readers_and_queries_go_on_through_splits_and_merges()
        {
            await Admin.MustBeThere();
            Container container = await NewWideContainer();
            await Task.WhenAll(Enumerable.Range(0, StillCount).Select(n => container.CreateItemAsync(
                new Moving { id = $"still-{n}", pk = $"key {n % 20}", kind = "still", n = n * 37 % StillCount })));
            bool isOver = false;
            List<Workers> workers = await Workers.Start(container, () => isOver);
            var models = Enumerable.Range(0, Writers).Select(_ => new Dictionary<string, int>()).ToList();
            List<Task> work = models.Select((model, writer) => WriteAndRead(container, writer, model, () => isOver)).ToList();
            work.Add(QueryInOrder(container, () => isOver));
            work.Add(ReadMany(container, () => isOver));
            models.AddRange(workers.Select(worker => worker.Model));
            work.AddRange(workers.Select(worker => worker.Work));
            try
            {
                await Reshape(container, workers);
            }
            finally
            {
                isOver = true;
                await Task.WhenAll(work);
            }
            Dictionary<string, int> found = (await container.Query<Moving>("SELECT c.id, c.n FROM c WHERE c.kind = 'moving'"))
                .ToDictionary(row => row.id, row => row.n);
            Check.Equal(
                models.SelectMany(model => model).OrderBy(row => row.Key, StringComparer.Ordinal),
                found.OrderBy(row => row.Key, StringComparer.Ordinal));
        }

        private static async Task Reshape(Container container, List<Workers> workers)
        {
            string first = (await Admin.Ranges(container))[0];
            foreach (string kind in new[] { "split", "merge", "split", "split", "merge", "split" })
            {
                await Workers.LetAllGoOn(workers);
                first = (await Admin.Reshape(kind, container, first))[0];
            }
            await Workers.LetAllGoOn(workers);
        }

        /// <summary>Counts up documents of its own and reads every one back; `model` has what must be there.</summary>
        private static async Task WriteAndRead(Container container, int writer, IDictionary<string, int> model, Func<bool> isOver)
        {
            for (int n = 0; !isOver(); n++)
            {
                string pk = $"key {n % 20}";
                string id = $"w{writer}-{n % 25} {pk}";
                var key = new PartitionKey(pk);
                if (n % 9 == 8 && model.Remove(id))
                {
                    await container.DeleteItemAsync<Moving>(id, key);
                    continue;
                }
                await container.UpsertItemAsync(new Moving { id = id, pk = pk, n = n }, key);
                model[id] = n;
                Check.Equal(n, (await container.ReadItemAsync<Moving>(id, key)).Resource.n);
            }
        }

        /// <summary>Documents that nobody changes must always come complete and in order, page by page.</summary>
        private static async Task QueryInOrder(Container container, Func<bool> isOver)
        {
            var options = new QueryRequestOptions { MaxItemCount = 7, MaxConcurrency = -1 };
            do
            {
                Check.Equal(
                    Enumerable.Range(0, StillCount),
                    await container.Query<int>("SELECT VALUE c.n FROM c WHERE c.kind = 'still' ORDER BY c.n", options));
            }
            while (!isOver());
        }

        private static async Task ReadMany(Container container, Func<bool> isOver)
        {
            List<(string, PartitionKey)> wanted =
                Enumerable.Range(0, StillCount).Select(n => ($"still-{n}", new PartitionKey($"key {n % 20}"))).ToList();
            do
            {
                Check.Equal(StillCount, (await container.ReadManyItemsAsync<Moving>(wanted)).Count);
            }
            while (!isOver());
        }
    }
}
