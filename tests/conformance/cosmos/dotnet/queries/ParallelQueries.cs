using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;
using Microsoft.Azure.Cosmos;

namespace Conformance.Queries
{
    /// <summary>However many partitions are read at once, and however much is read ahead: the same rows in the same order.</summary>
    public sealed class ParallelQueries : OrderCases
    {
        private static readonly (int Concurrency, int Buffered, int Page)[] Settings =
        {
            (0, 0, -1), (1, 10, 7), (4, 100, 7), (-1, -1, -1), (-1, 1, 1), (10, 1000, 13),
        };

        private async Task IsAlike(string query)
        {
            Container container = await Filled;
            List<string> serial = null;
            foreach ((int concurrency, int buffered, int page) in Settings)
            {
                var options = new QueryRequestOptions
                {
                    MaxConcurrency = concurrency,
                    MaxBufferedItemCount = buffered,
                    MaxItemCount = page,
                };
                List<string> found = await container.Query<string>(query, options);
                serial ??= found;
                Check.Equal(serial, found, $"{concurrency} at once, {buffered} buffered, pages of {page}:");
            }
            Check.True(serial.Count > 3, "there are rows");
        }

        public Task All_documents() => IsAlike("SELECT VALUE c.id FROM c");

        public Task A_filter() => IsAlike("SELECT VALUE c.id FROM c WHERE c.number > 20");

        public Task Ordered() => IsAlike("SELECT VALUE c.id FROM c ORDER BY c.number");

        public Task Ordered_with_equal_values() => IsAlike("SELECT VALUE c.address.city FROM c ORDER BY c.address.city DESC");

        public Task Ordered_by_two() => IsAlike("SELECT VALUE c.id FROM c ORDER BY c.address.city, c.price DESC");

        public Task Top() => IsAlike("SELECT TOP 17 VALUE c.id FROM c ORDER BY c.price");

        public Task Offset_and_limit() => IsAlike("SELECT VALUE c.id FROM c ORDER BY c.price OFFSET 11 LIMIT 30");

        public Task Distinct_and_ordered() => IsAlike("SELECT DISTINCT VALUE c.note FROM c ORDER BY c.note");

        public Task Joined() => IsAlike("SELECT VALUE CONCAT(c.id, l.sku) FROM c JOIN l IN c.lines");
    }
}
