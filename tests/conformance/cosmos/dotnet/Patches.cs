using System.Net;
using System.Threading.Tasks;
using Microsoft.Azure.Cosmos;
using Newtonsoft.Json.Linq;

namespace Conformance
{
    public sealed class Patches : Cases
    {
        private static readonly PartitionKey X = new PartitionKey("x");

        private async Task<Container> With(string json)
        {
            Container container = await NewContainer();
            await container.CreateItemAsync(JObject.Parse(json), X);
            return container;
        }

        public async Task Every_operation_changes_its_path()
        {
            Container container = await With("{'id':'a','pk':'x','n':1,'list':[1,2],'old':true,'from':{'deep':'v'}}");
            JObject found = await container.PatchItemAsync<JObject>("a", X, new[]
            {
                PatchOperation.Add("/list/1", 9),
                PatchOperation.Add("/list/-", 3),
                PatchOperation.Set("/made", new { x = 1 }),
                PatchOperation.Replace("/old", false),
                PatchOperation.Increment("/n", 1.5),
                PatchOperation.Move("/from/deep", "/moved"),
                PatchOperation.Remove("/from"),
            });
            foreach (string name in new[] { "_rid", "_self", "_etag", "_attachments", "_ts" }) found.Remove(name);
            JToken expected = JObject.Parse("{'id':'a','pk':'x','n':2.5,'list':[1,9,2,3],'old':false,'made':{'x':1},'moved':'v'}");
            Check.True(JToken.DeepEquals(expected, found), found.ToString());
        }

        public async Task A_condition_that_does_not_hold_is_412()
        {
            Container container = await With("{'id':'a','pk':'x','n':1}");
            PatchOperation[] increment = { PatchOperation.Increment("/n", 1) };
            PatchItemRequestOptions If(string predicate) => new PatchItemRequestOptions { FilterPredicate = predicate };
            await container.PatchItemAsync<Thing>("a", X, increment, If("FROM c WHERE c.n = 1"));
            await Check.Fails(
                HttpStatusCode.PreconditionFailed, () => container.PatchItemAsync<Thing>("a", X, increment, If("FROM c WHERE c.n = 1")));
            Check.Equal(2, (await container.ReadItemAsync<Thing>("a", X)).Resource.N);
        }

        public async Task A_path_that_is_not_there_is_400_and_changes_nothing()
        {
            Container container = await With("{'id':'a','pk':'x','n':1}");
            PatchOperation[] operations = { PatchOperation.Increment("/n", 1), PatchOperation.Remove("/missing") };
            await Check.Fails(HttpStatusCode.BadRequest, () => container.PatchItemAsync<Thing>("a", X, operations));
            await Check.Fails(HttpStatusCode.BadRequest, () => container.PatchItemAsync<Thing>("a", X, new[] { PatchOperation.Set("/pk", "y") }));
            Check.Equal(1, (await container.ReadItemAsync<Thing>("a", X)).Resource.N);
        }

        public async Task Increments_of_many_at_once_all_count()
        {
            Container container = await With("{'id':'a','pk':'x','n':0}");
            var work = new Task[20];
            for (int i = 0; i < work.Length; i++)
            {
                work[i] = container.PatchItemAsync<Thing>("a", X, new[] { PatchOperation.Increment("/n", 1) });
            }
            await Task.WhenAll(work);
            Check.Equal(20, (await container.ReadItemAsync<Thing>("a", X)).Resource.N);
        }
    }
}
