#include "schema/clock.hpp"
#include "test/fixtures/self_signed.hpp"
#include "test/fixtures/signal.hpp"
#include "test/fixtures/temporary_directory.hpp"
#include "test/service/server_fixture.hpp"
#include "test/service/tls_client.hpp"
#include "tools/service/http/message.hpp"
#include "tools/service/http/tls_identity.hpp"
#include "tools/service/http/work_pool.hpp"

#include <gmock/gmock.h>

#include <atomic>
#include <mutex>
#include <string>
#include <vector>

namespace jobstrand::service {

namespace {

using test::get;
using test::RawClient;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using namespace std::chrono_literals;

/// Lets everybody in until the test says otherwise.
class OpenGate final : public service::Gate {
public:
    [[nodiscard]] std::optional<service::Response>
    refusal(const service::Request& /*request*/, service::Role /*needed*/) override {
        return is_shut ? std::optional<service::Response>({.status = 401}) : std::nullopt;
    }

    [[nodiscard]] service::Visitor visitor(const service::Request& /*request*/) const override {
        return {.name = "anybody"};
    }

    std::atomic<bool> is_shut{false};
};

/// A server whose path /stream goes on as the test says.
class StreamTest : public testing::Test {
protected:
    StreamTest() { server.start(); }

    [[nodiscard]] std::shared_ptr<ResponseStream> stream() {
        const std::scoped_lock lock(mutex);
        return stream_;
    }

    void begin(service::Request request, const service::Answer& answer) {
        const auto stream = std::make_shared<ResponseStream>(std::move(request));
        {
            const std::scoped_lock lock(mutex);
            stream_ = stream;
        }
        answer({.status = 200, .content_type = "text/plain", .stream = stream});
    }

    /// The head of the response; from then on the stream is there.
    [[nodiscard]] static std::string open(RawClient& client) {
        (void)client.send(get("/stream"));
        return client.receive_until("\r\n\r\n");
    }

    [[nodiscard]] static service::ServerLimits limits() {
        service::ServerLimits limits;
        limits.stop = std::chrono::seconds(10);
        return limits;
    }

    std::mutex mutex;
    OpenGate gate;
    service::HttpCounts counts;
    const service::Router router{
        {{"GET",
          "/stream",
          service::Role::read,
          [this](service::Request request, const service::Answer& answer) {
              begin(std::move(request), answer);
          }},
         {"GET",
          "/early",
          service::Role::read,
          [this](service::Request request, const service::Answer& answer) {
              begin(std::move(request), [&](service::Response response) {
                  response.stream->write("all of it");
                  response.stream->end();
                  answer(std::move(response));
              });
          }},
         {"GET",
          "/hello",
          service::Role::read,
          [](const service::Request&, const service::Answer& answer) {
              answer({.status = 200, .body = "hello"});
          }}}};
    service::Server server{
        {.host = "127.0.0.1", .port = 0, .is_loopback = true},
        router,
        gate,
        counts,
        limits()};

private:
    std::shared_ptr<ResponseStream> stream_;
};

TEST_F(StreamTest, A_stream_is_sent_piece_by_piece_and_ends_with_its_writer) {
    RawClient client(server.port());
    const std::string head = open(client);
    EXPECT_THAT(head, HasSubstr("HTTP/1.1 200 OK\r\n"));
    EXPECT_THAT(head, HasSubstr("Connection: close\r\n"));
    EXPECT_THAT(head, Not(HasSubstr("Content-Length")));
    EXPECT_TRUE(stream()->write("one "));
    EXPECT_EQ(client.receive_until("one "), "one ");
    EXPECT_TRUE(stream()->write("two "));
    EXPECT_TRUE(stream()->write("three"));
    stream()->end();
    EXPECT_EQ(client.receive_rest(), "two three");
    EXPECT_TRUE(client.is_closed());
    EXPECT_FALSE(stream()->write("four"));
}

TEST_F(StreamTest, What_is_written_before_its_head_has_gone_out_follows_it) {
    EXPECT_THAT(RawClient(server.port()).ask(get("/early")).head, HasSubstr("200 OK"));
    RawClient client(server.port());
    (void)client.send(get("/early"));
    EXPECT_THAT(client.receive_rest(), testing::EndsWith("\r\n\r\nall of it"));
}

TEST_F(StreamTest, HTTP_1_0_gets_it_too) {
    RawClient client(server.port());
    (void)client.send("GET /stream HTTP/1.0\r\n\r\n");
    EXPECT_THAT(client.receive_until("\r\n\r\n"), HasSubstr("200 OK"));
    stream()->write("all");
    stream()->end();
    EXPECT_EQ(client.receive_rest(), "all");
}

TEST_F(StreamTest, A_client_that_hangs_up_is_noticed_without_writing) {
    {
        RawClient client(server.port());
        (void)open(client);
        EXPECT_TRUE(stream()->is_heard());
    }
    EXPECT_TRUE(test::eventually([&] { return !stream()->is_heard(); }));
    EXPECT_TRUE(test::eventually([&] { return counts.open_connections == 0; }));
}

TEST_F(StreamTest, A_client_that_goes_on_talking_is_not_listened_to) {
    RawClient client(server.port());
    (void)open(client);
    (void)client.send(get("/hello"));
    EXPECT_EQ(client.receive_until("hello"), "");
    EXPECT_TRUE(test::eventually([&] { return !stream()->is_heard(); }));
}

// I8
TEST_F(StreamTest, A_client_that_does_not_read_is_dropped_when_too_much_is_unsent) {
    RawClient deaf(server.port());
    (void)open(deaf);
    const std::string piece(std::size_t{64} * 1024, '7');
    std::size_t written = 0;
    while (stream()->write(piece)) {
        written += piece.size();
        ASSERT_LT(written, std::size_t{1} << 30);
    }
    EXPECT_FALSE(stream()->is_heard());
    EXPECT_TRUE(test::eventually([&] { return counts.open_connections == 0; }));
    EXPECT_EQ(RawClient(server.port()).ask(get("/hello")).status, 200);
}

TEST_F(StreamTest, Who_may_not_read_any_more_hears_no_more) {
    RawClient client(server.port());
    (void)open(client);
    gate.is_shut = true;
    EXPECT_EQ(client.receive_rest(), "");
    EXPECT_FALSE(stream()->write("secret"));
}

TEST_F(StreamTest, A_graceful_stop_sends_what_is_written_and_ends_streams) {
    RawClient client(server.port());
    (void)open(client);
    stream()->write("last words");
    server.stop();
    EXPECT_EQ(client.receive_rest(), "last words");
    EXPECT_FALSE(stream()->is_heard());
}

TEST_F(StreamTest, Within_TLS_its_end_cannot_be_forged) {
    const test::TemporaryDirectory folder;
    test::SelfSigned().write_to(folder.path());
    const std::filesystem::path certificate = folder.path() / "cert.pem";
    server.use_tls(service::read_tls_identity(
                       {.certificate = certificate.string(),
                        .key = (folder.path() / "key.pem").string()},
                       schema::SystemClock().now()
    )
                       .context);
    test::TlsClient client(server.port(), certificate);
    EXPECT_THAT(client.ask_until(get("/stream"), "\r\n\r\n"), HasSubstr("200 OK"));
    stream()->write("all of it");
    EXPECT_EQ(client.ask_until("", "it"), "all of it");
    stream()->end();
    EXPECT_TRUE(client.is_ended_well());
}

/// Asks a path whose answers count up, and which are given when the test says so.
class SharedAnswersTest : public testing::Test {
protected:
    void ask(const std::string& cache_control, const Scope& scope = {}, std::string target = "/a") {
        Request request{.method = "GET", .target = std::move(target), .scope = scope};
        if (!cache_control.empty()) {
            request.headers.push_back({"Cache-Control", cache_control});
        }
        asked_(std::move(request), [this](const Response& response) {
            std::string age;
            for (const Header& header : response.headers) {
                age += header.name == "Age" ? ", age " + header.value : "";
            }
            given.push_back(response.body + age);
        });
    }

    void answer_all(int status = 200) {
        for (const Answer& answer : std::exchange(waiting_, {})) {
            answer({.status = status, .body = std::to_string(++made)});
        }
    }

    int made = 0;
    std::vector<std::string> given;
    schema::ManualClock clock;

private:
    std::vector<Answer> waiting_;
    SharedAnswers shared_{[this] { return clock.steady_now(); }};
    Handler asked_ = shared_.wrap([this](const Request& /*request*/, const Answer& answer) {
        waiting_.push_back(answer);
    });
};

TEST_F(
    SharedAnswersTest,
    Who_accepts_an_age_waits_with_others_and_gets_what_they_got_for_half_of_it
) {
    ask("max-age=4");
    ask("max-age=4");
    answer_all();
    EXPECT_THAT(given, ElementsAre("1, age 0", "1"));
    clock.tick(2s);
    ask("no-transform, max-age=4");
    EXPECT_EQ(given.back(), "1, age 2");
    clock.tick(1ms);
    ask("max-age=4");
    answer_all();
    EXPECT_EQ(given.back(), "2");
}

TEST_F(SharedAnswersTest, Who_says_nothing_gets_a_new_answer) {
    for (const char* const fresh : {"", "no-cache", "max-age=0", "max-age=", "max-age=-1"}) {
        ask(fresh);
        answer_all();
    }
    ask("max-age=4");
    answer_all();
    EXPECT_THAT(given, ElementsAre("1", "2", "3", "4", "5", "6"));
}

TEST_F(SharedAnswersTest, Nobody_is_shown_an_older_state_than_he_has_seen) {
    ask("max-age=4");
    answer_all();
    ask("");
    ask("max-age=4");
    EXPECT_EQ(given.size(), 1U) << "it waits for the new one";
    answer_all();
    ask("max-age=4");
    EXPECT_THAT(given, ElementsAre("1", "2, age 0", "2", "2, age 0"));
}

TEST_F(SharedAnswersTest, Another_scope_or_target_has_another_answer) {
    ask("max-age=4", {.tenants = {"acme"}});
    ask("max-age=4", {.topics = {"acme"}});
    ask("max-age=4", {.hidden = {"acme"}});
    ask("max-age=4", {.tenants = {"acme"}}, "/a?limit=1");
    answer_all();
    EXPECT_EQ(made, 4);
}

TEST_F(SharedAnswersTest, What_goes_wrong_is_told_to_those_who_wait_and_to_nobody_later) {
    ask("max-age=4");
    ask("max-age=4");
    answer_all(503);
    ask("max-age=4");
    answer_all();
    EXPECT_THAT(given, ElementsAre("1, age 0", "1", "2"));
}

TEST_F(SharedAnswersTest, One_that_takes_long_is_waited_for_and_made_again_after_five_seconds) {
    ask("max-age=1");
    clock.tick(SharedAnswers::kLongest);
    ask("max-age=1");
    clock.tick(1ms);
    ask("max-age=1");
    answer_all();
    EXPECT_THAT(given, ElementsAre("1, age 5", "1", "2"));
}

TEST_F(
    SharedAnswersTest,
    One_that_took_long_is_given_for_ten_times_as_long_and_ten_seconds_at_most
) {
    for (const auto& [took, given_for] : {std::pair{300ms, 3000ms}, std::pair{4000ms, 10'000ms}}) {
        ask("max-age=1");
        clock.tick(took);
        answer_all();
        const int before = made;
        clock.tick(given_for - took);
        ask("max-age=1");
        answer_all();
        EXPECT_EQ(made, before);
        clock.tick(1ms);
        ask("max-age=1");
        answer_all();
        EXPECT_EQ(made, before + 1);
        clock.tick(1s);
    }
}

TEST_F(SharedAnswersTest, What_is_kept_has_bounds) {
    for (std::size_t i = 0; i < SharedAnswers::kMost + 1; ++i) {
        ask("max-age=60", {}, "/" + std::to_string(i));
    }
    answer_all();
    const int first = made;
    ask("max-age=60", {}, "/" + std::to_string(SharedAnswers::kMost));
    answer_all();
    EXPECT_EQ(made, first + 1) << "that was one too many";
    clock.tick(SharedAnswers::kLongest + 1ms);
    ask("max-age=60", {}, "/1");
    answer_all();
    EXPECT_EQ(made, first + 2) << "no age is longer";
}

}  // namespace

}  // namespace jobstrand::service
