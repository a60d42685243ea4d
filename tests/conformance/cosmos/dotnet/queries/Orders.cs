using System;
using System.Collections.Generic;
using System.Collections.ObjectModel;
using System.Linq;
using System.Threading.Tasks;
using Microsoft.Azure.Cosmos;
using Newtonsoft.Json;
using Newtonsoft.Json.Converters;

namespace Conformance.Queries
{
    public enum Kind
    {
        Retail,
        Wholesale,
        Gift,
    }

    public sealed class Line
    {
        [JsonProperty("sku")] public string Sku { get; set; }
        [JsonProperty("count")] public int Count { get; set; }
        [JsonProperty("price")] public double Price { get; set; }
    }

    public sealed class Address
    {
        [JsonProperty("city")] public string City { get; set; }
        [JsonProperty("zip")] public int Zip { get; set; }
    }

    public sealed class Order
    {
        [JsonProperty("id")] public string Id { get; set; }
        [JsonProperty("pk")] public string Customer { get; set; }
        [JsonProperty("number")] public int Number { get; set; }
        [JsonProperty("price")] public double Price { get; set; }
        [JsonProperty("note")] public string Note { get; set; }
        [JsonProperty("comment")] public string Comment { get; set; }
        [JsonProperty("discount", NullValueHandling = NullValueHandling.Ignore)] public double? Discount { get; set; }
        [JsonProperty("paid")] public bool Paid { get; set; }
        [JsonProperty("kind")] public Kind Kind { get; set; }
        [JsonProperty("named"), JsonConverter(typeof(StringEnumConverter))] public Kind Named { get; set; }
        [JsonProperty("when")] public DateTime When { get; set; }
        [JsonProperty("tags")] public string[] Tags { get; set; }
        [JsonProperty("lines")] public List<Line> Lines { get; set; }
        [JsonProperty("address")] public Address Address { get; set; }
    }

    /// <summary>Orders of many customers, spread over three partitions, and the same ones in memory.</summary>
    public static class Orders
    {
        private const int Count = 90;
        private const int Customers = 20;

        public static readonly IReadOnlyList<Order> All = Enumerable.Range(0, Count).Select(New).ToList();

        private static Order New(int n)
        {
            string[] cities = { "Rome", "Oslo", "Bern", "Kyiv" };
            string[] notes = { "  Deliver soon ", "deliver later", "Call first", "CALL LAST  ", "é鱀" };
            return new Order
            {
                Id = $"order-{n}",
                Customer = $"customer {n % Customers}",
                Number = n * 37 % Count,
                Price = n * 1.3 - 20.1,
                Note = notes[n % notes.Length],
                Comment = n % 3 == 0 ? null : $"comment {n % 4}",
                Discount = n % 4 == 0 ? (double?)null : n % 4 * 0.25,
                Paid = n % 2 == 0,
                Kind = (Kind)(n % 3),
                Named = (Kind)(n % 3),
                When = new DateTime(2024, 1, 1, 0, 0, 0, DateTimeKind.Utc).AddHours(n * 13),
                Tags = new[] { "all", n % 2 == 0 ? "even" : "odd", $"mod{n % 5}" }.Take(1 + n % 3).ToArray(),
                Lines = Enumerable.Range(0, n % 4).Select(i => new Line { Sku = $"sku{(n + i) % 7}", Count = i + 1, Price = 2.5 * i }).ToList(),
                Address = new Address { City = cities[n % cities.Length], Zip = 1000 + n % 9 },
            };
        }

        public static ContainerProperties Properties()
        {
            var properties = new ContainerProperties(Account.UniqueId("c"), "/pk");
            void OrderedBy(params (string Path, CompositePathSortOrder Order)[] paths) =>
                properties.IndexingPolicy.CompositeIndexes.Add(new Collection<CompositePath>(
                    paths.Select(path => new CompositePath { Path = path.Path, Order = path.Order }).ToList()));
            OrderedBy(("/address/city", CompositePathSortOrder.Ascending), ("/price", CompositePathSortOrder.Descending));
            OrderedBy(("/paid", CompositePathSortOrder.Ascending), ("/kind", CompositePathSortOrder.Ascending), ("/number", CompositePathSortOrder.Ascending));
            return properties;
        }

        public static async Task<Container> Fill(Container container)
        {
            await Task.WhenAll(All.Select(order => container.CreateItemAsync(order, new PartitionKey(order.Customer))));
            return container;
        }
    }

    public abstract class OrderCases : Cases
    {
        private readonly Lazy<Task<Container>> orders;

        protected OrderCases() => orders = new Lazy<Task<Container>>(
            async () => await Queries.Orders.Fill(await NewContainer(Queries.Orders.Properties(), 25000)));

        protected Task<Container> Filled => orders.Value;
    }
}
