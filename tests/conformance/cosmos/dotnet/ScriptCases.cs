using System.Collections.Generic;
using System.Linq;
using System.Net;
using System.Threading.Tasks;
using Microsoft.Azure.Cosmos;
using Microsoft.Azure.Cosmos.Scripts;
using Newtonsoft.Json.Linq;

namespace Conformance
{
    public sealed class ScriptCases : Cases
    {
        private static readonly PartitionKey X = new PartitionKey("x");

        private async Task<Container> With(string procedure, string body)
        {
            Container container = await NewContainer();
            StoredProcedureResponse created = await container.Scripts.CreateStoredProcedureAsync(new StoredProcedureProperties(procedure, body));
            Check.Equal(HttpStatusCode.Created, created.StatusCode);
            return container;
        }

        public async Task A_procedure_gets_arguments_and_answers()
        {
            Container container = await With("sum", "function (a, b) { getContext().getResponse().setBody({ sum: a + b.n }); }");
            StoredProcedureExecuteResponse<JObject> answer =
                await container.Scripts.ExecuteStoredProcedureAsync<JObject>("sum", X, new dynamic[] { 1, new { n = 2 } });
            Check.Equal(3, answer.Resource["sum"]);
            Check.True(answer.RequestCharge > 0 && answer.SessionToken != null, "charge and session are there");
        }

        public async Task A_procedure_changes_all_or_nothing()
        {
            const string Body = @"function (ids, fails) {
                const c = getContext().getCollection();
                ids.forEach(id => c.createDocument(c.getSelfLink(), { id, pk: 'x' }, error => { if (error) throw error; }));
                if (fails) throw new Error('on purpose');
            }";
            Container container = await With("make", Body);
            Task Make(bool fails, params string[] ids) =>
                container.Scripts.ExecuteStoredProcedureAsync<string>("make", X, new dynamic[] { ids, fails });
            CosmosException failure = await Check.Fails(HttpStatusCode.BadRequest, () => Make(true, "a", "b"));
            Check.Contains("on purpose", failure.Message);
            Check.Equal(new string[0], await container.Query<string>("SELECT VALUE c.id FROM c"));
            await Make(false, "a", "b");
            Check.Equal(new[] { "a", "b" }, await container.Query<string>("SELECT VALUE c.id FROM c ORDER BY c.id"));
        }

        public async Task What_a_procedure_logs_comes_back()
        {
            Container container = await With("logs", "function () { console.log('seen here'); }");
            var options = new StoredProcedureRequestOptions { EnableScriptLogging = true };
            StoredProcedureExecuteResponse<string> answer =
                await container.Scripts.ExecuteStoredProcedureAsync<string>("logs", X, new dynamic[0], options);
            Check.Contains("seen here", answer.ScriptLog);
        }

        public async Task Procedures_are_read_replaced_listed_and_deleted()
        {
            Container container = await With("one", "function () { return 1; }");
            Scripts scripts = container.Scripts;
            await Check.Fails(HttpStatusCode.Conflict, () => scripts.CreateStoredProcedureAsync(new StoredProcedureProperties("one", "function () {}")));
            await scripts.ReplaceStoredProcedureAsync(new StoredProcedureProperties("one", "function () { return 2; }"));
            Check.Contains("return 2", (await scripts.ReadStoredProcedureAsync("one")).Resource.Body);
            List<StoredProcedureProperties> listed = await scripts.GetStoredProcedureQueryIterator<StoredProcedureProperties>().All();
            Check.Equal(new[] { "one" }, listed.Select(one => one.Id));
            await scripts.DeleteStoredProcedureAsync("one");
            await Check.Fails(HttpStatusCode.NotFound, () => scripts.ExecuteStoredProcedureAsync<string>("one", X, new dynamic[0]));
        }

        public async Task A_trigger_runs_before_a_write_and_another_after_it()
        {
            Container container = await NewContainer();
            await container.Scripts.CreateTriggerAsync(new TriggerProperties
            {
                Id = "stamp", TriggerType = TriggerType.Pre, TriggerOperation = TriggerOperation.Create,
                Body = @"function () { const r = getContext().getRequest(); const d = r.getBody(); d.n = 42; r.setBody(d); }",
            });
            await container.Scripts.CreateTriggerAsync(new TriggerProperties
            {
                Id = "refuse", TriggerType = TriggerType.Post, TriggerOperation = TriggerOperation.All,
                Body = @"function () { if (getContext().getResponse().getBody().text === 'bad') throw new Error('refused'); }",
            });
            var options = new ItemRequestOptions { PreTriggers = new[] { "stamp" }, PostTriggers = new[] { "refuse" } };
            Check.Equal(42, (await container.CreateItemAsync(new Thing { Id = "a", Pk = "x" }, X, options)).Resource.N);
            var bad = new Thing { Id = "b", Pk = "x", Text = "bad" };
            await Check.Fails(HttpStatusCode.BadRequest, () => container.CreateItemAsync(bad, X, options));
            await Check.Fails(HttpStatusCode.NotFound, () => container.ReadItemAsync<Thing>("b", X));
            Check.Equal(2, (await container.Scripts.GetTriggerQueryIterator<TriggerProperties>().All()).Count);
        }

        public async Task A_function_computes_in_queries()
        {
            Container container = await NewContainer();
            await container.CreateItemAsync(new Thing { Id = "a", Pk = "x", N = 20 });
            await container.Scripts.CreateUserDefinedFunctionAsync(
                new UserDefinedFunctionProperties { Id = "tax", Body = "function (n) { return n * 1.5; }" });
            Check.Equal(new[] { 30 }, await container.Query<int>("SELECT VALUE udf.tax(c.n) FROM c WHERE udf.tax(c.n) > 25"));
            Check.Contains("1.5", (await container.Scripts.ReadUserDefinedFunctionAsync("tax")).Resource.Body);
            await container.Scripts.DeleteUserDefinedFunctionAsync("tax");
            await Check.Fails(HttpStatusCode.BadRequest, () => container.Query<int>("SELECT VALUE udf.tax(c.n) FROM c"));
        }
    }
}
