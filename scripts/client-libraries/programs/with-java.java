import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.HttpRetryException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Base64;

/** Reads the requests of lines.ts, sends each by HttpURLConnection or HttpClient (the argument), prints the answer. */
class WithJava {
  record Got(int status, byte[] body) {}

  static final HttpClient client = HttpClient.newBuilder().followRedirects(HttpClient.Redirect.NORMAL).build();

  public static void main(String[] arguments) throws Exception {
    boolean isOld = arguments[0].equals("HttpURLConnection");
    var lines = new BufferedReader(new InputStreamReader(System.in));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      String[] fields = line.split("\t", -1);
      String[] headers = new String(Base64.getDecoder().decode(fields[2])).split("\n");
      byte[] body = Base64.getDecoder().decode(fields[4]);
      try {
        Got got = isOld ? byConnection(fields, headers, body) : byClient(fields, headers, body);
        System.out.println("ok\t" + got.status + "\t" + Base64.getEncoder().encodeToString(got.body));
      } catch (Exception error) {
        System.out.println("failed\t" + error.toString().replaceAll("\\s+", " ") + "\t");
      }
    }
  }

  static Got byConnection(String[] fields, String[] headers, byte[] body) throws Exception {
    var connection = (HttpURLConnection) URI.create(fields[1]).toURL().openConnection();
    connection.setRequestMethod(fields[0]);
    for (String pair : headers) {
      int at = pair.indexOf(": ");
      if (at > 0) connection.setRequestProperty(pair.substring(0, at), pair.substring(at + 2));
    }
    if (fields[5].equals("expect")) connection.setRequestProperty("Expect", "100-Continue");
    try {
      if (!fields[3].equals("none")) {
        connection.setDoOutput(true);
        if (fields[3].equals("chunked")) connection.setChunkedStreamingMode(0);
        // Expect has an effect in the streaming modes only.
        else if (fields[5].equals("expect")) connection.setFixedLengthStreamingMode(body.length);
        try (var out = connection.getOutputStream()) {
          out.write(body);
        }
      }
      int status = connection.getResponseCode();
      try (InputStream in = status >= 400 ? connection.getErrorStream() : connection.getInputStream()) {
        return new Got(status, in == null ? new byte[0] : in.readAllBytes());
      }
    } catch (HttpRetryException error) {
      // A streamed body cannot be repeated with a password, so the library throws at 401.
      return new Got(error.responseCode(), new byte[0]);
    }
  }

  static Got byClient(String[] fields, String[] headers, byte[] body) throws Exception {
    BodyPublisher sent =
        switch (fields[3]) {
          case "length" -> BodyPublishers.ofByteArray(body);
          case "chunked" -> BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(body));
          default -> BodyPublishers.noBody();
        };
    var request = HttpRequest.newBuilder(URI.create(fields[1])).method(fields[0], sent);
    for (String pair : headers) {
      int at = pair.indexOf(": ");
      if (at > 0) request.header(pair.substring(0, at), pair.substring(at + 2));
    }
    if (fields[5].equals("expect")) request.expectContinue(true);
    var response = client.send(request.build(), BodyHandlers.ofByteArray());
    return new Got(response.statusCode(), response.body());
  }
}
