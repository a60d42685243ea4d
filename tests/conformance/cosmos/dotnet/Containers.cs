using System;
using System.Collections.ObjectModel;
using System.Linq;
using System.Net;
using System.Threading.Tasks;
using Microsoft.Azure.Cosmos;
using Newtonsoft.Json.Linq;

namespace Conformance
{
    public sealed class Containers : Cases
    {
        public async Task A_container_is_created_read_replaced_listed_and_deleted()
        {
            Container container = await NewContainer("/deviceId");
            ContainerResponse read = await container.ReadContainerAsync();
            Check.Equal("/deviceId", read.Resource.PartitionKeyPath);
            ContainerProperties changed = read.Resource;
            changed.DefaultTimeToLive = 3600;
            changed.IndexingPolicy.ExcludedPaths.Add(new ExcludedPath { Path = "/blob/*" });
            ContainerResponse replaced = await container.ReplaceContainerAsync(changed);
            Check.Equal(HttpStatusCode.OK, replaced.StatusCode);
            Check.Equal(3600, replaced.Resource.DefaultTimeToLive);
            Check.True(replaced.Resource.IndexingPolicy.ExcludedPaths.Any(path => path.Path == "/blob/*"), "the path is excluded");
            Database database = await Database;
            Check.True((await database.GetContainerQueryIterator<ContainerProperties>().All()).Any(c => c.Id == container.Id), "it is listed");
            var byId = new QueryDefinition("SELECT * FROM c WHERE c.id = @id").WithParameter("@id", container.Id);
            Check.Equal(1, (await database.GetContainerQueryIterator<ContainerProperties>(byId).All()).Count);
            Check.Equal(HttpStatusCode.NoContent, (await container.DeleteContainerAsync()).StatusCode);
            await Check.Fails(HttpStatusCode.NotFound, () => container.ReadContainerAsync());
        }

        public async Task A_replace_with_an_old_etag_is_412()
        {
            Container container = await NewContainer();
            ContainerResponse read = await container.ReadContainerAsync();
            ContainerProperties changed = read.Resource;
            changed.DefaultTimeToLive = 60;
            var options = new ContainerRequestOptions { IfMatchEtag = read.ETag };
            await container.ReplaceContainerAsync(changed, options);
            await Check.Fails(HttpStatusCode.PreconditionFailed, () => container.ReplaceContainerAsync(changed, options));
        }

        public async Task The_partition_key_cannot_change()
        {
            Container container = await NewContainer();
            await Check.Fails(
                HttpStatusCode.BadRequest, () => container.ReplaceContainerAsync(new ContainerProperties(container.Id, "/other")));
        }

        public async Task Creating_it_twice_is_409_unless_the_program_says_if_it_is_missing()
        {
            Database database = await Database;
            Container container = await NewContainer();
            await Check.Fails(HttpStatusCode.Conflict, () => database.CreateContainerAsync(container.Id, "/pk"));
            Check.Equal(HttpStatusCode.OK, (await database.CreateContainerIfNotExistsAsync(container.Id, "/pk")).StatusCode);
            string missing = Account.UniqueId("c");
            Check.Equal(HttpStatusCode.Created, (await database.CreateContainerIfNotExistsAsync(missing, "/pk")).StatusCode);
        }

        public async Task A_policy_of_every_kind_of_index_is_kept()
        {
            Database database = await Database;
            ContainerResponse created = await database.DefineContainer(Account.UniqueId("c"), "/pk")
                .WithIndexingPolicy()
                    .WithIncludedPaths().Path("/*").Attach()
                    .WithExcludedPaths().Path("/raw/*").Attach()
                    .WithCompositeIndex().Path("/n").Path("/text", CompositePathSortOrder.Descending).Attach()
                    .WithSpatialIndex().Path("/place/*", SpatialType.Point, SpatialType.Polygon).Attach()
                .Attach()
                .WithUniqueKey().Path("/email").Attach()
                .WithDefaultTimeToLive(-1)
                .CreateAsync();
            ContainerProperties read = (await created.Container.ReadContainerAsync()).Resource;
            Check.Equal(-1, read.DefaultTimeToLive);
            Check.Equal("/email", read.UniqueKeyPolicy.UniqueKeys.Single().Paths.Single());
            Collection<CompositePath> composite = read.IndexingPolicy.CompositeIndexes.Single();
            Check.Equal(new[] { "/n Ascending", "/text Descending" }, composite.Select(path => $"{path.Path} {path.Order}"));
            Check.Equal("/place/*", read.IndexingPolicy.SpatialIndexes.Single().Path);
        }

        public async Task A_program_notices_that_its_container_was_deleted_and_made_again()
        {
            Database database = await Database;
            Container container = await NewContainer();
            var thing = new Thing { Id = "a", Pk = "x", N = 1 };
            await container.CreateItemAsync(thing);
            using (CosmosClient other = Account.NewClient())
            {
                await other.GetContainer(database.Id, container.Id).DeleteContainerAsync();
                await Check.Fails(HttpStatusCode.NotFound, () => container.ReadItemAsync<Thing>("a", new PartitionKey("x")));
                await other.GetDatabase(database.Id).CreateContainerAsync(container.Id, "/text");
            }
            await container.CreateItemAsync(new { id = "b", text = "key" }, new PartitionKey("key"));
            Check.Equal("b", (await container.ReadItemAsync<JObject>("b", new PartitionKey("key"))).Resource["id"]);
        }

        public async Task A_computed_property_is_found_by_queries()
        {
            var properties = new ContainerProperties(Account.UniqueId("c"), "/pk");
            properties.ComputedProperties.Add(new ComputedProperty { Name = "lower", Query = "SELECT VALUE LOWER(c.text) FROM c" });
            Container container = await NewContainer(properties);
            await container.CreateItemAsync(new Thing { Id = "a", Pk = "x", Text = "HELLO" });
            Check.Equal(new[] { "a" }, await container.Query<string>("SELECT VALUE c.id FROM c WHERE c.lower = 'hello'"));
        }
    }

    public sealed class Throughputs : Cases
    {
        public async Task It_is_read_and_replaced()
        {
            Container container = await NewContainer("/pk", 500);
            ThroughputResponse read = await container.ReadThroughputAsync(new RequestOptions());
            Check.Equal(500, read.Resource.Throughput);
            await container.ReplaceThroughputAsync(800);
            Check.Equal(800, await container.ReadThroughputAsync());
            await Check.Fails(HttpStatusCode.BadRequest, () => container.ReplaceThroughputAsync(150));
        }

        public async Task An_autoscaled_container_says_its_maximum_and_can_become_manual()
        {
            Database database = await Database;
            var properties = new ContainerProperties(Account.UniqueId("c"), "/pk");
            Container container = (await database.CreateContainerAsync(properties, ThroughputProperties.CreateAutoscaleThroughput(4000))).Container;
            ThroughputResponse read = await container.ReadThroughputAsync(new RequestOptions());
            Check.Equal(4000, read.Resource.AutoscaleMaxThroughput);
            ThroughputResponse more = await container.ReplaceThroughputAsync(ThroughputProperties.CreateAutoscaleThroughput(6000));
            Check.Equal(6000, more.Resource.AutoscaleMaxThroughput);
            // The SDK has no name for this; the service takes the offer as it is, with this header.
            var toManual = new RequestOptions { AddRequestHeaders = headers => headers.Add("x-ms-cosmos-migrate-offer-to-manual-throughput", "true") };
            ThroughputResponse manual = await container.ReplaceThroughputAsync(more.Resource, toManual);
            Check.Equal(null, manual.Resource.AutoscaleMaxThroughput);
            Check.Equal(6000, manual.Resource.Throughput);
            await container.ReplaceThroughputAsync(500);
            Check.Equal(500, await container.ReadThroughputAsync());
        }

        public async Task A_databases_containers_share_what_it_has()
        {
            Database database = (await Account.Client.CreateDatabaseAsync(Account.UniqueId("conformance-net"), 1000)).Database;
            try
            {
                Check.Equal(1000, await database.ReadThroughputAsync());
                Container container = (await database.CreateContainerAsync("shares", "/pk")).Container;
                Check.Equal(null, await container.ReadThroughputAsync());
                await Check.Fails(HttpStatusCode.NotFound, () => container.ReadThroughputAsync(new RequestOptions()));
            }
            finally
            {
                await database.DeleteAsync();
            }
        }

        public async Task More_than_one_partition_can_give_becomes_several()
        {
            Container container = await NewContainer("/pk", 400);
            await container.CreateItemAsync(new Thing { Id = "a", Pk = "x", N = 1 });
            Check.Equal(1, (await container.GetFeedRangesAsync()).Count);
            ThroughputResponse response = await container.ReplaceThroughputAsync(ThroughputProperties.CreateManualThroughput(21000));
            while (response.IsReplacePending == true) response = await container.ReadThroughputAsync(new RequestOptions());
            using (CosmosClient other = Account.NewClient())
            {
                Container same = other.GetContainer((await Database).Id, container.Id);
                Check.True((await same.GetFeedRangesAsync()).Count >= 3, "there are three partitions");
            }
            Check.Equal(1, (await container.ReadItemAsync<Thing>("a", new PartitionKey("x"))).Resource.N);
            Check.Equal(new[] { "a" }, await container.Query<string>("SELECT VALUE c.id FROM c"));
        }
    }
}
