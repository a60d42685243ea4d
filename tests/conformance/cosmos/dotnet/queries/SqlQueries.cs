using System.Collections.Generic;
using System.Linq;
using System.Net;
using System.Threading.Tasks;
using Microsoft.Azure.Cosmos;
using Newtonsoft.Json.Linq;

namespace Conformance.Queries
{
    public sealed class SqlQueries : OrderCases
    {
        private async Task<List<T>> Find<T>(string query, params (string, object)[] parameters) =>
            await (await Filled).Query<T>(query, parameters);

        /// <summary>In no order.</summary>
        private static void SameRows<T>(IEnumerable<T> expected, IEnumerable<T> actual) =>
            Check.Equal(expected.OrderBy(row => row.ToString()), actual.OrderBy(row => row.ToString()));

        public async Task A_filter_with_parameters_finds_in_all_partitions()
        {
            List<string> found = await Find<string>(
                "SELECT VALUE c.id FROM c WHERE c.price > @price AND c.address.city = @city", ("@price", 40.5), ("@city", "Oslo"));
            SameRows(Orders.All.Where(o => o.Price > 40.5 && o.Address.City == "Oslo").Select(o => o.Id), found);
        }

        public async Task A_filter_with_the_key_needs_no_other_partition()
        {
            Container container = await Filled;
            List<Order> found = await container.Query<Order>("SELECT * FROM c WHERE c.pk = 'customer 3'");
            SameRows(Orders.All.Where(o => o.Customer == "customer 3").Select(o => o.Id), found.Select(o => o.Id));
            var options = new QueryRequestOptions { PartitionKey = new PartitionKey("customer 3") };
            SameRows(found.Select(o => o.Id), await container.Query<string>("SELECT VALUE c.id FROM c", options));
        }

        public async Task Order_by_merges_the_partitions()
        {
            Check.Equal(
                Orders.All.OrderByDescending(o => o.Number).Select(o => o.Number),
                await Find<int>("SELECT VALUE c.number FROM c ORDER BY c.number DESC"));
            Check.Equal(
                Orders.All.OrderBy(o => o.Address.City).ThenByDescending(o => o.Price).Select(o => o.Id),
                await Find<string>("SELECT VALUE c.id FROM c ORDER BY c.address.city, c.price DESC"));
        }

        public async Task Top_offset_and_limit_count_over_all_partitions()
        {
            IEnumerable<int> numbers = Orders.All.Select(o => o.Number).OrderBy(n => n);
            Check.Equal(numbers.Take(7), await Find<int>("SELECT TOP 7 VALUE c.number FROM c ORDER BY c.number"));
            Check.Equal(numbers.Skip(20).Take(9), await Find<int>("SELECT VALUE c.number FROM c ORDER BY c.number OFFSET 20 LIMIT 9"));
            Check.Equal(11, (await Find<int>("SELECT TOP 11 VALUE c.number FROM c")).Count);
            Check.Equal(5, (await Find<int>("SELECT VALUE c.number FROM c OFFSET 80 LIMIT 5")).Count);
        }

        public async Task Aggregates_are_of_all_partitions()
        {
            Check.Equal(Orders.All.Count, (await Find<int>("SELECT VALUE COUNT(1) FROM c")).Single());
            Check.Equal(Orders.All.Sum(o => o.Number), (await Find<int>("SELECT VALUE SUM(c.number) FROM c")).Single());
            Check.Equal(Orders.All.Min(o => o.Price), (await Find<double>("SELECT VALUE MIN(c.price) FROM c")).Single());
            Check.True((await Find<string>("SELECT VALUE MAX(c.note) FROM c")).Single() == Orders.All.Select(o => o.Note).OrderBy(note => note, System.StringComparer.Ordinal).Last(), "the last text");
            double average = (await Find<double>("SELECT VALUE AVG(c.number) FROM c WHERE c.paid")).Single();
            Check.True(System.Math.Abs(average - Orders.All.Where(o => o.Paid).Average(o => o.Number)) < 1e-9, $"the average is {average}");
        }

        public async Task Distinct_drops_duplicates_of_other_partitions()
        {
            SameRows(Orders.All.Select(o => o.Address.City).Distinct(), await Find<string>("SELECT DISTINCT VALUE c.address.city FROM c"));
            Check.Equal(
                Orders.All.Select(o => o.Address.Zip).Distinct().OrderBy(zip => zip),
                await Find<int>("SELECT DISTINCT VALUE c.address.zip FROM c ORDER BY c.address.zip"));
        }

        public async Task Group_by_adds_up_over_all_partitions()
        {
            List<JObject> found = await Find<JObject>(
                "SELECT c.address.city AS city, COUNT(1) AS n, SUM(c.number) AS total, MAX(c.price) AS most FROM c GROUP BY c.address.city");
            var expected = Orders.All.GroupBy(o => o.Address.City).Select(
                group => new { city = group.Key, n = group.Count(), total = group.Sum(o => o.Number), most = group.Max(o => o.Price) });
            Check.Equal(
                expected.OrderBy(row => row.city).Select(row => $"{row.city} {row.n} {row.total} {row.most:0.000}"),
                found.OrderBy(row => (string)row["city"]).Select(row => $"{row["city"]} {row["n"]} {row["total"]} {row["most"]:0.000}"));
        }

        public async Task Joins_and_subqueries_go_into_arrays()
        {
            SameRows(
                Orders.All.SelectMany(o => o.Lines.Where(line => line.Count >= 2).Select(line => $"{o.Id} {line.Sku}")),
                await Find<string>("SELECT VALUE CONCAT(c.id, ' ', l.sku) FROM c JOIN l IN c.lines WHERE l.count >= 2"));
            SameRows(
                Orders.All.Where(o => o.Lines.Any(line => line.Sku == "sku3")).Select(o => o.Id),
                await Find<string>("SELECT VALUE c.id FROM c WHERE EXISTS(SELECT VALUE l FROM l IN c.lines WHERE l.sku = 'sku3')"));
        }

        public async Task The_pages_say_what_they_cost_and_how_the_index_was_used()
        {
            var options = new QueryRequestOptions { MaxItemCount = 10, PopulateIndexMetrics = true };
            using (FeedIterator<Order> pages = (await Filled).GetItemQueryIterator<Order>("SELECT * FROM c WHERE c.number < 40", requestOptions: options))
            {
                FeedResponse<Order> page = await pages.ReadNextAsync();
                Check.True(page.RequestCharge > 0 && page.Count <= 10 && page.ActivityId != null, "charge, size and id of the activity");
                Check.Contains("/number/?", page.IndexMetrics);
                Check.True(page.Diagnostics.ToString().Length > 100, "there are diagnostics");
            }
        }

        public async Task A_query_with_an_error_is_400_and_says_where()
        {
            Container container = await Filled;
            CosmosException failure = await Check.Fails(HttpStatusCode.BadRequest, () => container.Query<Order>("SELECT * FORM c"));
            Check.Contains("Syntax error", failure.Message);
            await Check.Fails(HttpStatusCode.BadRequest, () => container.Query<Order>("SELECT VALUE NOSUCH(c.n) FROM c"));
        }

        public async Task Rows_arrive_as_a_stream_of_one_text_for_each_page()
        {
            int rows = 0;
            using (FeedIterator pages = (await Filled).GetItemQueryStreamIterator("SELECT * FROM c"))
            {
                while (pages.HasMoreResults)
                {
                    using (ResponseMessage page = await pages.ReadNextAsync())
                    {
                        page.EnsureSuccessStatusCode();
                        using (var reader = new System.IO.StreamReader(page.Content))
                        {
                            rows += ((JArray)JObject.Parse(await reader.ReadToEndAsync())["Documents"]).Count;
                        }
                    }
                }
            }
            Check.Equal(Orders.All.Count, rows);
        }
    }
}
