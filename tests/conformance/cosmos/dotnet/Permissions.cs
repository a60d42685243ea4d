using System.Linq;
using System.Net;
using System.Threading.Tasks;
using Microsoft.Azure.Cosmos;

namespace Conformance
{
    public sealed class Permissions : Cases
    {
        private static readonly PartitionKey X = new PartitionKey("x");

        /// <summary>The container as a client sees it that has nothing but the token of a new permission.</summary>
        private async Task<(CosmosClient, Container)> Limited(Container container, PermissionMode mode, PartitionKey? key = null)
        {
            User user = (await (await Database).CreateUserAsync(Account.UniqueId("u"))).User;
            var properties = new PermissionProperties("p", mode, container, key);
            string token = (await user.CreatePermissionAsync(properties)).Resource.Token;
            CosmosClient client = Account.NewClient(key: token);
            return (client, client.GetContainer(container.Database.Id, container.Id));
        }

        public async Task Users_and_their_permissions_are_created_read_renamed_listed_and_deleted()
        {
            Database database = await Database;
            Container container = await NewContainer();
            User user = (await database.CreateUserAsync("ada")).User;
            await Check.Fails(HttpStatusCode.Conflict, () => database.CreateUserAsync("ada"));
            Check.Equal("grace", (await user.ReplaceAsync(new UserProperties("grace"))).Resource.Id);
            await Check.Fails(HttpStatusCode.NotFound, () => database.GetUser("ada").ReadAsync());
            User grace = database.GetUser("grace");
            await grace.CreatePermissionAsync(new PermissionProperties("p", PermissionMode.Read, container));
            PermissionResponse upserted = await grace.UpsertPermissionAsync(new PermissionProperties("p", PermissionMode.All, container));
            Check.Equal(PermissionMode.All, upserted.Resource.PermissionMode);
            Check.Equal(new[] { "p" }, (await grace.GetPermissionQueryIterator<PermissionProperties>().All()).Select(p => p.Id));
            Check.True((await database.GetUserQueryIterator<UserProperties>().All()).Any(u => u.Id == "grace"), "she is listed");
            Check.Equal(HttpStatusCode.NoContent, (await grace.GetPermission("p").DeleteAsync()).StatusCode);
            await grace.DeleteAsync();
            await Check.Fails(HttpStatusCode.NotFound, () => grace.ReadAsync());
        }

        public async Task A_token_for_reading_reads_and_does_not_write()
        {
            Container container = await NewContainer();
            await container.CreateItemAsync(new Thing { Id = "a", Pk = "x", N = 1 });
            (CosmosClient client, Container reader) = await Limited(container, PermissionMode.Read);
            using (client)
            {
                Check.Equal(1, (await reader.ReadItemAsync<Thing>("a", X)).Resource.N);
                Check.Equal(new[] { "a" }, await reader.Query<string>("SELECT VALUE c.id FROM c"));
                await Check.Fails(HttpStatusCode.Forbidden, () => reader.CreateItemAsync(new Thing { Id = "b", Pk = "x" }, X));
                await Check.Fails(HttpStatusCode.Forbidden, () => reader.DeleteItemAsync<Thing>("a", X));
                await Check.Fails(HttpStatusCode.Forbidden, () => reader.DeleteContainerAsync());
            }
        }

        public async Task A_token_for_one_key_stays_in_it()
        {
            Container container = await NewContainer();
            await container.CreateItemAsync(new Thing { Id = "a", Pk = "y" });
            (CosmosClient client, Container writer) = await Limited(container, PermissionMode.All, X);
            using (client)
            {
                await writer.CreateItemAsync(new Thing { Id = "a", Pk = "x", N = 5 }, X);
                var options = new QueryRequestOptions { PartitionKey = X };
                Check.Equal(new[] { 5 }, await writer.Query<int>("SELECT VALUE c.n FROM c", options));
                await Check.Fails(HttpStatusCode.Forbidden, () => writer.ReadItemAsync<Thing>("a", new PartitionKey("y")));
                await Check.Fails(HttpStatusCode.Forbidden, () => writer.CreateItemAsync(new Thing { Id = "b", Pk = "y" }, new PartitionKey("y")));
            }
        }

        public async Task A_token_of_another_container_is_good_for_nothing()
        {
            Container container = await NewContainer();
            await container.CreateItemAsync(new Thing { Id = "a", Pk = "x" });
            (CosmosClient client, Container other) = await Limited(await NewContainer(), PermissionMode.All);
            using (client)
            {
                await other.CreateItemAsync(new Thing { Id = "a", Pk = "x" }, X);
                Container foreign = client.GetContainer(container.Database.Id, container.Id);
                await Check.Fails(HttpStatusCode.Forbidden, () => foreign.ReadItemAsync<Thing>("a", X));
            }
        }
    }
}
