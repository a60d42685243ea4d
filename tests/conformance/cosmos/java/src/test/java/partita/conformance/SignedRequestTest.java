package partita.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.security.GeneralSecurityException;
import org.junit.jupiter.api.Test;

/** Needs no server, so the runner also uses it to see that everything is installed. */
class SignedRequestTest {
    @Test
    void theExampleOfTheServicesDocumentationIsReproduced() throws GeneralSecurityException {
        String key = "dsZQi3KtZmCv1ljt3VNWNm7sQUF1y5rJfC6kv5JiwvW0EndXdDku/dkKBp8/ufDToSxLzR4y+O/0H/t4bQtVNw==";
        assertEquals(
            "type%3Dmaster%26ver%3D1.0%26sig%3Dc09PEVJrgp2uQRkr934kFbTqhByc7TVr3OHyqlu%2Bc%2Bc%3D",
            SignedRequest.token(key, "get", "dbs", "dbs/ToDoList", "Thu, 27 Apr 2017 00:51:12 GMT"));
    }
}
