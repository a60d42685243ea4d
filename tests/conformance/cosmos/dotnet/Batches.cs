using System;
using System.Collections.Generic;
using System.Linq;
using System.Net;
using System.Threading.Tasks;
using Microsoft.Azure.Cosmos;

namespace Conformance
{
    /// <summary>The SDK sends batches as HybridRow records.</summary>
    public sealed class Batches : Cases
    {
        private static readonly PartitionKey X = new PartitionKey("x");

        private static Thing New(string id, int n = 1) => new Thing { Id = id, Pk = "x", N = n };

        public async Task Every_operation_of_a_batch_happens_and_answers()
        {
            Container container = await NewContainer();
            string etag = (await container.CreateItemAsync(New("old"))).ETag;
            await container.CreateItemAsync(New("doomed"));
            await container.CreateItemAsync(New("patched"));
            using (TransactionalBatchResponse response = await container.CreateTransactionalBatch(X)
                .CreateItem(New("new"))
                .ReadItem("old")
                .ReplaceItem("old", New("old", 2), new TransactionalBatchItemRequestOptions { IfMatchEtag = etag })
                .UpsertItem(New("upserted"))
                .PatchItem("patched", new[] { PatchOperation.Increment("/n", 4) })
                .DeleteItem("doomed")
                .ExecuteAsync())
            {
                Check.True(response.IsSuccessStatusCode, response.ErrorMessage);
                Check.Equal(new[] { 201, 200, 200, 201, 200, 204 }, response.Select(result => (int)result.StatusCode));
                Check.Equal(1, response.GetOperationResultAtIndex<Thing>(1).Resource.N);
                Check.Equal(5, response.GetOperationResultAtIndex<Thing>(4).Resource.N);
                Check.True(response[2].ETag != etag && response[2].ETag != null, "a new ETag");
                Check.True(response.RequestCharge > 10, $"six operations cost {response.RequestCharge}");
            }
            Check.Equal(
                new[] { "new", "old", "patched", "upserted" }, await container.Query<string>("SELECT VALUE c.id FROM c ORDER BY c.id"));
        }

        public async Task A_failed_operation_undoes_all()
        {
            Container container = await NewContainer();
            await container.CreateItemAsync(New("there"));
            using (TransactionalBatchResponse response = await container.CreateTransactionalBatch(X)
                .CreateItem(New("one")).CreateItem(New("there")).CreateItem(New("two")).ExecuteAsync())
            {
                Check.Equal(HttpStatusCode.Conflict, response.StatusCode);
                Check.Equal(new[] { 424, 409, 424 }, response.Select(result => (int)result.StatusCode));
            }
            Check.Equal(new[] { "there" }, await container.Query<string>("SELECT VALUE c.id FROM c"));
        }

        public async Task A_stale_etag_in_a_batch_is_412()
        {
            Container container = await NewContainer();
            string stale = (await container.CreateItemAsync(New("a"))).ETag;
            await container.UpsertItemAsync(New("a", 2));
            using (TransactionalBatchResponse response = await container.CreateTransactionalBatch(X)
                .ReplaceItem("a", New("a", 3), new TransactionalBatchItemRequestOptions { IfMatchEtag = stale }).ExecuteAsync())
            {
                Check.Equal(HttpStatusCode.PreconditionFailed, response.StatusCode);
            }
        }

        public async Task A_hundred_operations_are_the_most()
        {
            Container container = await NewContainer("/pk", 10000);
            TransactionalBatch Of(int count) =>
                Enumerable.Range(0, count).Aggregate(container.CreateTransactionalBatch(X), (batch, n) => batch.CreateItem(New($"i{n}")));
            using (TransactionalBatchResponse response = await Of(101).ExecuteAsync())
            {
                Check.Equal(HttpStatusCode.BadRequest, response.StatusCode);
            }
            using (TransactionalBatchResponse response = await Of(100).ExecuteAsync())
            {
                Check.Equal(HttpStatusCode.OK, response.StatusCode);
                Check.Equal(100, response.Count);
            }
        }

        public async Task Bulk_operations_of_many_keys_each_have_their_own_outcome()
        {
            Container container = await NewWideContainer();
            using (CosmosClient client = Account.NewClient(options => options.AllowBulkExecution = true))
            {
                Container bulk = client.GetContainer((await Database).Id, container.Id);
                Thing[] things = Enumerable.Range(0, 300).Select(n => new Thing { Id = $"i{n}", Pk = $"k{n % 40}", N = n }).ToArray();
                ItemResponse<Thing>[] created = await Task.WhenAll(things.Select(thing => bulk.CreateItemAsync(thing, new PartitionKey(thing.Pk))));
                Check.True(created.All(one => one.StatusCode == HttpStatusCode.Created && one.ETag != null), "all are created");
                Check.True(created.All(one => one.RequestCharge > 0), "each has a charge");
                ItemResponse<Thing>[] read = await Task.WhenAll(things.Select(thing => bulk.ReadItemAsync<Thing>(thing.Id, new PartitionKey(thing.Pk))));
                Check.Equal(things, read.Select(one => one.Resource));
                var work = new List<Task<HttpStatusCode>>();
                foreach (Thing thing in things.Take(60)) work.Add(OneOfFive(bulk, thing));
                HttpStatusCode[] statuses = await Task.WhenAll(work);
                Check.Equal(new[] { 409, 200, 200, 204, 404 }, statuses.Take(5).Select(status => (int)status));
                Check.Equal(12, statuses.Count(status => status == HttpStatusCode.NoContent));
            }
            Check.Equal(288, (await container.Query<int>("SELECT VALUE COUNT(1) FROM c", default(QueryRequestOptions))).Single());
        }

        private static async Task<HttpStatusCode> OneOfFive(Container bulk, Thing thing)
        {
            var key = new PartitionKey(thing.Pk);
            try
            {
                switch (thing.N % 5)
                {
                    case 0: return (await bulk.CreateItemAsync(thing, key)).StatusCode;
                    case 1: return (await bulk.UpsertItemAsync(thing, key)).StatusCode;
                    case 2: return (await bulk.PatchItemAsync<Thing>(thing.Id, key, new[] { PatchOperation.Increment("/n", 1) })).StatusCode;
                    case 3: return (await bulk.DeleteItemAsync<Thing>(thing.Id, key)).StatusCode;
                    default: return (await bulk.ReadItemAsync<Thing>("missing", key)).StatusCode;
                }
            }
            catch (CosmosException failure)
            {
                return failure.StatusCode;
            }
        }
    }
}
