using System.Collections.Generic;
using System.Linq;
using System.Net;
using System.Threading.Tasks;
using Microsoft.Azure.Cosmos;

namespace Conformance.Queries
{
    public sealed class Paging : OrderCases
    {
        /// <summary>Each page with a new iterator from the continuation of the one before.</summary>
        private async Task<List<string>> PageByPage(string query, int pageSize)
        {
            Container container = await Filled;
            var rows = new List<string>();
            var options = new QueryRequestOptions { MaxItemCount = pageSize };
            string continuation = null;
            do
            {
                using (FeedIterator<string> pages = container.GetItemQueryIterator<string>(query, continuation, options))
                {
                    FeedResponse<string> page = await pages.ReadNextAsync();
                    Check.True(page.Count <= pageSize, $"a page of {page.Count}");
                    rows.AddRange(page);
                    continuation = page.ContinuationToken;
                }
            }
            while (continuation != null);
            return rows;
        }

        private async Task IsResumed(string query)
        {
            List<string> whole = await (await Filled).Query<string>(query, default(QueryRequestOptions));
            Check.Equal(whole, await PageByPage(query, 7));
        }

        public Task All_documents_are_resumed() => IsResumed("SELECT VALUE c.id FROM c");

        public Task A_filter_is_resumed() => IsResumed("SELECT VALUE c.id FROM c WHERE c.price > 10");

        public Task Within_one_key_it_is_resumed() => IsResumed("SELECT VALUE l.sku FROM c JOIN l IN c.lines WHERE c.pk = 'customer 3'");

        public async Task A_broken_continuation_is_400()
        {
            Container container = await Filled;
            await Check.Fails(
                HttpStatusCode.BadRequest,
                () => container.GetItemQueryIterator<string>("SELECT VALUE c.id FROM c ORDER BY c.number", "no token of ours").ReadNextAsync());
        }

        public async Task Feed_ranges_divide_the_rows()
        {
            Container container = await Filled;
            IReadOnlyList<FeedRange> ranges = await container.GetFeedRangesAsync();
            Check.Equal(3, ranges.Count);
            var rows = new List<string>();
            foreach (FeedRange range in ranges)
            {
                FeedRange same = FeedRange.FromJsonString(range.ToJsonString());
                var query = new QueryDefinition("SELECT VALUE c.id FROM c");
                rows.AddRange(await container.GetItemQueryIterator<string>(same, query).All());
            }
            Check.Equal(Orders.All.Select(o => o.Id).OrderBy(id => id), rows.OrderBy(id => id));
        }
    }
}
