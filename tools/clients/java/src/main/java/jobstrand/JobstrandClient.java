package jobstrand;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;

import java.net.URI;
import java.net.http.HttpClient;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;

/**
 * A service over HTTP. It may be used by several threads, and needs no closing.
 *
 * <p>Its methods throw {@link UnreachableException} when no answer came, and {@link
 * RefusedException} when it was no. A thread that is interrupted while it waits gets an
 * UnreachableException too, and stays interrupted.
 */
public final class JobstrandClient {
    private final Transport transport;
    private final ObjectMapper mapper;

    private JobstrandClient(Builder builder) {
        transport =
                new Transport(
                        builder.http != null ? builder.http : usual(builder.address),
                        builder.address,
                        builder.token,
                        builder.timeout,
                        1 + builder.retries);
        mapper = builder.mapper;
    }

    private static HttpClient usual(String address) {
        HttpClient.Builder http =
                HttpClient.newBuilder()
                        // By version 2 each connection would begin with an offer to change to it,
                        // which the service does not take.
                        .version(HttpClient.Version.HTTP_1_1)
                        // Bytes are put together there, and nothing blocks: in a pool each piece of
                        // an answer would be a change of threads.
                        .executor(Runnable::run);
        if (address.regionMatches(true, 0, "http:", 0, 5)) {
            http.sslContext(withoutCertificates());
        }
        return http.build();
    }

    /** Spares a worker on plain HTTP the reading of all certificates that the JVM trusts. */
    private static SSLContext withoutCertificates() {
        try {
            SSLContext trustsNobody = SSLContext.getInstance("TLS");
            trustsNobody.init(null, new TrustManager[0], null);
            return trustsNobody;
        } catch (GeneralSecurityException error) {
            throw new IllegalStateException("this JVM has no TLS", error);
        }
    }

    /** Of the service at an address such as {@code http://127.0.0.1:8080}. */
    public static JobstrandClient of(String address) {
        return builder(address).build();
    }

    /** Of the service at an address such as {@code http://127.0.0.1:8080}, with options. */
    public static Builder builder(String address) {
        return new Builder(address);
    }

    /**
     * Adds a job; when this returns it is committed. It is asked again when no answer comes, with
     * an Idempotency-Key, so that the job is not doubled. When that is in vain, nobody knows
     * whether it was added: give a job that must not be doubled an id or a unique key.
     */
    public Enqueued enqueue(NewJob job) {
        JsonNode answer = again("POST", "/api/v1/jobs", Json.bytes(job.asRead(mapper)));
        return new Enqueued(
                answer.path("id").asText(),
                answer.path("isNew").asBoolean(true),
                Optional.ofNullable(answer.path("replacedJob").asText(null)));
    }

    /** Adds up to 10,000 jobs, or none of them. Returns their ids, in order. */
    public List<String> enqueueAll(Collection<NewJob> jobs) {
        if (jobs.isEmpty()) {
            return List.of();
        }
        ArrayNode array = Json.PROTOCOL.createArrayNode();
        jobs.forEach(job -> array.add(job.asRead(mapper)));
        List<String> ids = new ArrayList<>(jobs.size());
        again("POST", "/api/v1/jobs", Json.bytes(array))
                .path("ids")
                .forEach(id -> ids.add(id.asText()));
        return ids;
    }

    /** Reads what stands at a path of docs/http.md, such as {@code /api/v1/stats}. */
    public JsonNode get(String path) {
        return again("GET", path, null);
    }

    /**
     * Reads what stands at a path of docs/http.md, as a value of a type that Jackson can make of
     * it.
     */
    public <T> T get(String path, Class<T> type) {
        try {
            return mapper.treeToValue(get(path), type);
        } catch (JsonProcessingException error) {
            throw new IllegalArgumentException("the answer is no " + type.getSimpleName(), error);
        }
    }

    /**
     * Asks for any operation of docs/http.md, once.
     *
     * @param body whatever Jackson can write; null: there is none
     * @return the answer; a missing node, if it is empty
     */
    public JsonNode call(String method, String path, Object body) {
        byte[] text = body == null ? null : Json.bytes(mapper.valueToTree(body));
        return interruptibly(() -> transport.once(method, path, text, Duration.ZERO));
    }

    Transport transport() {
        return transport;
    }

    ObjectMapper mapper() {
        return mapper;
    }

    private JsonNode again(String method, String path, byte[] body) {
        return interruptibly(() -> transport.again(method, path, body));
    }

    private JsonNode interruptibly(Asking asking) {
        try {
            return transport.read(asking.ask());
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            throw new UnreachableException(transport.address(), stop);
        }
    }

    private interface Asking {
        byte[] ask() throws InterruptedException;
    }

    /** Options of a client. */
    public static final class Builder {
        private final String address;
        private String token;
        private Duration timeout = Duration.ofSeconds(30);
        private int retries = 2;
        private HttpClient http;
        private ObjectMapper mapper = Json.PAYLOADS;

        private Builder(String address) {
            URI uri = URI.create(address);
            boolean isHttp =
                    "http".equalsIgnoreCase(uri.getScheme())
                            || "https".equalsIgnoreCase(uri.getScheme());
            if (!isHttp || uri.getHost() == null || uri.getUserInfo() != null) {
                throw new IllegalArgumentException(
                        "not the address of a service, which is http://HOST:PORT or"
                                + " https://HOST:PORT");
            }
            this.address = address.replaceAll("/+$", "");
        }

        /** That the service asks for. */
        public Builder token(String token) {
            this.token = token;
            return this;
        }

        /** For each answer; 30 s if nothing is said. */
        public Builder timeout(Duration timeout) {
            this.timeout = Json.positive(timeout, "timeout");
            return this;
        }

        /**
         * How often enqueueing and reading are tried again when no answer comes; twice if nothing
         * is said.
         */
        public Builder retries(int retries) {
            if (retries < 0) {
                throw new IllegalArgumentException("retries must not be negative");
            }
            this.retries = retries;
            return this;
        }

        /** With the app's own settings of TLS, say. */
        public Builder httpClient(HttpClient http) {
            this.http = Objects.requireNonNull(http);
            return this;
        }

        /**
         * What writes and reads payloads; one with the modules that are there if nothing is said.
         */
        public Builder objectMapper(ObjectMapper mapper) {
            this.mapper = Objects.requireNonNull(mapper);
            return this;
        }

        public JobstrandClient build() {
            return new JobstrandClient(this);
        }
    }
}
