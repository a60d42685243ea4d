using System.IO;
using System.Net;
using System.Text;
using System.Threading.Tasks;
using Microsoft.Azure.Cosmos;
using Newtonsoft.Json;
using Newtonsoft.Json.Linq;

namespace Conformance
{
    /// <summary>
    /// The ids of the SDK's own tests (CosmosItemIdEncodingTestsBase), and what these expect of the service. In gateway mode
    /// the SDK signs some of them otherwise than it sends them, and both the service and this account answer 401.
    /// </summary>
    public sealed class Identifiers : Cases
    {
        public Task A_plain_id() => IsUsable("Test");

        public Task Spaces_inside() => IsUsable("This is a test");

        public Task A_space_at_the_start() => IsUsable(" Test");

        public Task Spaces_at_the_start() => IsUsable("  Test");

        public Task A_space_at_the_end() => IsUsableInDirectMode("Test ");

        public Task Spaces_at_the_end() => IsUsableInDirectMode("Test  ");

        public Task Unicode() => IsUsable("WithUnicode鱀");

        public Task Special_characters() => IsUsable("WithAllowedSpecial,=.:~+-@()^${}[]!_Chars");

        public Task Base64_without_slashes() => IsUsable(
            "BQE1D3PdG4N4bzU9TKaCIM3qc0TVcZ2-Y3jnsRfwdHC1ombkX3F1dot-SG0-UTq9AbgdX3kOWoP6qL6lJqWeKgV3zwWWPZO-t5X0ehJzv9LGkWld07LID2rhWhGT6huBM6Q=");

        public Task A_question_mark() => IsUsable("Disallowed?Chars");

        // The SDK signs what the id would be if it were unescaped once more.
        public Task A_percent_escape_at_the_end() =>
            IsUsableInDirectMode("IdEndingWithPercentEncodedWhitespace%20");

        // What the SDK sends and signs here is what others do for the unescaped id: that one is looked for, where the service
        // answers 401.
        public async Task Percent_escapes_inside()
        {
            const string id = "WithPercentEncodedSpecialChar%E9%B1%80";
            if (Account.IsDirect)
            {
                await IsUsable(id);
                return;
            }
            Container container = await NewContainer();
            Check.Equal(HttpStatusCode.Created, await Create(container, id), "create:");
            Check.Equal(HttpStatusCode.NotFound, await Read(container, id), "read:");
            Check.Equal(HttpStatusCode.NotFound, await Delete(container, id), "delete:");
        }

        public Task A_number_sign() => IsUsableInDirectMode("Disallowed#Chars");

        public async Task A_slash_can_be_created_and_never_be_found()
        {
            Container container = await NewContainer();
            Check.Equal(HttpStatusCode.Created, await Create(container, "Disallowed/Chars"));
            Check.Equal(HttpStatusCode.NotFound, await Read(container, "Disallowed/Chars"));
            Check.Equal(HttpStatusCode.NotFound, await Replace(container, "Disallowed/Chars"));
            Check.Equal(HttpStatusCode.NotFound, await Delete(container, "Disallowed/Chars"));
        }

        private async Task IsUsable(string id)
        {
            Container container = await NewContainer();
            Check.Equal(HttpStatusCode.Created, await Create(container, id), "create:");
            Check.Equal(HttpStatusCode.OK, await Read(container, id), "read:");
            Check.Equal(HttpStatusCode.OK, await Replace(container, id), "replace:");
            Check.Equal(HttpStatusCode.NoContent, await Delete(container, id), "delete:");
        }

        private async Task IsUsableInDirectMode(string id)
        {
            if (Account.IsDirect)
            {
                await IsUsable(id);
                return;
            }
            Container container = await NewContainer();
            Check.Equal(HttpStatusCode.Created, await Create(container, id), "create:");
            Check.Equal(HttpStatusCode.Unauthorized, await Read(container, id), "read:");
            Check.Equal(HttpStatusCode.Unauthorized, await Replace(container, id), "replace:");
            Check.Equal(HttpStatusCode.Unauthorized, await Delete(container, id), "delete:");
            var options = new QueryRequestOptions { PartitionKey = new PartitionKey(id) };
            Check.Equal(new[] { id }, await container.Query<string>("SELECT VALUE c.id FROM c", options));
        }

        private static async Task<HttpStatusCode> Create(Container container, string id) =>
            await StatusOf(id, container.CreateItemStreamAsync(Payload(id), new PartitionKey(id)));

        private static async Task<HttpStatusCode> Read(Container container, string id) =>
            await StatusOf(id, container.ReadItemStreamAsync(id, new PartitionKey(id)));

        private static async Task<HttpStatusCode> Replace(Container container, string id) =>
            await StatusOf(id, container.ReplaceItemStreamAsync(Payload(id), id, new PartitionKey(id)));

        private static async Task<HttpStatusCode> Delete(Container container, string id) =>
            await StatusOf(id, container.DeleteItemStreamAsync(id, new PartitionKey(id)));

        private static Stream Payload(string id) =>
            new MemoryStream(Encoding.UTF8.GetBytes(JsonConvert.SerializeObject(new { id, pk = id })));

        private static async Task<HttpStatusCode> StatusOf(string id, Task<ResponseMessage> request)
        {
            using (ResponseMessage response = await request)
            {
                if (response.IsSuccessStatusCode && response.StatusCode != HttpStatusCode.NoContent)
                {
                    using (var reader = new StreamReader(response.Content))
                    {
                        Check.Equal(id, JObject.Parse(await reader.ReadToEndAsync())["id"]);
                    }
                }
                return response.StatusCode;
            }
        }
    }
}
