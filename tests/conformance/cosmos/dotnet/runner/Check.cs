using System;
using System.Net;
using System.Threading.Tasks;
using Microsoft.Azure.Cosmos;
using Newtonsoft.Json;

namespace Conformance
{
    public sealed class CheckFailedException : Exception
    {
        public CheckFailedException(string message) : base(message)
        {
        }
    }

    /// <summary>What a case expects. Values are compared as the JSON texts that they have.</summary>
    public static class Check
    {
        public static void Equal(object expected, object actual, string what = "")
        {
            string wanted = JsonConvert.SerializeObject(expected);
            string found = JsonConvert.SerializeObject(actual);
            if (wanted != found) throw new CheckFailedException($"{what} expected {wanted}, got {found}".TrimStart());
        }

        public static void True(bool condition, string what)
        {
            if (!condition) throw new CheckFailedException(what);
        }

        public static void Contains(string part, string text) => True(text.Contains(part), $"\"{part}\" is not in \"{text}\"");

        /// <summary>The request must fail with this status, and with this sub-status if one is given.</summary>
        public static async Task<CosmosException> Fails(HttpStatusCode status, Func<Task> request, int? substatus = null)
        {
            try
            {
                await request();
            }
            catch (CosmosException failure)
            {
                Equal(status, failure.StatusCode, $"status of \"{failure.Message}\":");
                if (substatus.HasValue) Equal(substatus, failure.SubStatusCode, $"sub-status of \"{failure.Message}\":");
                return failure;
            }
            throw new CheckFailedException($"expected {(int)status}, but it succeeded");
        }
    }
}
