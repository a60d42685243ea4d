using System;
using System.Collections.Generic;
using System.Linq;
using System.Net;
using System.Net.Http;
using System.Security.Cryptography;
using System.Text;
using System.Threading.Tasks;
using Microsoft.Azure.Cosmos;
using Newtonsoft.Json;
using Newtonsoft.Json.Linq;

namespace Conformance
{
    /// <summary>What cases of physical partitions need: the account's admin API, which no SDK knows.</summary>
    public static class Admin
    {
        private static readonly HttpClient Http = new HttpClient();

        /// <summary>Ends the case on an account that has no such API.</summary>
        public static async Task MustBeThere()
        {
            using (HttpResponseMessage answer = await Send("GET", "partita", "reshapes", "/_partita/reshapes", null))
            {
                if (answer.StatusCode != HttpStatusCode.OK) throw new SkippedException("the account does not split on demand");
            }
        }

        /// <summary>Splits a partition, or merges it with its neighbour; the ids of what came of it.</summary>
        public static async Task<List<string>> Reshape(string kind, Container container, string range)
        {
            string order = JsonConvert.SerializeObject(new { database = container.Database.Id, container = container.Id, range });
            JObject answer = await Ask("POST", "partita", kind, $"/_partita/{kind}", order);
            return answer["children"].ToObject<List<string>>();
        }

        public static Task Rekey(Container container, string path)
        {
            var partitionKey = new { paths = new[] { path }, kind = "Hash", version = 2 };
            string order = JsonConvert.SerializeObject(new { database = container.Database.Id, container = container.Id, partitionKey });
            return Ask("POST", "partita", "rekey", "/_partita/rekey", order);
        }

        /// <summary>The ids of the container's partitions, in the order of their hashes.</summary>
        public static async Task<List<string>> Ranges(Container container)
        {
            string link = $"dbs/{container.Database.Id}/colls/{container.Id}";
            JObject answer = await Ask("GET", "pkranges", link, $"/{link}/pkranges", null);
            return answer["PartitionKeyRanges"].OrderBy(range => (string)range["minInclusive"], StringComparer.Ordinal)
                .Select(range => (string)range["id"]).ToList();
        }

        private static async Task<JObject> Ask(string method, string kind, string link, string path, string body)
        {
            using (HttpResponseMessage answer = await Send(method, kind, link, path, body))
            {
                string text = await answer.Content.ReadAsStringAsync();
                Check.Equal(HttpStatusCode.OK, answer.StatusCode, $"{path}: {text}");
                return JObject.Parse(text);
            }
        }

        private static async Task<HttpResponseMessage> Send(string method, string kind, string link, string path, string body)
        {
            string date = DateTime.UtcNow.ToString("r");
            string signed = $"{method.ToLowerInvariant()}\n{kind}\n{link}\n{date.ToLowerInvariant()}\n\n";
            using (var hash = new HMACSHA256(Convert.FromBase64String(Account.Key)))
            {
                string signature = Convert.ToBase64String(hash.ComputeHash(Encoding.UTF8.GetBytes(signed)));
                var request = new HttpRequestMessage(new HttpMethod(method), new Uri(new Uri(Account.Endpoint), path));
                request.Headers.TryAddWithoutValidation("authorization", Uri.EscapeDataString($"type=master&ver=1.0&sig={signature}"));
                request.Headers.Add("x-ms-date", date);
                request.Headers.Add("x-ms-version", "2020-07-15");
                if (body != null) request.Content = new StringContent(body);
                return await Http.SendAsync(request);
            }
        }
    }
}
