using System.Linq;
using System.Net;
using System.Threading.Tasks;
using Microsoft.Azure.Cosmos;

namespace Conformance
{
    public sealed class Databases : Cases
    {
        public async Task A_database_is_created_read_listed_and_deleted()
        {
            string id = Account.UniqueId("conformance-net");
            DatabaseResponse created = await Account.Client.CreateDatabaseAsync(id);
            Check.Equal(HttpStatusCode.Created, created.StatusCode);
            Check.Equal(id, created.Resource.Id);
            Check.Equal(created.ETag, (await created.Database.ReadAsync()).ETag);
            var query = new QueryDefinition("SELECT * FROM d WHERE d.id = @id").WithParameter("@id", id);
            Check.Equal(new[] { id }, (await Account.Client.GetDatabaseQueryIterator<DatabaseProperties>(query).All()).Select(d => d.Id));
            Check.True((await Account.Client.GetDatabaseQueryIterator<DatabaseProperties>().All()).Any(d => d.Id == id), "it is listed");
            Check.Equal(HttpStatusCode.NoContent, (await created.Database.DeleteAsync()).StatusCode);
            await Check.Fails(HttpStatusCode.NotFound, () => created.Database.ReadAsync());
        }

        public async Task Creating_it_twice_is_409_unless_the_program_says_if_it_is_missing()
        {
            string id = (await Database).Id;
            await Check.Fails(HttpStatusCode.Conflict, () => Account.Client.CreateDatabaseAsync(id));
            Check.Equal(HttpStatusCode.OK, (await Account.Client.CreateDatabaseIfNotExistsAsync(id)).StatusCode);
            string other = Account.UniqueId("conformance-net");
            DatabaseResponse made = await Account.Client.CreateDatabaseIfNotExistsAsync(other);
            Check.Equal(HttpStatusCode.Created, made.StatusCode);
            await made.Database.DeleteAsync();
        }

        public async Task The_account_says_how_consistent_it_is_and_where()
        {
            AccountProperties account = await Account.Client.ReadAccountAsync();
            Check.True(account.Consistency.DefaultConsistencyLevel >= 0, "there is a level");
            Check.True(account.WritableRegions.Any() && account.ReadableRegions.Any(), "there are regions");
        }

        public async Task A_wrong_key_is_401()
        {
            using (CosmosClient stranger = Account.NewClient(key: "d3Jvbmcga2V5IHdyb25nIGtleSB3cm9uZyBrZXk="))
            {
                await Check.Fails(HttpStatusCode.Unauthorized, () => stranger.CreateDatabaseAsync("stolen"));
            }
        }
    }
}
