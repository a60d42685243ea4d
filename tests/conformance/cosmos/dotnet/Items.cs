using System;
using System.IO;
using System.Linq;
using System.Net;
using System.Threading.Tasks;
using Microsoft.Azure.Cosmos;
using Newtonsoft.Json;
using Newtonsoft.Json.Linq;

namespace Conformance
{
    public sealed class Thing
    {
        [JsonProperty("id")] public string Id { get; set; }
        [JsonProperty("pk")] public string Pk { get; set; }
        [JsonProperty("n")] public int N { get; set; }
        [JsonProperty("text", NullValueHandling = NullValueHandling.Ignore)] public string Text { get; set; }
    }

    public sealed class Items : Cases
    {
        private static readonly PartitionKey X = new PartitionKey("x");

        private static Thing New(int n = 1) => new Thing { Id = "a", Pk = "x", N = n };

        public async Task An_item_is_created_read_replaced_upserted_and_deleted()
        {
            Container container = await NewContainer();
            ItemResponse<Thing> created = await container.CreateItemAsync(New(), X);
            Check.Equal(HttpStatusCode.Created, created.StatusCode);
            Check.Equal(New(), created.Resource);
            ItemResponse<Thing> read = await container.ReadItemAsync<Thing>("a", X);
            Check.Equal(HttpStatusCode.OK, read.StatusCode);
            Check.Equal(New(), read.Resource);
            Check.Equal(created.ETag, read.ETag);
            Check.Equal(HttpStatusCode.OK, (await container.ReplaceItemAsync(New(2), "a", X)).StatusCode);
            Check.Equal(HttpStatusCode.OK, (await container.UpsertItemAsync(New(3), X)).StatusCode);
            Check.Equal(3, (await container.ReadItemAsync<Thing>("a", X)).Resource.N);
            Check.Equal(HttpStatusCode.NoContent, (await container.DeleteItemAsync<Thing>("a", X)).StatusCode);
            Check.Equal(HttpStatusCode.Created, (await container.UpsertItemAsync(New(4), X)).StatusCode);
        }

        public async Task What_is_not_there_is_404_and_what_is_there_409()
        {
            Container container = await NewContainer();
            await Check.Fails(HttpStatusCode.NotFound, () => container.ReadItemAsync<Thing>("a", X), 0);
            await Check.Fails(HttpStatusCode.NotFound, () => container.ReplaceItemAsync(New(), "a", X), 0);
            await Check.Fails(HttpStatusCode.NotFound, () => container.DeleteItemAsync<Thing>("a", X), 0);
            await container.CreateItemAsync(New(), X);
            await Check.Fails(HttpStatusCode.Conflict, () => container.CreateItemAsync(New(), X), 0);
            await Check.Fails(HttpStatusCode.NotFound, () => container.ReadItemAsync<Thing>("a", new PartitionKey("y")), 0);
        }

        public async Task The_key_is_taken_from_the_item_when_the_program_gives_none()
        {
            Container container = await NewContainer();
            await container.CreateItemAsync(New());
            Check.Equal(1, (await container.ReadItemAsync<Thing>("a", X)).Resource.N);
            await Check.Fails(HttpStatusCode.BadRequest, () => container.CreateItemAsync(New(), new PartitionKey("y")), 1001);
        }

        public async Task Keys_are_texts_numbers_booleans_null_or_missing()
        {
            Container container = await NewContainer();
            var keys = new (string Json, PartitionKey Key)[]
            {
                ("\"x\"", new PartitionKey("x")), ("1.5", new PartitionKey(1.5)), ("true", new PartitionKey(true)),
                ("null", PartitionKey.Null), ("\"\"", new PartitionKey("")), ("\"鱀 é\"", new PartitionKey("鱀 é")),
            };
            foreach ((string json, PartitionKey key) in keys)
            {
                await container.CreateItemAsync(JObject.Parse($"{{\"id\":\"a\",\"pk\":{json}}}"), key);
                Check.Equal(JToken.Parse(json), (await container.ReadItemAsync<JObject>("a", key)).Resource["pk"]);
            }
            await container.CreateItemAsync(new { id = "a" }, PartitionKey.None);
            Check.True((await container.ReadItemAsync<JObject>("a", PartitionKey.None)).Resource["pk"] == null, "there is no key");
            Check.Equal(keys.Length + 1, (await container.Query<int>("SELECT VALUE COUNT(1) FROM c", default(QueryRequestOptions)))[0]);
        }

        public async Task A_null_or_stale_etag_decides_who_writes()
        {
            Container container = await NewContainer();
            string old = (await container.CreateItemAsync(New(), X)).ETag;
            ItemRequestOptions If(string etag) => new ItemRequestOptions { IfMatchEtag = etag };
            string now = (await container.ReplaceItemAsync(New(2), "a", X, If(old))).ETag;
            Check.True(now != old, "a write changes the ETag");
            await Check.Fails(HttpStatusCode.PreconditionFailed, () => container.ReplaceItemAsync(New(3), "a", X, If(old)));
            await Check.Fails(HttpStatusCode.PreconditionFailed, () => container.UpsertItemAsync(New(3), X, If(old)));
            await Check.Fails(HttpStatusCode.PreconditionFailed, () => container.DeleteItemAsync<Thing>("a", X, If(old)));
            Check.Equal(2, (await container.ReadItemAsync<Thing>("a", X)).Resource.N);
            await container.DeleteItemAsync<Thing>("a", X, If(now));
        }

        public async Task A_read_of_what_is_known_is_304()
        {
            Container container = await NewContainer();
            string etag = (await container.CreateItemAsync(New(), X)).ETag;
            var options = new ItemRequestOptions { IfNoneMatchEtag = etag };
            using (ResponseMessage same = await container.ReadItemStreamAsync("a", X, options))
            {
                Check.Equal(HttpStatusCode.NotModified, same.StatusCode);
            }
            await Check.Fails(HttpStatusCode.NotModified, () => container.ReadItemAsync<Thing>("a", X, options));
            await container.UpsertItemAsync(New(2), X);
            Check.Equal(2, (await container.ReadItemAsync<Thing>("a", X, options)).Resource.N);
        }

        public async Task A_program_that_wants_no_content_back_gets_none()
        {
            Container container = await NewContainer();
            var options = new ItemRequestOptions { EnableContentResponseOnWrite = false };
            ItemResponse<Thing> created = await container.CreateItemAsync(New(), X, options);
            Check.True(created.Resource == null, "no content");
            Check.True(created.ETag.Length > 0, "but an ETag");
            Check.Equal(1, (await container.ReadItemAsync<Thing>("a", X)).Resource.N);
        }

        public async Task Streams_hold_the_same_text()
        {
            Container container = await NewContainer();
            var body = new MemoryStream(System.Text.Encoding.UTF8.GetBytes("{\"id\":\"s\",\"pk\":\"x\",\"deep\":[1,{\"é\":null}]}"));
            using (ResponseMessage written = await container.CreateItemStreamAsync(body, X))
            {
                Check.Equal(HttpStatusCode.Created, written.StatusCode);
                Check.True(written.Headers.RequestCharge > 0 && written.Headers.Session != null, "charge and session are there");
            }
            using (ResponseMessage read = await container.ReadItemStreamAsync("s", X))
            using (var reader = new StreamReader(read.Content))
            {
                JObject found = JObject.Parse(await reader.ReadToEndAsync());
                Check.Equal("[1,{\"é\":null}]", found["deep"].ToString(Formatting.None));
                Check.True(found["_etag"] != null && found["_rid"] != null && found["_ts"] != null, "system properties are there");
            }
            using (ResponseMessage missing = await container.ReadItemStreamAsync("t", X))
            {
                Check.Equal(HttpStatusCode.NotFound, missing.StatusCode);
            }
        }

        public async Task A_small_item_costs_one_unit_to_read_and_a_write_costs_more()
        {
            Container container = await NewContainer();
            double write = (await container.CreateItemAsync(New(), X)).RequestCharge;
            Check.Equal(1.0, (await container.ReadItemAsync<Thing>("a", X)).RequestCharge);
            Check.True(write > 1, $"a write costs {write}");
        }

        public async Task An_item_of_two_megabytes_is_kept_and_a_larger_one_is_413()
        {
            Container container = await NewContainer("/pk", 10000);
            var large = new Thing { Id = "a", Pk = "x", Text = new string('t', 2_000_000) };
            await container.CreateItemAsync(large, X);
            Check.Equal(2_000_000, (await container.ReadItemAsync<Thing>("a", X)).Resource.Text.Length);
            large.Text = new string('t', 2_200_000);
            await Check.Fails(HttpStatusCode.RequestEntityTooLarge, () => container.ReplaceItemAsync(large, "a", X));
        }

        public async Task Many_are_read_at_once()
        {
            Container container = await NewWideContainer();
            await Task.WhenAll(Enumerable.Range(0, 60).Select(
                n => container.CreateItemAsync(new Thing { Id = $"i{n}", Pk = $"k{n % 25}", N = n })));
            var wanted = Enumerable.Range(0, 80).Where(n => n % 2 == 0).Select(n => ($"i{n}", new PartitionKey($"k{n % 25}"))).ToList();
            FeedResponse<Thing> found = await container.ReadManyItemsAsync<Thing>(wanted);
            Check.Equal(Enumerable.Range(0, 30).Select(n => n * 2), found.Select(thing => thing.N).OrderBy(n => n));
            Check.Equal(0, (await container.ReadManyItemsAsync<Thing>(new (string, PartitionKey)[0])).Count);
        }

        public async Task A_session_reads_its_own_writes_with_any_client()
        {
            Container container = await NewContainer();
            string session = (await container.CreateItemAsync(New(), X)).Headers.Session;
            using (CosmosClient other = Account.NewClient())
            {
                Container same = other.GetContainer(container.Database.Id, container.Id);
                var options = new ItemRequestOptions { SessionToken = session };
                Check.Equal(1, (await same.ReadItemAsync<Thing>("a", X, options)).Resource.N);
            }
        }
    }
}
