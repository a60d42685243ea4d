using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;
using Microsoft.Azure.Cosmos;
using Microsoft.Azure.Cosmos.Linq;
using Microsoft.Azure.Cosmos.Spatial;
using Newtonsoft.Json;

namespace Conformance.Queries
{
    public sealed class LinqFunctions : LinqCases
    {
        public async Task Texts_are_searched()
        {
            await Same(orders => orders.Where(o => o.Note.Contains("later")));
            await Same(orders => orders.Where(o => o.Note.StartsWith("Call")));
            await Same(orders => orders.Where(o => o.Note.EndsWith("first")));
            await Same(orders => orders.Where(o => o.Note.IndexOf("l") == 2));
            await Same(orders => orders.Where(o => o.Note.Equals("Call first")));
        }

        public async Task Texts_are_searched_without_regard_to_case()
        {
            await Same(orders => orders.Where(o => o.Note.Contains("DELIVER", StringComparison.OrdinalIgnoreCase)));
            await Same(orders => orders.Where(o => o.Note.StartsWith("call", StringComparison.OrdinalIgnoreCase)));
            await Same(orders => orders.Where(o => o.Note.EndsWith("FIRST", StringComparison.OrdinalIgnoreCase)));
            await Same(orders => orders.Where(o => o.Note.Equals("call FIRST", StringComparison.OrdinalIgnoreCase)));
        }

        public async Task Texts_are_changed()
        {
            await Same(orders => orders.Select(o => o.Note.ToLower()));
            await Same(orders => orders.Select(o => o.Note.ToUpper()));
            await Same(orders => orders.Select(o => o.Note.Trim()));
            await Same(orders => orders.Select(o => o.Note.TrimStart()));
            await Same(orders => orders.Select(o => o.Note.TrimEnd()));
            await Same(orders => orders.Select(o => o.Note.Replace("l", "LL")));
            await Same(orders => orders.Select(o => o.Note.Substring(1, 1)));
            await Same(orders => orders.Select(o => string.Concat(o.Id, "/", o.Note)));
            await Same(orders => orders.Select(o => o.Id + " of " + o.Customer));
            await Same(orders => orders.Select(o => o.Number.ToString()));
        }

        public async Task Texts_are_measured_and_compared()
        {
            await Same(orders => orders.Select(o => o.Note.Count()));
            await Same(orders => orders.Where(o => o.Address.City.CompareTo("Kyiv") > 0));
            await Same(orders => orders.Where(o => string.Compare(o.Address.City, "Kyiv") <= 0));
        }

        public async Task Numbers_are_computed()
        {
            await Near(orders => orders.Select(o => Math.Abs(o.Price)));
            await Near(orders => orders.Select(o => Math.Ceiling(o.Price)));
            await Near(orders => orders.Select(o => Math.Floor(o.Price)));
            await Near(orders => orders.Select(o => Math.Truncate(o.Price)));
            await Near(orders => orders.Select(o => Math.Round(o.Price + 0.03)));
            await Near(orders => orders.Select(o => (double)Math.Sign(o.Price)));
            await Near(orders => orders.Select(o => Math.Pow(o.Price, 2)));
            await Near(orders => orders.Select(o => Math.Sqrt(o.Number)));
            await Near(orders => orders.Select(o => Math.Exp(o.Price / 50)));
            await Near(orders => orders.Select(o => Math.Log(o.Number + 1)));
            await Near(orders => orders.Select(o => Math.Log(o.Number + 1, 2)));
            await Near(orders => orders.Select(o => Math.Log10(o.Number + 1)));
        }

        public async Task Angles_are_computed()
        {
            await Near(orders => orders.Select(o => Math.Sin(o.Price)));
            await Near(orders => orders.Select(o => Math.Cos(o.Price)));
            await Near(orders => orders.Select(o => Math.Tan(o.Price)));
            await Near(orders => orders.Select(o => Math.Asin(o.Price / 1000)));
            await Near(orders => orders.Select(o => Math.Acos(o.Price / 1000)));
            await Near(orders => orders.Select(o => Math.Atan(o.Price)));
            await Near(orders => orders.Select(o => Math.Atan2(o.Price, o.Number + 1)));
        }

        public async Task Kinds_of_values_are_told_apart()
        {
            IQueryable<Order> orders = await Queryable();
            async Task Finds(IQueryable<Order> asked, Func<Order, bool> expected) =>
                Check.Equal(Orders.All.Count(expected), (await asked.CountAsync()).Resource, $"{asked}:");
            await Finds(orders.Where(o => o.Comment.IsNull()), o => o.Comment == null);
            await Finds(orders.Where(o => o.Comment.IsString()), o => o.Comment != null);
            await Finds(orders.Where(o => o.Comment.IsDefined()), o => true);
            await Finds(orders.Where(o => o.Discount.IsNumber()), o => o.Discount != null);
            await Finds(orders.Where(o => o.Comment.IsPrimitive()), o => true);
            await Finds(orders.Where(o => o.Paid.IsBool()), o => true);
            await Finds(orders.Where(o => o.Tags.IsArray()), o => true);
            await Finds(orders.Where(o => o.Address.IsObject()), o => true);
            await Finds(orders.Where(o => o.Id.RegexMatch("^order-[1-3]$")), o => o.Number >= 0 && o.Id.Length == 7 && o.Id[6] >= '1' && o.Id[6] <= '3');
            await Finds(orders.Where(o => o.Note.RegexMatch("^CALL", "i")), o => o.Note.StartsWith("call", StringComparison.OrdinalIgnoreCase));
        }

        private sealed class Site
        {
            [JsonProperty("id")] public string Id { get; set; }
            [JsonProperty("pk")] public string Pk { get; set; }
            [JsonProperty("place")] public Point Place { get; set; }
        }

        public async Task Places_are_found()
        {
            Container container = await NewContainer();
            foreach ((string id, double longitude, double latitude) in new[] { ("Rome", 12.5, 41.9), ("Oslo", 10.75, 59.9), ("Bern", 7.45, 46.95) })
            {
                await container.CreateItemAsync(new Site { Id = id, Pk = "x", Place = new Point(longitude, latitude) });
            }
            IQueryable<Site> sites = container.GetItemLinqQueryable<Site>();
            var milan = new Point(9.19, 45.46);
            var alps = new Polygon(new[] { new Position(6, 45), new Position(11, 45), new Position(11, 48), new Position(6, 48), new Position(6, 45) });
            async Task Finds(IQueryable<Site> asked, params string[] expected) =>
                Check.Equal(expected, (await asked.ToFeedIterator().All()).Select(site => site.Id), $"{asked}:");
            await Finds(sites.Where(site => site.Place.Distance(milan) < 300_000), "Bern");
            await Finds(sites.Where(site => site.Place.Within(alps)), "Bern");
            await Finds(sites.Where(site => site.Place.Intersects(alps)), "Bern");
            await Finds(sites.Where(site => site.Place.IsValid() && site.Id != "Rome").OrderBy(site => site.Id), "Bern", "Oslo");
        }
    }
}
