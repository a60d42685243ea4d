package partita.conformance;

import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Base64;
import java.util.Locale;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** One POST signed by hand, with an API version that the SDK no longer speaks. */
final class SignedRequest {
    private static final DateTimeFormatter HTTP_DATE =
        DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ENGLISH);

    private SignedRequest() {}

    static HttpResponse<String> post(String type, String link, String path, String version, String body)
        throws IOException, InterruptedException, GeneralSecurityException {
        String date = HTTP_DATE.format(ZonedDateTime.now(ZoneOffset.UTC));
        HttpRequest request = HttpRequest.newBuilder(URI.create(Account.ENDPOINT).resolve(path))
            .header("authorization", token(Account.KEY, "post", type, link, date))
            .header("x-ms-date", date)
            .header("x-ms-version", version)
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build();
        HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        return client.send(request, HttpResponse.BodyHandlers.ofString());
    }

    static String token(String key, String verb, String type, String link, String date) throws GeneralSecurityException {
        String signed = verb + "\n" + type + "\n" + link + "\n" + date.toLowerCase(Locale.ENGLISH) + "\n\n";
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(Base64.getDecoder().decode(key), "HmacSHA256"));
        byte[] signature = mac.doFinal(signed.getBytes(StandardCharsets.UTF_8));
        String token = "type=master&ver=1.0&sig=" + Base64.getEncoder().encodeToString(signature);
        return URLEncoder.encode(token, StandardCharsets.UTF_8);
    }
}
