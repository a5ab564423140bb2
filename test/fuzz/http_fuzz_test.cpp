#include "test/fuzz/fuzz_run.hpp"
#include "test/fuzz/http_requests.hpp"
#include "test/service/api_fixture.hpp"
#include "tools/service/http/message.hpp"

#include <map>

namespace jobstrand::test {
namespace {

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
