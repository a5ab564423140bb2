#include "test/fuzz/grammar.hpp"
#include "test/service/api_fixture.hpp"
#include "tools/service/http/message.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace jobstrand::test {

namespace {

constexpr std::string_view kJobs = "/api/v1/jobs";

const Grammar& http_grammar() {
    static const Grammar grammar(R"grammar(
    method  ::= GET | POST | PUT | DELETE | HEAD | OPTIONS | PATCH | TRACE | get | CONNECT | G<tab>T
    version ::= HTTP/1.1 | HTTP/1.1 | HTTP/1.1 | HTTP/1.1 | HTTP/1.0 | HTTP/2.0 | HTTP/1.9 | <nothing> | http/1.1
    id      ::= <usual> | <usual> | <usual> | <usual> | <usual> | <strange>
    usual   ::= a | x1 | job-1 | mail | order%2017 | type:mail
    strange ::= %00 | %ff | .. | . | %2e%2e | <nothing> | a%2Fb | %G0 | ä | *
    odd     ::= / | // | /api | /api/v1/jobs/ | /api/v1//jobs | http://evil/ | * | /api/v1/jobs/../stats | /%2e%2e/etc
    query   ::= ?<item> | ?<item>&<query-> | ?<item>&<item>&<item>
    query-  ::= <item>
    item    ::= limit=<count> | place=<place> | type=noop | after=<id> | size=<count> | start=<count> | sort=id | order=desc
              | locked=true | created-before=<date> | tenantIdLike=%25a | handlerTypes=a,b | dueBefore=<date> | =
              | where=<where> | where=<where>%20OR%20<where>
              | %00=1 | unknown=1 | limit | page=<id>
    where   ::= type:mail | -payload.order:17 | (payload.a%3E5) | due%3C2h | %22a%20b%22 | payload.a:'); | <strange> | is:locked
    count   ::= 1 | 0 | -1 | 10 | 10000 | 10001 | 99999999999999999999 | 1e3 | x | <nothing>
    place   ::= executable | timer | suspended | dead | external | mars
    date    ::= 2026-11-20T10:15:30Z | 1969-12-31T23:59:59Z | 9999-12-31T23:59:59.999Z | 2026-02-29 | now | <nothing>
    host    ::= localhost | localhost | localhost | localhost | 127.0.0.1:8080 | [::1] | evil.example | <nothing>
    type    ::= application/json | application/json | application/json | application/json; charset=utf-8 | application/x-ndjson
              | text/plain | application/JSON | <nothing> | json
    header  ::= Accept:<blank>*/* | X-<id>:<blank>1 | Cookie:<blank>a=b | Origin:<blank>null | Connection:<blank>close
              | Connection:<blank>keep-alive, upgrade | Upgrade:<blank>h2c | Expect:<blank>100-continue | Authorization:<blank>Bearer x
              | Content-Length:<blank>3 | Transfer-Encoding:<blank>chunked | Transfer-Encoding:<blank>gzip | Host:<blank>evil
              | Idempotency-Key:<blank>1 | Range:<blank>bytes=0- | Content-Length:<blank>+3 | <blank>folded | Bad<blank>Name:<blank>1 | NoColon | Content-Encoding:<blank>gzip
)grammar");
    return grammar;
}

const Grammar& body_grammar() {
    static const Grammar grammar(R"grammar(
    body    ::= <json> | <added> | <order> | <worker> | <action> | <limit> | <nothing>
    added   ::= <job> | <job> | [<jobs>] | <job><nl><job>
    jobs    ::= <job> | <job>,<jobs> | <job>,<job>,<job>
    job     ::= {<type>} | {<type>} | {<type>} | {"handlerType":"noop",<member>} | {"handlerType":"mail","external":true,"id":<name>} | {<type>,<member>} | {<type>,<member>,<member>} | {<member>,<type>,<member>,<member>}
    type    ::= "handlerType":"noop" | "handlerType":"noop" | "handlerType":"noop" | "handlerType":"mail","external":true | "handlerType":<value>
    member  ::= "payload":<json> | "id":<name> | "correlationId":<name> | "processInstanceId":<name> | "dueDate":<date>
              | "retries":<number> | "priority":<number> | "retryCycle":"R3/PT1M" | "exclusive":<flag> | "tenantId":<value>
              | "uniqueKey":<name> | "onDuplicate":<value> | "uniqueFor":"PT1H" | "repeat":"R/PT10M" | "series":<name>
              | "place":<value> | "external":<flag> | <name>:<value> | "createTime":<date> | "category":<name> | "needs":<name>
    order   ::= {"ids":[<names>]} | {"ids":[<names>],"retries":<number>} | {"ids":<value>} | {"jobIds":[<names>],"action":"move"}
    names   ::= <name> | <name>,<names> | <nothing> | <number>
    action  ::= {"action":"move"} | {"action":"execute"} | {"action":"reschedule","dueDate":<date>} | {"action":<value>} | {"action":"delete"}
    limit   ::= {"concurrent":<number>} | {"perNode":<number>,"rate":"100/PT1M"} | {"rate":<value>}
    worker  ::= {"topic":"mail","lockDuration":<time>,"numberOfTasks":<number>,"workerId":<name>} | {"workerId":<name>}
              | {"worker":<name>,"topics":[<names>],"jobs":<number>,"lockDuration":<time>}
              | {"worker":<name>,"results":[<result>,<result>]} | {"worker":<name>,"jobs":[{"id":<name>}]}
              | {"workerId":"w","maxTasks":<number>,"topics":[{"topicName":"mail","lockDuration":<number>,"variables":[<names>]}]}
              | {"workerId":"w","variables":{"a":{"value":<json>,"type":<name>}}} | {"workerId":"w","errorMessage":<value>,"retries":<number>}
              | {"workerId":"w","variables":[{"name":<name>,"type":<name>,"value":<json>}]} | {"workerId":"w","errorCode":<name>} | {"workerId":"w","newDuration":<number>}
    result  ::= {"id":<name>} | {"id":<name>,"outcome":<outcome>,"message":<value>,"variables":<json>} | {"id":<name>,"revision":<number>} | <json>
    outcome ::= "complete" | "fail" | "error" | <value>
    time    ::= "PT5M" | "PT0S" | "P31D" | "-PT1S" | <number>
    value   ::= null | <json> | <name> | <number> | <flag> | <date>
    name    ::= "a" | "" | "job-1" | "x1" | "Größe" | "\u0000" | "\ud83d\ude00" | "\ud83d" | "a\n\tb" | "a/b" | "%" | "mail"
              | "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
    number  ::= 1 | 0 | -1 | 3 | 1000 | 2147483648 | -9223372036854775808 | 9223372036854775808 | 1.0 | 1e3 | 01 | 1e999
    flag    ::= true | false | "true" | 1
    date    ::= "2026-11-20T10:15:30.123Z" | "2126-01-01T00:00:00+05:30" | "1969-12-31T23:59:59Z" | "9999-12-31T23:59:59.999Z" | "2026-02-29" | 1789000000
    json    ::= 1 | {} | [] | "\"" | {"a":<json>} | [<json>,<json>] | [[<json>]] | {"a":<json>,"b":<json>} | 1.10 | {"a":1,"a":2}
)grammar");
    return grammar;
}

/// As deep as a parser that calls itself would fall.
[[nodiscard]] std::string deep_json(Dice& dice) {
    const auto depth = static_cast<std::size_t>(dice.number(10, 200'000));
    const std::string open = dice.one_in(2) ? "[" : R"({"a":)";
    std::string text = R"({"handlerType":"noop","payload":)";
    for (std::size_t i = 0; i < depth; ++i) {
        text += open;
    }
    return dice.one_in(2) ? text : text + std::string(depth, ']') + '}';
}

/// The rule of the bodies that a path takes.
[[nodiscard]] std::string_view rule_of(std::string_view pattern) {
    const auto is_in = [pattern](std::string_view part) {
        return pattern.find(part) != std::string_view::npos;
    };
    if (pattern == kJobs) {
        return "added";
    }
    if (is_in("external-")) {
        return "worker";
    }
    if (is_in("limits")) {
        return "limit";
    }
    return is_in("management") ? "action" : "order";
}

[[nodiscard]] std::string body(std::string_view pattern, Dice& dice) {
    if (dice.one_in(200)) {
        return deep_json(dice);
    }
    return nearly_valid(body_grammar(), dice.one_in(8) ? "body" : rule_of(pattern), dice);
}

[[nodiscard]] std::string chunked(std::string_view text, Dice& dice) {
    std::string chunks;
    while (!text.empty()) {
        const auto length =
            std::min<std::size_t>(static_cast<std::size_t>(dice.number(1, 4000)), text.size());
        chunks += fmt::format(
            "{:x}{}\r\n{}\r\n", length, dice.one_in(20) ? ";ext=\"1\"" : "", text.substr(0, length)
        );
        text.remove_prefix(length);
    }
    return chunks + (dice.one_in(20) ? "0\r\nTrailer: 1\r\n\r\n" : "0\r\n\r\n");
}

/// The headers that say how long the body is, rightly or not, and the body as it is sent then.
[[nodiscard]] std::string framed(const std::string& text, Dice& dice) {
    switch (dice.number(1, 12)) {
        case 1:
            return "Transfer-Encoding: chunked\r\n\r\n" + chunked(text, dice);
        case 2:
            return fmt::format("Content-Length: {}\r\n\r\n{}", dice.number(0, 100), text);
        default:
            return fmt::format("Content-Length: {}\r\n\r\n{}", text.size(), text);
    }
}

/// Draws requests as clients send them that are in order, half broken, or mean no good: their
/// lines, headers, framing and bodies. Nothing in them lets the service wait for long.
class HttpRequests final {
public:
    struct Path {
        std::string method;
        std::string pattern;  ///< With `{...}` for what is drawn.
    };

    explicit HttpRequests(std::vector<Path> paths) : paths_(std::move(paths)) {}

    /// One request or several, one behind the other.
    [[nodiscard]] std::string draw(Dice& dice) const {
        std::string text;
        for (int more = dice.one_in(3) ? dice.number(2, 4) : 1; more > 0; --more) {
            text += request(dice);
        }
        return text;
    }

private:
    [[nodiscard]] std::string request(Dice& dice) const {
        // Without jobs there is little to be found behind the other paths.
        const Path path = dice.one_in(6) ? Path{"POST", std::string(kJobs)} : dice.any_of(paths_);
        std::string text = fmt::format(
            "{} {} {}\r\nHost: {}\r\n",
            dice.one_in(15) ? http_grammar().draw("method", dice) : path.method,
            target(path, dice),
            dice.one_in(20) ? http_grammar().draw("version", dice) : "HTTP/1.1",
            dice.one_in(20) ? http_grammar().draw("host", dice) : "localhost"
        );
        if (dice.one_in(4)) {
            text += http_grammar().draw("header", dice) + "\r\n";
        }
        if (path.method == "GET" && !dice.one_in(20)) {
            text += "\r\n";
        } else {
            text += "Content-Type: " +
                    (dice.one_in(12) ? http_grammar().draw("type", dice) : "application/json") +
                    "\r\n" + framed(body(path.pattern, dice), dice);
        }
        return dice.one_in(5) ? damaged(std::move(text), dice) : text;
    }
    [[nodiscard]] std::string target(const Path& path, Dice& dice) const {
        if (dice.one_in(20)) {
            return http_grammar().draw("odd", dice);
        }
        std::string text;
        std::string_view pattern = path.pattern;
        while (!pattern.empty()) {
            const std::size_t place = std::min(pattern.find('{'), pattern.size());
            text += pattern.substr(0, place);
            pattern.remove_prefix(place);
            if (!pattern.empty()) {
                text += http_grammar().draw("id", dice);
                pattern.remove_prefix(pattern.find('}') + 1);
            }
        }
        return dice.one_in(3) ? text + http_grammar().draw("query", dice) : text;
    }

    const std::vector<Path> paths_;
};

/// The whole service on a SQLite file, and a client that looks whether it lives.
class HttpFuzz : public ApiTest {
protected:
    [[nodiscard]] std::vector<HttpRequests::Path> paths() const {
        std::vector<HttpRequests::Path> paths;
        const nlohmann::json described = look("/api/v1/openapi.json")["paths"];
        for (const auto& [pattern, operations] : described.items()) {
            for (const auto& [method, operation] : operations.items()) {
                if (method != "parameters") {
                    paths.push_back({upper(method), pattern});
                }
            }
        }
        return paths;
    }

    /// What the service answers to bytes that end there. true: some of it was taken.
    bool is_taken(const std::string& bytes) {
        RawClient client(http->port());
        (void)client.send(bytes);
        client.end_sending();
        const bool is_taken = look_through(client.receive_rest(), bytes);
        EXPECT_EQ(alive_.ask(get("/health/live")).status, 200);
        return is_taken;
    }

    std::map<int, std::int64_t> statuses;

private:
    [[nodiscard]] static std::string upper(std::string text) {
        for (char& c : text) {
            c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
        }
        return text;
    }

    /// Response after response.
    bool look_through(std::string_view received, const std::string& asked) {
        bool is_taken = false;
        while (!received.empty()) {
            const std::size_t end = received.find("\r\n\r\n");
            if (!received.starts_with("HTTP/1.1 ") || end == std::string_view::npos) {
                ADD_FAILURE() << "no response: " << received.substr(0, 200);
                return false;
            }
            const std::string head(received.substr(0, end + 4));
            const int status = std::stoi(head.substr(9, 3));
            expect_known(status, asked, received);
            is_taken = is_taken || status / 100 == 2;
            const std::size_t length = head.find("Content-Length: ");
            const std::string_view behind = received.substr(head.size());
            const bool is_to_head = asked.find("HEAD ") != std::string::npos &&
                                    (behind.empty() || behind.starts_with("HTTP/1.1 "));
            const bool is_bare = status == 100 || status == 204 || is_to_head;
            if (length == std::string::npos && !is_bare) {
                return is_taken;  // A stream: all that follows is its own.
            }
            received.remove_prefix(
                head.size() + (is_bare ? 0 : std::stoul(head.substr(length + 16)))
            );
        }
        return is_taken;
    }

    void expect_known(int status, const std::string& asked, std::string_view received) {
        ++statuses[status];
        EXPECT_TRUE(status == 100 || !service::words_of(status).empty()) << status;
        // To run a job here and now may fail as the job does.
        const bool is_run = asked.find("management/jobs/") != std::string::npos;
        EXPECT_TRUE(status < 500 || status == 501 || status == 503 || (status == 500 && is_run))
            << received.substr(0, 500);
    }

    RawClient alive_{http->port()};
};

TEST_F(HttpFuzz, Whatever_is_sent_the_service_lives_and_answers_with_what_it_has_told_of) {
    const HttpRequests requests(paths());
    const FuzzCount count = fuzz(
        [&](Dice& dice) { return requests.draw(dice); },
        [&](const std::string& bytes, Dice&) { return is_taken(bytes); }
    );
    for (const auto& [status, times] : statuses) {
        std::cout << status << ": " << times << "\n";
    }
    EXPECT_GT(count.taken, count.texts / 10);
    EXPECT_GT(statuses[201], 0) << "no job was ever added";
}

}  // namespace

}  // namespace jobstrand::test
