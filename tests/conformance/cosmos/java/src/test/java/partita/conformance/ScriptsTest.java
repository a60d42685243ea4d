package partita.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static partita.conformance.Account.assertFails;
import static partita.conformance.Account.item;
import static partita.conformance.Account.newContainer;
import static partita.conformance.Account.newDatabase;

import com.azure.cosmos.CosmosContainer;
import com.azure.cosmos.CosmosDatabase;
import com.azure.cosmos.CosmosException;
import com.azure.cosmos.CosmosScripts;
import com.azure.cosmos.models.CosmosItemRequestOptions;
import com.azure.cosmos.models.CosmosQueryRequestOptions;
import com.azure.cosmos.models.CosmosStoredProcedureProperties;
import com.azure.cosmos.models.CosmosStoredProcedureRequestOptions;
import com.azure.cosmos.models.CosmosStoredProcedureResponse;
import com.azure.cosmos.models.CosmosTriggerProperties;
import com.azure.cosmos.models.CosmosUserDefinedFunctionProperties;
import com.azure.cosmos.models.PartitionKey;
import com.azure.cosmos.models.TriggerOperation;
import com.azure.cosmos.models.TriggerType;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class ScriptsTest {
    private static final PartitionKey X = new PartitionKey("x");
    private static CosmosDatabase database;
    private static CosmosContainer container;
    private static CosmosScripts scripts;

    @BeforeAll
    static void createContainer() {
        database = newDatabase();
        container = newContainer(database, "/pk");
        scripts = container.getScripts();
    }

    @AfterAll
    static void deleteDatabase() {
        database.delete();
    }

    private static CosmosStoredProcedureResponse execute(String id, Object... arguments) {
        CosmosStoredProcedureRequestOptions options = new CosmosStoredProcedureRequestOptions();
        options.setPartitionKey(X);
        options.setScriptLoggingEnabled(true);
        return scripts.getStoredProcedure(id).execute(List.of(arguments), options);
    }

    @Test
    void aProcedureAnswersAndLogs() {
        String body = "function (n) { console.log('got ' + n); getContext().getResponse().setBody(n + 1); }";
        scripts.createStoredProcedure(new CosmosStoredProcedureProperties("next", body));
        CosmosStoredProcedureResponse response = execute("next", 41);
        assertEquals("42", response.getResponseAsString());
        assertTrue(response.getScriptLog().contains("got"));
        scripts.getStoredProcedure("next").delete();
        assertFails(404, () -> execute("next", 41));
    }

    @Test
    void anErrorRollsBack() {
        String body = "function () { __.createDocument(__.getSelfLink(), { id: 'lost', pk: 'x' }, () => { throw new Error('no'); }); }";
        scripts.createStoredProcedure(new CosmosStoredProcedureProperties("lose", body));
        CosmosException error = assertFails(400, () -> execute("lose"));
        assertTrue(error.getMessage().contains("Exception = Error: no"));
        assertFails(404, () -> container.readItem("lost", X, JsonNode.class));
    }

    @Test
    void triggersRunWithTheirWrite() {
        CosmosTriggerProperties trigger = new CosmosTriggerProperties(
            "stamp", "function () { const d = __.request.getBody(); d.stamp = 1; __.request.setBody(d); }");
        trigger.setTriggerType(TriggerType.PRE);
        trigger.setTriggerOperation(TriggerOperation.CREATE);
        scripts.createTrigger(trigger);
        CosmosItemRequestOptions options = new CosmosItemRequestOptions();
        options.setPreTriggerInclude(List.of("stamp"));
        container.createItem(item("stamped", "x"), X, options);
        assertEquals(1, container.readItem("stamped", X, JsonNode.class).getItem().get("stamp").asInt());
        assertFails(400, () -> container.replaceItem(item("stamped", "x"), "stamped", X, options));
    }

    @Test
    void functionsStandInQueries() {
        scripts.createUserDefinedFunction(
            new CosmosUserDefinedFunctionProperties("twice", "function (x) { return 2 * x; }"));
        container.createItem(item("udf", "x").put("n", 21));
        List<Integer> rows = container
            .queryItems("SELECT VALUE udf.twice(c.n) FROM c WHERE c.id = 'udf'",
                new CosmosQueryRequestOptions().setPartitionKey(X), Integer.class)
            .stream().toList();
        assertEquals(List.of(42), rows);
    }

    @Test
    void proceduresAreListedQueriedReplacedAndDeleted() {
        scripts.createStoredProcedure(new CosmosStoredProcedureProperties("kept", "function () {}"));
        assertFails(409, () -> scripts.createStoredProcedure(new CosmosStoredProcedureProperties("kept", "function () {}")));
        assertTrue(scripts.readAllStoredProcedures().stream().anyMatch(each -> each.getId().equals("kept")));
        assertEquals(1, scripts.queryStoredProcedures("SELECT * FROM r WHERE r.id = 'kept'", new CosmosQueryRequestOptions()).stream().count());
        CosmosStoredProcedureProperties read = scripts.getStoredProcedure("kept").read().getProperties();
        scripts.getStoredProcedure("kept").replace(read.setBody("function () { getContext().getResponse().setBody('new'); }"));
        assertEquals("\"new\"", execute("kept").getResponseAsString());
        scripts.getStoredProcedure("kept").delete();
        assertFails(404, () -> scripts.getStoredProcedure("kept").read());
    }

    @Test
    void triggersAreListedQueriedReplacedAndDeleted() {
        CosmosTriggerProperties trigger = new CosmosTriggerProperties("post", "function () { throw new Error('refused'); }");
        trigger.setTriggerType(TriggerType.POST);
        trigger.setTriggerOperation(TriggerOperation.ALL);
        scripts.createTrigger(trigger);
        assertTrue(scripts.readAllTriggers().stream().anyMatch(each -> each.getId().equals("post")));
        assertEquals(1, scripts.queryTriggers("SELECT * FROM r WHERE r.id = 'post'", new CosmosQueryRequestOptions()).stream().count());
        CosmosItemRequestOptions options = new CosmosItemRequestOptions();
        options.setPostTriggerInclude(List.of("post"));
        assertFails(400, () -> container.createItem(item("refused", "x"), X, options));
        assertFails(404, () -> container.readItem("refused", X, JsonNode.class));
        CosmosTriggerProperties read = scripts.getTrigger("post").read().getProperties();
        assertEquals(TriggerType.POST, read.getTriggerType());
        scripts.getTrigger("post").replace(read.setBody("function () {}"));
        container.createItem(item("refused", "x"), X, options);
        scripts.getTrigger("post").delete();
        assertFails(404, () -> scripts.getTrigger("post").read());
    }

    @Test
    void functionsAreListedQueriedReplacedAndDeleted() {
        scripts.createUserDefinedFunction(new CosmosUserDefinedFunctionProperties("kept", "function () { return 1; }"));
        assertTrue(scripts.readAllUserDefinedFunctions().stream().anyMatch(each -> each.getId().equals("kept")));
        assertEquals(1,
            scripts.queryUserDefinedFunctions("SELECT * FROM r WHERE r.id = 'kept'", new CosmosQueryRequestOptions()).stream().count());
        CosmosUserDefinedFunctionProperties read = scripts.getUserDefinedFunction("kept").read().getProperties();
        scripts.getUserDefinedFunction("kept").replace(read.setBody("function () { return 2; }"));
        assertEquals("function () { return 2; }", scripts.getUserDefinedFunction("kept").read().getProperties().getBody());
        scripts.getUserDefinedFunction("kept").delete();
        assertFails(404, () -> scripts.getUserDefinedFunction("kept").read());
    }
}
