using System;
using System.Collections.Generic;
using System.Linq;
using System.Net;
using System.Threading.Tasks;
using Microsoft.Azure.Cosmos;

namespace Conformance.Changes
{
    public sealed class ChangeFeeds : Cases
    {
        /// <summary>All pages up to the first that says that nothing is new, and the position then.</summary>
        private static async Task<(List<Thing>, string)> Drain(Container container, ChangeFeedStartFrom start, int pageSize = 100)
        {
            var things = new List<Thing>();
            var options = new ChangeFeedRequestOptions { PageSizeHint = pageSize };
            using (FeedIterator<Thing> pages = container.GetChangeFeedIterator<Thing>(start, ChangeFeedMode.Incremental, options))
            {
                while (pages.HasMoreResults)
                {
                    FeedResponse<Thing> page = await pages.ReadNextAsync();
                    if (page.StatusCode == HttpStatusCode.NotModified) return (things, page.ContinuationToken);
                    things.AddRange(page);
                }
            }
            throw new CheckFailedException("a change feed never ends");
        }

        private static Task Write(Container container, int from, int to) => Task.WhenAll(Enumerable.Range(from, to - from).Select(
            n => container.UpsertItemAsync(new Thing { Id = $"i{n}", Pk = $"k{n % 9}", N = n })));

        public async Task Every_document_comes_once_and_the_feed_goes_on_from_its_position()
        {
            Container container = await NewWideContainer();
            await Write(container, 0, 40);
            (List<Thing> first, string position) = await Drain(container, ChangeFeedStartFrom.Beginning(), 7);
            Check.Equal(Enumerable.Range(0, 40), first.Select(thing => thing.N).OrderBy(n => n));
            await Write(container, 40, 55);
            (List<Thing> second, string _) = await Drain(container, ChangeFeedStartFrom.ContinuationToken(position));
            Check.Equal(Enumerable.Range(40, 15), second.Select(thing => thing.N).OrderBy(n => n));
        }

        public async Task A_feed_of_one_key_follows_the_order_of_its_writes()
        {
            Container container = await NewContainer();
            foreach (int n in new[] { 3, 1, 2 }) await container.CreateItemAsync(new Thing { Id = $"i{n}", Pk = "x", N = n });
            await container.CreateItemAsync(new Thing { Id = "stranger", Pk = "y" });
            await container.UpsertItemAsync(new Thing { Id = "i3", Pk = "x", N = 4 });
            FeedRange key = FeedRange.FromPartitionKey(new PartitionKey("x"));
            (List<Thing> found, string _) = await Drain(container, ChangeFeedStartFrom.Beginning(key));
            Check.Equal(new[] { 1, 2, 4 }, found.Select(thing => thing.N));
        }

        public async Task A_feed_that_starts_now_knows_nothing_of_before()
        {
            Container container = await NewContainer();
            await Write(container, 0, 5);
            (List<Thing> before, string position) = await Drain(container, ChangeFeedStartFrom.Now());
            Check.Equal(0, before.Count);
            await Write(container, 5, 7);
            (List<Thing> after, string _) = await Drain(container, ChangeFeedStartFrom.ContinuationToken(position));
            Check.Equal(new[] { 5, 6 }, after.Select(thing => thing.N).OrderBy(n => n));
        }

        public async Task A_feed_that_starts_at_a_time_knows_what_came_since()
        {
            Container container = await NewContainer();
            await Write(container, 0, 5);
            (List<Thing> all, string _) = await Drain(container, ChangeFeedStartFrom.Time(DateTime.UtcNow.AddMinutes(-5)));
            Check.Equal(5, all.Count);
        }

        public async Task Feed_ranges_are_read_by_different_readers_and_miss_nothing()
        {
            Container container = await NewWideContainer();
            await Write(container, 0, 40);
            var found = new List<int>();
            foreach (FeedRange range in await container.GetFeedRangesAsync())
            {
                found.AddRange((await Drain(container, ChangeFeedStartFrom.Beginning(range))).Item1.Select(thing => thing.N));
            }
            Check.Equal(Enumerable.Range(0, 40), found.OrderBy(n => n));
        }

        public async Task A_position_from_before_a_split_and_a_merge_misses_nothing()
        {
            await Admin.MustBeThere();
            Container container = await NewContainer();
            await Write(container, 0, 20);
            (List<Thing> _, string position) = await Drain(container, ChangeFeedStartFrom.Beginning());
            await Write(container, 20, 30);
            List<string> children = await Admin.Reshape("split", container, "0");
            await Write(container, 30, 40);
            (List<Thing> found, string later) = await Drain(container, ChangeFeedStartFrom.ContinuationToken(position), 3);
            Check.Equal(Enumerable.Range(20, 20), found.Select(thing => thing.N).OrderBy(n => n));
            await Write(container, 40, 50);
            await Admin.Reshape("merge", container, children[0]);
            await Write(container, 50, 60);
            (List<Thing> last, string _) = await Drain(container, ChangeFeedStartFrom.ContinuationToken(later), 3);
            // Of partitions that are merged, what one has told already may come again with what is new from the other.
            Check.Equal(Enumerable.Range(40, 20), last.Select(thing => thing.N).Where(n => n >= 40).Distinct().OrderBy(n => n));
        }
    }
}
