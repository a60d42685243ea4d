package partita.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.azure.cosmos.CosmosContainer;
import com.azure.cosmos.CosmosDatabase;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.net.http.HttpResponse;

/** Splits and merges on demand, which no SDK knows. */
final class Reshapes {
    private static final String PARTITA_VERSION = "2020-07-15";

    private Reshapes() {}

    /** Splits a partition, or merges it with its neighbour; the id of the first that came of it. */
    static String reshape(String kind, CosmosDatabase database, CosmosContainer container, String range) throws Exception {
        String order = new ObjectMapper().createObjectNode()
            .put("database", database.getId())
            .put("container", container.getId())
            .put("range", range)
            .toString();
        HttpResponse<String> answer = SignedRequest.post("partita", kind, "/_partita/" + kind, PARTITA_VERSION, order);
        assumeTrue(answer.statusCode() != 405, "the account does not split on demand");
        assertEquals(200, answer.statusCode(), answer.body());
        JsonNode children = new ObjectMapper().readTree(answer.body()).get("children");
        return children.get(0).asText();
    }
}
