package jobstrand.test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

import jobstrand.ConflictException;
import jobstrand.Engines;
import jobstrand.Enqueued;
import jobstrand.InvalidException;
import jobstrand.JobstrandClient;
import jobstrand.NewJob;
import jobstrand.NotAllowedException;
import jobstrand.NotFoundException;
import jobstrand.OnDuplicate;
import jobstrand.UnreachableException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

class ClientTest {
    @TempDir Path folder;

    @Test
    void theEngineOfAKeyIsTheOneThatAllClientsName() throws Exception {
        Path cases = Path.of(System.getProperty("jobstrand.engines"));
        for (JsonNode one : new ObjectMapper().readTree(cases.toFile())) {
            List<String> names = new ArrayList<>();
            one.path("names").forEach(name -> names.add(name.asText()));
            String key = one.path("key").asText();
            assertEquals(one.path("engine").asText(), Engines.engineOf(key, names), key);
        }
        assertThrows(NoSuchElementException.class, () -> Engines.engineOf("key", List.of()));
    }

    @Test
    void theClientTellsAllFields() throws Exception {
        try (Service service = new Service(folder)) {
            JobstrandClient client = service.client();
            assertEquals(new Enqueued("full-1", true, Optional.empty()), client.enqueue(Full.JOB));
            Full.expect(service.job("full-1"));
            NewJob other = Full.JOB.id("full-2");
            assertEquals(new Enqueued("full-1", false, Optional.empty()), client.enqueue(other));
            Enqueued replacing = client.enqueue(other.onDuplicate(OnDuplicate.REPLACE));
            assertEquals(new Enqueued("full-2", true, Optional.of("full-1")), replacing);
            Enqueued inWords =
                    client.enqueue(NewJob.of("log").due("2099-01-01T00:00:00Z").repeat("R/PT1H"));
            assertTrue(service.job(inWords.id()).path("repeat").asText().endsWith("/PT1H"));
            Instant due = Instant.parse("2037-01-01T12:00:00.5Z");
            String id = client.enqueueAll(List.of(NewJob.of("log").due(due))).get(0);
            assertEquals(due, Instant.parse(service.job(id).path("dueDate").asText()));
        }
    }

    record Stats(Places places) {
        record Places(int executable, int external) {}
    }

    @Test
    void answersAreReadAsRecords() throws Exception {
        try (Service service = new Service(folder)) {
            service.enqueue(NewJob.of("mail").external());
            Stats stats = service.client().get("/api/v1/stats", Stats.class);
            assertEquals(1, stats.places().external());
            assertTrue(service.client().call("POST", "/api/v1/wake", null).isMissingNode());
        }
    }

    @Test
    void exceptionsAreOfKinds() throws Exception {
        try (Service service = new Service(folder)) {
            JobstrandClient client = service.client();
            NewJob job = NewJob.of("mail").external().id("mail-1");
            client.enqueue(job);
            assertThrows(ConflictException.class, () -> client.enqueue(job));
            InvalidException invalid =
                    assertThrows(
                            InvalidException.class,
                            () -> client.enqueue(job.id("mail-2").retryCycle("nonsense")));
            assertEquals(400, invalid.status());
            assertEquals(1, invalid.errors().size());
            assertTrue(invalid.getMessage().contains(invalid.errors().get(0)));
            assertThrows(NotFoundException.class, () -> client.get("/api/v1/jobs/none"));
        }
        assertThrows(IllegalArgumentException.class, () -> NewJob.of(""));
        assertThrows(
                IllegalArgumentException.class, () -> NewJob.of("x").delay(Duration.ofSeconds(-1)));
        for (String wrong : List.of("127.0.0.1:8080", "ftp://host", "http:///", "http://me@host")) {
            assertThrows(IllegalArgumentException.class, () -> JobstrandClient.of(wrong), wrong);
        }
    }

    @Test
    void enqueueingAsksAgainWithTheSameKey() throws Exception {
        List<String> keys = new CopyOnWriteArrayList<>();
        try (Service service = new Service(folder)) {
            HttpServer between =
                    server(
                            exchange -> {
                                keys.add(exchange.getRequestHeaders().getFirst("Idempotency-Key"));
                                byte[] answer = passOn(exchange, service.address());
                                if (keys.size() > 1) { // The first answer is lost.
                                    exchange.sendResponseHeaders(201, answer.length);
                                    exchange.getResponseBody().write(answer);
                                }
                            });
            try {
                Enqueued added =
                        JobstrandClient.of(addressOf(between))
                                .enqueue(NewJob.of("mail").external());
                assertEquals(2, keys.size());
                assertNotNull(keys.get(0));
                assertEquals(keys.get(0), keys.get(1));
                assertEquals(1, service.place("external"));
                assertFalse(service.job(added.id()).isMissingNode());
            } finally {
                between.stop(0);
            }
        }
    }

    @Test
    void aTokenIsShownAndNotTold() throws Exception {
        List<String> shown = new CopyOnWriteArrayList<>();
        HttpServer server =
                server(
                        exchange -> {
                            shown.add(exchange.getRequestHeaders().getFirst("Authorization"));
                            byte[] answer = "{\"detail\": \"not with this token\"}".getBytes();
                            exchange.getResponseHeaders().add("Retry-After", "7");
                            exchange.sendResponseHeaders(403, answer.length);
                            exchange.getResponseBody().write(answer);
                        });
        JobstrandClient client =
                JobstrandClient.builder(addressOf(server)).token("secret").retries(0).build();
        NotAllowedException refused =
                assertThrows(
                        NotAllowedException.class, () -> client.call("POST", "/api/v1/wake", null));
        assertEquals(List.of("Bearer secret"), shown);
        assertEquals(Optional.of(Duration.ofSeconds(7)), refused.retryAfter());
        assertEquals("not with this token", refused.getMessage());
        server.stop(0);
        UnreachableException away =
                assertThrows(UnreachableException.class, () -> client.get("/api/v1/stats"));
        assertFalse(away.getMessage().contains("secret"));
    }

    @Test
    void anAnswerThatDoesNotEndIsGivenUp() throws Exception {
        HttpServer server =
                server(
                        exchange -> {
                            exchange.sendResponseHeaders(200, 1000);
                            exchange.getResponseBody().write('{');
                            exchange.getResponseBody().flush();
                        });
        try {
            JobstrandClient client =
                    JobstrandClient.builder(addressOf(server))
                            .timeout(Duration.ofMillis(300))
                            .retries(0)
                            .build();
            assertThrows(UnreachableException.class, () -> client.get("/api/v1/stats"));
        } finally {
            server.stop(0);
        }
    }

    private interface Answering {
        void answer(HttpExchange exchange) throws IOException, InterruptedException;
    }

    /** Answers with what is written; without a status, it hangs up. */
    private static HttpServer server(Answering answering) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
        server.createContext(
                "/",
                exchange -> {
                    try {
                        answering.answer(exchange);
                    } catch (InterruptedException stop) {
                        Thread.currentThread().interrupt();
                    }
                    if (exchange.getResponseCode() != 200) {
                        exchange.close();
                    }
                });
        server.start();
        return server;
    }

    private static String addressOf(HttpServer server) {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    private static byte[] passOn(HttpExchange exchange, String address)
            throws IOException, InterruptedException {
        HttpRequest request =
                HttpRequest.newBuilder(URI.create(address + exchange.getRequestURI()))
                        .header("Content-Type", "application/json")
                        .header(
                                "Idempotency-Key",
                                exchange.getRequestHeaders().getFirst("Idempotency-Key"))
                        .POST(
                                HttpRequest.BodyPublishers.ofByteArray(
                                        exchange.getRequestBody().readAllBytes()))
                        .build();
        return HttpClient.newHttpClient()
                .send(request, HttpResponse.BodyHandlers.ofByteArray())
                .body();
    }
}
