using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.Azure.Cosmos;

namespace Conformance.Changes
{
    [Long]
    public sealed class ChangeProcessors : Cases
    {
        private const int Keys = 30;
        private const int More = 60;

        /// <summary>Writes new documents, one after the other, until `isDone`. How many there are now.</summary>
        private static async Task<int> WriteUntil(Container container, int from, Func<bool> isDone)
        {
            int n = from;
            for (; !isDone(); n++) await Write(container, n);
            return n;
        }

        private static async Task<int> WriteMore(Container container, int from)
        {
            for (int n = from; n < from + More; n++) await Write(container, n);
            return from + More;
        }

        private static async Task Write(Container container, int n)
        {
            await container.CreateItemAsync(new Thing { Id = $"i{n}", Pk = $"k{n % Keys}", N = n });
            await Task.Delay(10);
        }

        private static async Task Until(Func<bool> isTrue)
        {
            while (!isTrue()) await Task.Delay(50);
        }

        private async Task<(Container Watched, Container Leases)> Containers() =>
            (await NewWideContainer(), await NewContainer("/id", 4000));

        public async Task Two_workers_share_the_changes_and_when_one_is_killed_the_other_takes_over()
        {
            (Container watched, Container leases) = await Containers();
            using (var one = new ChangeWorker("one", watched, leases))
            using (var two = new ChangeWorker("two", watched, leases))
            {
                int before = await WriteUntil(watched, 0, () => one.Seen.Count > 5 && two.Seen.Count > 5);
                one.Kill();
                int all = await WriteMore(watched, before);
                await Until(() => Enumerable.Range(before, More).All(two.Seen.ContainsKey));
                await Until(() => Enumerable.Range(0, all).All(n => one.Seen.ContainsKey(n) || two.Seen.ContainsKey(n)));
                Check.True(two.IsRunning, "the other worker goes on");
            }
        }

        public async Task Two_workers_miss_nothing_while_partitions_are_split_and_merged()
        {
            await Admin.MustBeThere();
            (Container watched, Container leases) = await Containers();
            var seen = new ConcurrentDictionary<int, string>();
            List<ChangeFeedProcessor> workers = new[] { "one", "two" }.Select(name => ChangeWorker.Processor(name, watched, leases, things =>
            {
                foreach (Thing thing in things) seen[thing.N] = name;
            })).ToList();
            foreach (ChangeFeedProcessor worker in workers) await worker.StartAsync();
            int written = await WriteUntil(watched, 0, () => seen.Values.Distinct().Count() == 2);
            written = await WriteUntil(watched, written, IsOver(Reshape(watched)));
            written = await WriteMore(watched, written);
            await Until(() => Enumerable.Range(0, written).All(seen.ContainsKey));
            foreach (ChangeFeedProcessor worker in workers) await worker.StopAsync();
        }

        public async Task An_estimator_says_how_much_is_left()
        {
            (Container watched, Container leases) = await Containers();
            int seen = 0;
            ChangeFeedProcessor worker = ChangeWorker.Processor("one", watched, leases, things => Interlocked.Add(ref seen, things.Count));
            await worker.StartAsync();
            int before = await WriteUntil(watched, 0, () => seen > 0);
            await Until(() => seen >= before);
            await worker.StopAsync();
            await WriteMore(watched, before);
            ChangeFeedEstimator estimator = watched.GetChangeFeedEstimator("watch", leases);
            List<ChangeFeedProcessorState> states = await estimator.GetCurrentStateIterator().All();
            Check.Equal(3, states.Count);
            Check.Equal(More, states.Sum(state => state.EstimatedLag));
        }

        private static Func<bool> IsOver(Task task) => () =>
        {
            if (task.IsFaulted) task.GetAwaiter().GetResult();
            return task.IsCompleted;
        };

        private static async Task Reshape(Container container)
        {
            string first = (await Admin.Ranges(container))[0];
            string child = (await Admin.Reshape("split", container, first))[0];
            await Task.Delay(TimeSpan.FromSeconds(1));
            string merged = (await Admin.Reshape("merge", container, child))[0];
            await Task.Delay(TimeSpan.FromSeconds(1));
            await Admin.Reshape("split", container, merged);
        }
    }
}
