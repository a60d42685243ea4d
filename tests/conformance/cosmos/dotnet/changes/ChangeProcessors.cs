using System;
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

        public async Task Two_workers_share_the_changes_of_partitions_that_are_split_and_merged_and_when_one_is_killed_meanwhile_the_other_takes_over()
        {
            await Admin.MustBeThere();
            (Container watched, Container leases) = await Containers();
            using (var one = new ChangeWorker("one", watched, leases))
            using (var two = new ChangeWorker("two", watched, leases))
            {
                bool AreTold(int count) => Enumerable.Range(0, count).All(n => one.Seen.ContainsKey(n) || two.Seen.ContainsKey(n));
                int written = await WriteUntil(watched, 0, () => one.Seen.Count > 5 && two.Seen.Count > 5);
                Task<string> reshaped = SplitMergeAndSplit(watched);
                written = await WriteUntil(watched, written, () => reshaped.IsCompleted);
                string first = await reshaped;
                written = await WriteMore(watched, written);
                await Until(() => AreTold(written));
                Check.True(one.IsRunning && two.IsRunning, "both go on");
                Check.True(one.Seen.Count < written && two.Seen.Count < written, "both share");
                Task<List<string>> merged = Admin.Reshape("merge", watched, first);
                await Write(watched, written++);
                one.Kill();
                int before = written;
                written = await WriteUntil(watched, written, () => merged.IsCompleted);
                await merged;
                written = await WriteMore(watched, written);
                await Until(() => Enumerable.Range(before, written - before).All(two.Seen.ContainsKey));
                await Until(() => AreTold(written));
                Check.True(two.IsRunning, "the other worker goes on");
            }
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

        private static async Task<string> SplitMergeAndSplit(Container container)
        {
            string first = (await Admin.Ranges(container))[0];
            foreach (string kind in new[] { "split", "merge", "split" }) first = (await Admin.Reshape(kind, container, first))[0];
            return first;
        }
    }
}
