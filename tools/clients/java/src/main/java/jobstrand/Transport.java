package jobstrand;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Asks a service. */
final class Transport {
    private final HttpClient http;
    private final String address;
    private final String token;
    private final Duration timeout;
    private final int tries;

    interface Reading<T> {
        T of(JsonParser text) throws IOException;
    }

    Transport(HttpClient http, String address, String token, Duration timeout, int tries) {
        this.http = http;
        this.address = address;
        this.token = token;
        this.timeout = timeout;
        this.tries = tries;
    }

    String address() {
        return address;
    }

    /**
     * Asks for what can be asked for twice; of an enqueueing the service knows by its key that it
     * is the same.
     */
    byte[] again(String method, String path, byte[] body) throws InterruptedException {
        Map<String, String> headers =
                method.equals("POST") ? Map.of("Idempotency-Key", Json.freshId()) : Map.of();
        Pause pause = new Pause();
        for (int attempt = 1; ; ++attempt) {
            try {
                return ask(method, path, body, headers, Duration.ZERO);
            } catch (JobstrandException error) {
                if (attempt == tries || !isWorthWaiting(error)) {
                    throw error;
                }
                pause.sleep(error);
            }
        }
    }

    /** Asks once. The service takes `wait` for its answer by what it is asked. */
    byte[] once(String method, String path, byte[] body, Duration wait)
            throws InterruptedException {
        return ask(method, path, body, Map.of(), wait);
    }

    /** Asks for things of which the service need not say what is null, without waiting. */
    Asked minimal(String path, byte[] body, Duration wait) {
        return new Asked(request("POST", path, body, Map.of("Prefer", "return=minimal")), wait);
    }

    /** Whether the same request may succeed later. */
    static boolean isWorthWaiting(JobstrandException error) {
        if (error instanceof RefusedException refused) {
            return refused.status() >= 500 || refused.status() == 408 || refused.status() == 429;
        }
        return error instanceof UnreachableException;
    }

    JsonNode read(byte[] text) {
        if (text.length == 0) {
            return MissingNode.getInstance();
        }
        try {
            return Json.PROTOCOL.readTree(text);
        } catch (IOException error) {
            throw new UnreachableException(address, error);
        }
    }

    /** Reads what is too long for a tree. */
    <T> T read(byte[] text, Reading<T> reading) {
        try (JsonParser parser = Json.PROTOCOL.createParser(text)) {
            return reading.of(parser);
        } catch (IOException error) {
            throw new UnreachableException(address, error);
        }
    }

    private byte[] ask(
            String method, String path, byte[] body, Map<String, String> headers, Duration wait)
            throws InterruptedException {
        return new Asked(request(method, path, body, headers), wait).answer();
    }

    /** A request that is under way. */
    final class Asked {
        // HttpClient's own time limit ends with the head of an answer.
        private final CompletableFuture<HttpResponse<byte[]>> asked;
        private final Duration patience;
        private final long since = System.nanoTime();

        private Asked(HttpRequest request, Duration wait) {
            asked = http.sendAsync(request, HttpResponse.BodyHandlers.ofByteArray());
            patience = timeout.plus(wait);
        }

        byte[] answer() throws InterruptedException {
            try {
                long gone = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - since);
                HttpResponse<byte[]> answer =
                        asked.get(patience.toMillis() - gone, TimeUnit.MILLISECONDS);
                if (answer.statusCode() >= 400) {
                    throw refusal(answer);
                }
                return answer.body();
            } catch (InterruptedException stop) {
                cancel();
                throw stop;
            } catch (TimeoutException late) {
                cancel();
                throw new UnreachableException(
                        address, new TimeoutException("nothing within " + patience));
            } catch (ExecutionException error) {
                throw new UnreachableException(address, error.getCause());
            }
        }

        /** It may have been carried out all the same. */
        void cancel() {
            asked.cancel(true);
        }
    }

    private HttpRequest request(
            String method, String path, byte[] body, Map<String, String> headers) {
        HttpRequest.BodyPublisher publisher =
                body == null
                        ? HttpRequest.BodyPublishers.noBody()
                        : HttpRequest.BodyPublishers.ofByteArray(body);
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create(address + path))
                        .method(method, publisher)
                        .header("Accept", "application/json");
        if (body != null) {
            request.header("Content-Type", "application/json");
        }
        headers.forEach(request::header);
        if (token != null) {
            request.header("Authorization", "Bearer " + token);
        }
        return request.build();
    }

    private static RefusedException refusal(HttpResponse<byte[]> answer) {
        String detail = "HTTP " + answer.statusCode();
        List<String> errors = new ArrayList<>();
        try {
            JsonNode problem = Json.PROTOCOL.readTree(answer.body());
            detail = problem.path("detail").asText(detail);
            problem.path("errors").forEach(error -> errors.add(error.asText()));
        } catch (IOException notJson) {
            // Something between here and the service has answered.
        }
        Duration retryAfter =
                answer.headers()
                        .firstValue("Retry-After")
                        .filter(text -> text.matches("\\d{1,9}"))
                        .map(text -> Duration.ofSeconds(Long.parseLong(text)))
                        .orElse(null);
        return RefusedException.of(answer.statusCode(), detail, errors, retryAfter);
    }
}
