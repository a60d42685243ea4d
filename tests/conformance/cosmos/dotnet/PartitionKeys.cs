using System.Collections.Generic;
using System.Linq;
using System.Net;
using System.Threading.Tasks;
using Microsoft.Azure.Cosmos;
using Newtonsoft.Json.Linq;

namespace Conformance
{
    public sealed class PartitionKeys : Cases
    {
        private sealed class Visit
        {
            public string id { get; set; }
            public string tenant { get; set; }
            public int user { get; set; }
            public string session { get; set; }
            public int n { get; set; }
        }

        private static PartitionKey Key(Visit visit) =>
            new PartitionKeyBuilder().Add(visit.tenant).Add(visit.user).Add(visit.session).Build();

        private async Task<(Container, List<Visit>)> Visits()
        {
            var paths = new List<string> { "/tenant", "/user", "/session" };
            Container container = await NewContainer(new ContainerProperties(Account.UniqueId("c"), paths), 25000);
            List<Visit> visits = Enumerable.Range(0, 48).Select(n => new Visit
            {
                id = $"v{n}", tenant = $"t{n % 4}", user = n % 6, session = $"s{n}", n = n,
            }).ToList();
            await Task.WhenAll(visits.Select(visit => container.CreateItemAsync(visit, Key(visit))));
            return (container, visits);
        }

        public async Task A_key_of_three_levels_is_written_and_read()
        {
            (Container container, List<Visit> visits) = await Visits();
            Check.Equal(visits[5], (await container.ReadItemAsync<Visit>("v5", Key(visits[5]))).Resource);
            visits[5].n = 99;
            await container.ReplaceItemAsync(visits[5], "v5", Key(visits[5]));
            await container.UpsertItemAsync(visits[5]);
            Check.Equal(99, (await container.ReadItemAsync<Visit>("v5", Key(visits[5]))).Resource.n);
            await container.DeleteItemAsync<Visit>("v5", Key(visits[5]));
            await Check.Fails(HttpStatusCode.NotFound, () => container.ReadItemAsync<Visit>("v5", Key(visits[5])));
            FeedResponse<Visit> many = await container.ReadManyItemsAsync<Visit>(visits.Skip(8).Take(5).Select(v => (v.id, Key(v))).ToList());
            Check.Equal(visits.Skip(8).Take(5).Select(v => v.n), many.Select(v => v.n).OrderBy(n => n));
        }

        public async Task The_first_levels_of_a_key_are_enough_for_a_query()
        {
            (Container container, List<Visit> visits) = await Visits();
            var ofTenant = new QueryRequestOptions { PartitionKey = new PartitionKeyBuilder().Add("t1").Build() };
            Check.Equal(
                visits.Where(v => v.tenant == "t1").Select(v => v.n),
                await container.Query<int>("SELECT VALUE c.n FROM c ORDER BY c.n", ofTenant));
            var ofUser = new QueryRequestOptions { PartitionKey = new PartitionKeyBuilder().Add("t1").Add(3).Build() };
            Check.Equal(
                visits.Where(v => v.tenant == "t1" && v.user == 3).Select(v => v.n),
                await container.Query<int>("SELECT VALUE c.n FROM c ORDER BY c.n", ofUser));
            Check.Equal(
                visits.Count(v => v.tenant == "t2"), (await container.Query<Visit>("SELECT * FROM c WHERE c.tenant = 't2'")).Count);
        }

        public async Task A_batch_goes_to_one_full_key()
        {
            (Container container, List<Visit> visits) = await Visits();
            var next = new Visit { id = "next", tenant = "t1", user = 1, session = "s1" };
            using (TransactionalBatchResponse response =
                await container.CreateTransactionalBatch(Key(visits[1])).ReadItem("v1").CreateItem(next).ExecuteAsync())
            {
                Check.Equal(new[] { 200, 201 }, response.Select(result => (int)result.StatusCode));
            }
        }

        public async Task A_nested_path_and_the_id_are_keys()
        {
            Container nested = await NewContainer("/place/city");
            await nested.CreateItemAsync(JObject.Parse("{'id':'a','place':{'city':'Rome'}}"));
            Check.Equal("Rome", (await nested.ReadItemAsync<JObject>("a", new PartitionKey("Rome"))).Resource["place"]["city"]);
            Container byId = await NewContainer("/id");
            await byId.CreateItemAsync(new { id = "a" }, new PartitionKey("a"));
            Check.Equal("a", (await byId.ReadItemAsync<JObject>("a", new PartitionKey("a"))).Resource["id"]);
        }

        public async Task The_account_computes_a_synthetic_key()
        {
            await Admin.MustBeThere();
            var properties = new ContainerProperties(Account.UniqueId("c"), "/partitionKey");
            properties.ComputedProperties.Add(new ComputedProperty
            {
                Name = "partitionKey",
                Query = "SELECT VALUE CONCAT(c.deviceId, '-', ToString(c.date)) FROM c",
            });
            Container container = await NewContainer(properties, 25000);
            JObject made = await container.CreateItemAsync(JObject.Parse("{'id':'1','deviceId':'abc-123','date':2018}"));
            Check.Equal("abc-123-2018", made["partitionKey"]);
            var key = new PartitionKey("abc-123-2018");
            Check.Equal("1", (await container.ReadItemAsync<JObject>("1", key)).Resource["id"]);
            Check.Equal(1, (await container.Query<JObject>("SELECT * FROM c WHERE c.deviceId = 'abc-123' AND c.date = 2018")).Count);
        }
    }
}
