#include "test/fixtures/self_signed.hpp"
#include "test/fixtures/signal.hpp"
#include "test/tools/cli_fixture.hpp"
#include "test/tools/test_app.hpp"
#include "tools/service/http_service.hpp"
#include "tools/surface/run_for_client.hpp"
#include "tools/surface/verb_call.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <stdexcept>

namespace jobstrand::test {

namespace {

using cli::BoundedText;
using cli::ExitCode;
using cli::VerbAnswer;
using cli::VerbCall;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

/// The command line with --server, against a service on the database that --db means.
class CliRemote : public CliTest {
protected:
    CliRemote() {
        settings_.http.listen = "127.0.0.1:0";
        http_ = std::make_unique<service::HttpService>(
            service::ApiParts{.engine = engine(), .settings = settings_, .log = log_}, false
        );
        http_->start();
    }

    [[nodiscard]] std::string server() const {
        return fmt::format("http://127.0.0.1:{}", http_->port());
    }

    CliResult remotely(std::vector<std::string> arguments, const std::string& input = "") {
        arguments.insert(arguments.begin(), {"--server", server()});
        return run_bare(arguments, input);
    }

private:
    cli::Settings settings_;
    schema::SilentLog log_;
    std::unique_ptr<service::HttpService> http_;
};

TEST_F(CliRemote, A_terminal_of_the_client_is_the_one_that_is_fitted) {
    add_dead("a rather long message that says what has gone wrong, in all its detail and more");
    const auto on_terminal = [&](std::vector<std::string> arguments) {
        arguments.insert(arguments.end(), {"dead", "ls", "--color", "always"});
        std::istringstream in;
        std::ostringstream out;
        std::ostringstream err;
        (void)cli::run_cli(
            arguments, {.in = in, .out = out, .err = err, .out_columns = 60}, environment_
        );
        return out.str();
    };
    const auto heading = [&](std::vector<std::string> arguments) {
        const std::string table = on_terminal(std::move(arguments));
        return table.substr(0, table.find('\n'));
    };
    // What fits depends on how long ago it is, which may become longer between the two.
    EXPECT_TRUE(eventually([&] {
        return heading({"--server", server()}) == heading({"--db", url()});
    }));
    const std::string there = on_terminal({"--server", server()});
    EXPECT_THAT(there, AllOf(HasSubstr("\x1b["), HasSubstr("…")));
}

TEST_F(CliRemote, Is_asked_on_the_terminal_of_the_client) {
    add_dead();
    is_terminal_ = true;
    const CliResult no = remotely({"dead", "rm", "--all"}, "n\n");
    EXPECT_EQ(no.code, ExitCode::refused);
    EXPECT_THAT(
        no.err, AllOf(HasSubstr("This removes 1 dead letter for good"), HasSubstr("[y/N]"))
    );
    EXPECT_EQ(places(), "dead=1");
    EXPECT_EQ(remotely({"dead", "rm", "--all"}, "y\n").code, ExitCode::done);
    EXPECT_THAT(places(), IsEmpty());
}

TEST_F(CliRemote, What_is_no_jobstrand_service_is_told) {
    const auto say = [&](const TestApp::Decide& decide) {
        const TestApp app(decide);
        const CliResult result =
            run_bare({"stats", "--server", fmt::format("http://127.0.0.1:{}", app.port())});
        EXPECT_EQ(result.code, ExitCode::failed);
        EXPECT_THAT(result.out, IsEmpty());
        return result.err;
    };
    EXPECT_THAT(
        say([](const auto&) { return a_response(200, "hello"); }), HasSubstr("not from a Jobstrand")
    );
    EXPECT_THAT(
        say([](const auto&) { return a_response(404); }), HasSubstr("not from a Jobstrand")
    );
    EXPECT_THAT(say([](const auto&) { return std::nullopt; }), HasSubstr("no answer from"));
    EXPECT_THAT(
        say([](const auto&) {
            auto response = a_response(200, R"({"exitCode":99})");
            response.set("Content-Type", "application/vnd.jobstrand.verb+json");
            return response;
        }),
        HasSubstr("not from a Jobstrand")
    );
}

TEST_F(CliRemote, With_https_the_server_must_be_who_it_is_meant_to_be) {
    const std::string folder = path_of("tls");
    std::filesystem::create_directory(folder);
    SelfSigned().write_to(folder);
    const TestApp app(
        [](const auto&) {
            auto response = a_response(200, R"({"exitCode":0,"output":"there\n","errors":""})");
            response.set("Content-Type", "application/vnd.jobstrand.verb+json");
            return response;
        },
        std::filesystem::path(folder)
    );
    const auto ask = [&](const char* host) {
        return run_bare({"stats", "--server", fmt::format("https://{}:{}", host, app.port())});
    };
    EXPECT_EQ(ask("localhost").code, ExitCode::failed) << "nobody vouches for it";
    ::setenv("SSL_CERT_FILE", (folder + "/cert.pem").c_str(), 1);
    EXPECT_EQ(ask("localhost").out, "there\n");
    const CliResult other = ask("127.0.0.1");
    ::unsetenv("SSL_CERT_FILE");
    EXPECT_EQ(other.code, ExitCode::failed) << "it has another name";
    EXPECT_THAT(other.err, HasSubstr("certificate"));
    EXPECT_EQ(app.requests().size(), 1U) << "nothing is sent before";
}

TEST_F(CliRemote, A_path_in_front_of_the_service_is_kept) {
    const TestApp app([](const auto&) { return a_response(404); });
    (void)run_bare({"job", "ls", "--server", fmt::format("http://127.0.0.1:{}/jobs/", app.port())});
    EXPECT_EQ(app.requests().at(0).target(), "/jobs/api/v1/verbs/job/ls");
}

TEST(VerbCallTest, Arrives_as_it_was_sent) {
    const VerbCall sent{
        .arguments = {"-o", "json", "--type", "", "ä \"'\\\n\t"},
        .input = std::string("a\0b", 3),
        .files = {{"a b", "{}"}, {"c", ""}},
        .user = "ada",
        .columns = 80,
        .is_coloured = true,
        .are_errors_coloured = true,
        .can_be_asked = true,
    };
    const auto read = cli::parse_verb_call(json_of(sent));
    ASSERT_TRUE(read) << read.error().message;
    const VerbCall& got = read.value();
    EXPECT_EQ(got.arguments, sent.arguments);
    EXPECT_EQ(got.input, sent.input);
    EXPECT_EQ(got.files, sent.files);
    EXPECT_EQ(got.user, sent.user);
    EXPECT_EQ(got.columns, sent.columns);
    EXPECT_TRUE(got.is_coloured && got.are_errors_coloured && got.can_be_asked);
    const auto nothing = cli::parse_verb_call(json_of(VerbCall{}));
    ASSERT_TRUE(nothing) << nothing.error().message;
    EXPECT_FALSE(nothing.value().columns);
}

TEST(VerbCallTest, An_answer_arrives_as_it_was_given) {
    const VerbAnswer given{
        .exit_code = cli::ExitCode::partly_done,
        .output = "[\n]\n",
        .errors = "jobstrand: no\n",
        .question = "All?"};
    const auto read = cli::parse_verb_answer(json_of(given));
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read.value().exit_code, given.exit_code);
    EXPECT_EQ(read.value().output, given.output);
    EXPECT_EQ(read.value().errors, given.errors);
    EXPECT_EQ(read.value().question, given.question);
}

TEST(VerbCallTest, A_later_service_may_say_more_but_a_client_may_not) {
    EXPECT_TRUE(cli::parse_verb_answer(R"({"exitCode":0,"more":1})"));
    EXPECT_FALSE(cli::parse_verb_answer(R"({"exitCode":99})"));
    EXPECT_FALSE(cli::parse_verb_answer("hello"));
    EXPECT_FALSE(cli::parse_verb_call(R"({"more":1})"));
}

TEST(VerbCallTest, Nouns_and_verbs_are_segments_of_the_path) {
    EXPECT_EQ(cli::verb_path("job add"), "/api/v1/verbs/job/add");
    EXPECT_EQ(cli::verb_path("stats"), "/api/v1/verbs/stats");
}

TEST(BoundedTextTest, Takes_all_that_there_is_room_for) {
    BoundedText text(6);
    text << "ab" << 'c' << 12;
    text.put('!');
    EXPECT_EQ(text.take_text(), "abc12!");
}

TEST(BoundedTextTest, Leaves_out_what_comes_behind_its_end) {
    BoundedText text(4);
    text << "abc"
         << "def";
    text.put('g');
    EXPECT_EQ(text.take_text(), "abc");
    EXPECT_TRUE(text.good()) << "nobody who writes to it has to care";
}

TEST(BoundedTextTest, Tells_who_wants_to_know_that_it_is_full) {
    BoundedText text(3, [] { throw std::length_error("full"); });
    text << "abc";
    EXPECT_THROW(text << "d", std::length_error);
    text.clear();
    EXPECT_THROW(text.put('e'), std::length_error);
    EXPECT_EQ(text.take_text(), "abc");
}

}  // namespace

}  // namespace jobstrand::test
