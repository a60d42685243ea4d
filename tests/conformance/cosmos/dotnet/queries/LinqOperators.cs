using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;
using Microsoft.Azure.Cosmos;
using Microsoft.Azure.Cosmos.Linq;

namespace Conformance.Queries
{
    public sealed class LinqOperators : LinqCases
    {
        public Task Where_with_every_comparison() => Same(orders => orders
            .Where(o => o.Number > 10 && o.Number < 80 && o.Number >= 11 && o.Number <= 79 && o.Number != 40)
            .Where(o => o.Paid || !(o.Price == 59.2)));

        public async Task Where_with_arithmetic()
        {
            await Same(orders => orders.Where(o => o.Number % 7 == 3));
            await Same(orders => orders.Where(o => o.Price * 2 + 10 > o.Number - 5));
            await Same(orders => orders.Where(o => o.Price / 4 > -3.5 && -o.Number < -12));
        }

        public async Task Where_with_bits()
        {
            await Same(orders => orders.Where(o => (o.Number & 6) == 4));
            await Same(orders => orders.Where(o => (o.Number | 8) == 12));
            await Same(orders => orders.Where(o => (o.Number ^ 5) > 60));
        }

        public async Task Where_with_null()
        {
            await Same(orders => orders.Where(o => o.Comment == null));
            await Same(orders => orders.Where(o => o.Comment != null));
            await Same(orders => orders.Where(o => o.Comment != null && o.Comment == "comment 1"));
        }

        /// <summary>A property without value is not in the document: that is what the provider takes it for.</summary>
        public async Task Where_with_a_nullable()
        {
            await Same(orders => orders.Where(o => o.Discount.HasValue));
            await Same(orders => orders.Where(o => (o.Discount ?? 9) == 9));
            await Same(orders => orders.Where(o => o.Discount > 0.3));
            await Same(orders => orders.Where(o => o.Discount.HasValue && o.Discount.Value == 0.25));
        }

        public async Task Where_with_an_enumeration()
        {
            await Same(orders => orders.Where(o => o.Kind == Kind.Gift));
            await Same(orders => orders.Where(o => o.Named == Kind.Wholesale));
            await Same(orders => orders.Where(o => o.Named != Kind.Wholesale));
        }

        public async Task Where_with_a_date()
        {
            var day = new DateTime(2024, 1, 20, 0, 0, 0, DateTimeKind.Utc);
            await Same(orders => orders.Where(o => o.When < day));
            await Same(orders => orders.Where(o => o.When == new DateTime(2024, 1, 1, 13, 0, 0, DateTimeKind.Utc)));
        }

        public async Task Where_with_a_list_of_values()
        {
            var ids = new List<string> { "order-3", "order-5", "missing" };
            string[] cities = { "Rome", "Kyiv" };
            await Same(orders => orders.Where(o => ids.Contains(o.Id)));
            await Same(orders => orders.Where(o => cities.Contains(o.Address.City)));
        }

        public async Task Select_of_a_property_an_object_and_a_choice()
        {
            await Same(orders => orders.Select(o => o.Address.City));
            await Same(orders => orders.Select(o => o.Address));
            await Same(orders => orders.Select(o => new { o.Id, where = o.Address.City, twice = o.Number * 2, fixedText = "x" }));
            await Same(orders => orders.Select(o => o.Paid ? o.Id : o.Note));
            await Same(orders => orders.Select(o => new Address { City = o.Note, Zip = o.Number }));
            await Same(orders => orders.Select(o => new[] { o.Number, o.Address.Zip }));
            await Same(orders => orders.Where(o => o.Tags[0] == "all").Select(o => o.Tags[0]));
        }

        public async Task Select_many_goes_into_arrays()
        {
            await Same(orders => orders.SelectMany(o => o.Tags));
            await Same(orders => orders.SelectMany(o => o.Lines).Select(line => line.Sku));
            await Same(orders => orders.SelectMany(o => o.Lines.Where(line => line.Count > 1).Select(line => new { o.Id, line.Sku })));
            await Same(orders => orders.SelectMany(o => o.Lines.SelectMany(line => o.Tags.Select(tag => new { line.Sku, tag }))));
        }

        public async Task Order_by_in_both_directions()
        {
            await SameInOrder(orders => orders.OrderBy(o => o.Number).Select(o => o.Number));
            await SameInOrder(orders => orders.OrderByDescending(o => o.Price).Select(o => o.Price));
            await SameInOrder(orders => orders.Where(o => o.Paid).OrderBy(o => o.When).Select(o => o.Id));
        }

        public async Task Then_by_orders_what_is_equal()
        {
            await SameInOrder(orders => orders.OrderBy(o => o.Address.City).ThenByDescending(o => o.Price).Select(o => o.Id));
            await SameInOrder(orders => orders.OrderBy(o => o.Paid).ThenBy(o => o.Kind).ThenBy(o => o.Number).Select(o => o.Id));
        }

        public async Task Take_and_skip_count_in_order()
        {
            await SameInOrder(orders => orders.OrderBy(o => o.Number).Take(8).Select(o => o.Number));
            await SameInOrder(orders => orders.OrderBy(o => o.Number).Skip(15).Take(20).Select(o => o.Id));
            await SameInOrder(orders => orders.Where(o => o.Paid).OrderByDescending(o => o.Price).Skip(3).Take(100).Select(o => o.Id));
        }

        public async Task Distinct_drops_duplicates()
        {
            await Same(orders => orders.Select(o => o.Address.City).Distinct());
            await Same(orders => orders.Select(o => new { o.Kind, o.Paid }).Distinct());
            await SameInOrder(orders => orders.Select(o => o.Address.Zip).Distinct().OrderBy(zip => zip));
        }

        public async Task Any_all_and_count_of_what_is_inside()
        {
            await Same(orders => orders.Where(o => o.Lines.Any()));
            await Same(orders => orders.Where(o => o.Lines.Any(line => line.Sku == "sku3" && line.Count > 1)));
            await Same(orders => orders.Where(o => o.Lines.Count() > 1));
            await Same(orders => orders.Where(o => o.Lines.Where(line => line.Price > 2).Count() == 2));
            await Same(orders => orders.Select(o => o.Tags.Count()));
        }

        public async Task Aggregates_of_what_is_inside()
        {
            await Same(orders => orders.Select(o => new { o.Id, n = o.Lines.Sum(line => line.Count) }));
            await Same(orders => orders.Where(o => o.Lines.Count() > 0).Select(o => o.Lines.Max(line => line.Count)));
            await Same(orders => orders.Where(o => o.Lines.Count() > 0).Select(o => o.Lines.Min(line => line.Price)));
            await Same(orders => orders.Where(o => o.Lines.Count() > 0).Select(o => o.Lines.Average(line => line.Price)));
        }

        public async Task Arrays_of_what_is_inside()
        {
            await Same(orders => orders.Select(o => o.Lines.Where(line => line.Count > 1).Select(line => line.Sku).ToArray()));
            await Same(orders => orders.Select(o => o.Lines.Select(line => line.Price).ToList()));
            await Same(orders => orders.Where(o => o.Tags.Contains("odd")));
            await Same(orders => orders.Select(o => o.Tags.Concat(new[] { "more" })));
        }

        public async Task Aggregates_of_all_rows()
        {
            IQueryable<Order> orders = await Queryable();
            Check.Equal(90, (await orders.CountAsync()).Resource);
            Check.Equal(45, (await orders.Where(o => o.Paid).CountAsync()).Resource);
            Check.Equal(Orders.All.Sum(o => o.Number), (await orders.Select(o => o.Number).SumAsync()).Resource);
            Check.Equal(Orders.All.Max(o => o.Price), (await orders.Select(o => o.Price).MaxAsync()).Resource);
            Check.Equal(Orders.All.Min(o => o.Number), (await orders.Select(o => o.Number).MinAsync()).Resource);
            IsNear(Orders.All.Average(o => o.Number), (await orders.Select(o => o.Number).AverageAsync()).Resource, "average");
        }

        public async Task Group_by_adds_up()
        {
            await Same(orders => orders.GroupBy(o => o.Address.City, (city, group) => group.Count()));
            await Same(orders => orders.GroupBy(o => o.Kind, (kind, group) => new { kind, n = group.Count(), most = group.Max(o => o.Number) }));
            await Same(orders => orders.Where(o => o.Paid).GroupBy(o => o.Address.Zip, (zip, group) => group.Sum(o => o.Number)));
        }

        public async Task A_program_that_does_not_wait_asynchronously_gets_the_same()
        {
            IQueryable<Order> orders = (await Filled).GetItemLinqQueryable<Order>(allowSynchronousQueryExecution: true);
            Check.Equal(10, orders.Where(o => o.Number < 10).AsEnumerable().Count());
            Check.Equal(90, orders.Count());
            Check.Equal(7, orders.Where(o => o.Number == 7).Select(o => o.Number).AsEnumerable().FirstOrDefault());
            Check.Equal(null, orders.Where(o => o.Number == -7).FirstOrDefault());
        }

        public async Task The_provider_shows_its_text()
        {
            QueryDefinition written = (await Queryable()).Where(o => o.Number == 5).Select(o => o.Id).ToQueryDefinition();
            Check.Equal("SELECT VALUE root[\"id\"] FROM root WHERE (root[\"number\"] = 5)", written.QueryText);
            Check.Equal(1, (await (await Filled).GetItemQueryIterator<string>(written).All()).Count);
        }
    }
}
