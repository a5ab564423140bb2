#include "schema/text/time_text.hpp"
#include "test/fixtures/temporary_directory.hpp"
#include "tools/access/token_file.hpp"
#include "tools/service/http/gates.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

namespace jobstrand {
namespace {

using service::Request;
using service::Role;

[[nodiscard]] int status_of(const std::optional<service::Response>& refusal) {
    return refusal ? refusal->status : 200;
}

class TokenGateTest : public testing::Test {
protected:
    TokenGateTest() {
        service::write_tokens(
            path(),
            {{.name = "look", .role = Role::read, .hash = service::hash_of(reader), .created = "x"},
             {.name = "ops", .role = Role::admin, .hash = service::hash_of(admin), .created = "x"}}
        );
    }

    [[nodiscard]] std::string path() const { return (directory.path() / "tokens").string(); }

    [[nodiscard]] int ask(const std::string& authorization, Role needed) {
        Request request{.method = "GET", .target = "/"};
        if (!authorization.empty()) {
            request.headers.push_back({"authorization", authorization});
        }
        return status_of(gate().refusal(request, needed));
    }

    [[nodiscard]] service::TokenGate& gate() {
        if (!gate_) {
            gate_.emplace(path(), log);
        }
        return *gate_;
    }

    const test::TemporaryDirectory directory;
    const std::string reader = service::new_token();
    const std::string admin = service::new_token();
    schema::SilentLog log;

private:
    std::optional<service::TokenGate> gate_;
};

TEST_F(TokenGateTest, A_caller_has_the_name_of_its_token) {
    const auto with = [](const std::string& token) {
        return Request{
            .method = "GET", .target = "/", .headers = {{"Authorization", "Bearer " + token}}};
    };
    EXPECT_EQ(gate().visitor(with(admin)).name, "ops");
    EXPECT_EQ(gate().visitor(with(reader)).name, "look");
    EXPECT_EQ(gate().visitor(with(service::new_token())).name, "");
    EXPECT_EQ(service::LocalGate().visitor({.method = "GET", .target = "/"}).name, "local");
}

TEST_F(TokenGateTest, A_token_is_good_until_it_expires_and_then_it_is_said_so) {
    const std::string token = service::new_token();
    schema::TimePoint now = schema::parse_instant("2026-11-20T10:00:00Z").value();
    const service::TokenEntry entry{
        .name = "short",
        .role = Role::read,
        .hash = service::hash_of(token),
        .created = "x",
        .expires = now + std::chrono::hours(1)};
    service::write_tokens(path(), {entry});
    service::TokenGate gate(path(), log, "main", [&now] { return now; });
    const Request request{
        .method = "GET", .target = "/", .headers = {{"Authorization", "Bearer " + token}}};
    EXPECT_FALSE(gate.refusal(request, Role::read));
    now += std::chrono::hours(1);
    const auto refusal = gate.refusal(request, Role::read);
    ASSERT_EQ(status_of(refusal), 401);
    EXPECT_THAT(refusal->body, testing::HasSubstr("expired"));
    EXPECT_THAT(refusal->body, testing::HasSubstr("2026-11-20T11:00:00.000Z"));
}

TEST_F(TokenGateTest, A_token_is_for_the_engines_that_it_names) {
    const service::TokenEntry entry{
        .name = "one",
        .role = Role::read,
        .hash = service::hash_of(reader),
        .created = "x",
        .scope = {.engines = {"orders"}}};
    service::write_tokens(path(), {entry});
    const Request request{
        .method = "GET", .target = "/", .headers = {{"Authorization", "Bearer " + reader}}};
    EXPECT_EQ(
        status_of(service::TokenGate(path(), log, "orders").refusal(request, Role::read)), 200
    );
    EXPECT_EQ(status_of(service::TokenGate(path(), log).refusal(request, Role::read)), 403);
}

TEST(ScopeRuleTest, A_topic_that_ends_in_a_star_stands_for_all_that_begin_so) {
    const service::Scope scope{.topics = {"mail", "invoice.*"}};
    EXPECT_TRUE(scope.serves("mail"));
    EXPECT_TRUE(scope.serves("invoice.paid"));
    EXPECT_FALSE(scope.serves("invoice"));
    EXPECT_FALSE(scope.serves("mail.sent"));
    EXPECT_FALSE(scope.serves(""));
    EXPECT_TRUE(service::Scope{}.serves("anything"));
}

TEST_F(TokenGateTest, A_role_may_what_those_below_it_may) {
    EXPECT_EQ(ask("Bearer " + reader, Role::read), 200);
    EXPECT_EQ(ask("Bearer " + reader, Role::worker), 403);
    EXPECT_EQ(ask("Bearer " + reader, Role::admin), 403);
    EXPECT_EQ(ask("bearer " + admin, Role::read), 200);
    EXPECT_EQ(ask("Bearer " + admin, Role::admin), 200);
}

TEST_F(TokenGateTest, Without_a_good_token_only_what_anybody_may_is_let_in) {
    for (const std::string& wrong :
         {std::string(),
          std::string("Bearer "),
          "Basic " + reader,
          "Bearer " + reader + "x",
          "Bearer" + reader,
          std::string("Bearer jst_0"),
          reader,
          "Bearer " + std::string(9000, 'x')}) {
        EXPECT_EQ(ask(wrong, Role::read), 401) << wrong;
        EXPECT_EQ(ask(wrong, Role::anybody), 200) << wrong;
    }
    Request twice{
        .method = "GET",
        .target = "/",
        .headers = {{"Authorization", "Bearer " + reader}, {"Authorization", "Bearer " + admin}}};
    EXPECT_EQ(status_of(gate().refusal(twice, Role::read)), 400);
}

struct CookieCase {
    const char* method;
    std::vector<service::Header> headers;
    int status;
};

TEST_F(TokenGateTest, A_browsers_cookie_is_its_token_but_not_for_pages_of_others) {
    const std::string cookie = "theme=dark; jobstrand-session=" + reader + "; x=y";
    const CookieCase cases[] = {
        {"GET", {{"Cookie", cookie}}, 200},
        {"POST", {{"Cookie", cookie}, {"Sec-Fetch-Site", "same-origin"}}, 200},
        {"GET", {{"Cookie", cookie}, {"Sec-Fetch-Site", "none"}}, 200},
        {"GET", {{"Cookie", cookie}, {"Sec-Fetch-Site", "cross-site"}}, 403},
        {"POST", {{"Cookie", cookie}, {"Sec-Fetch-Site", "same-site"}}, 403},
        {"POST", {{"Cookie", cookie}, {"Host", "a:1"}, {"Origin", "http://a:1"}}, 200},
        {"POST", {{"Cookie", cookie}, {"Host", "a:1"}, {"Origin", "http://a:2"}}, 403},
        {"POST", {{"Cookie", cookie}, {"Host", "a:1"}, {"Origin", "null"}}, 403},
        {"GET", {{"Cookie", "jobstrand-session="}}, 401},
        {"GET", {{"Cookie", "other=" + reader}}, 401},
        {"GET", {{"Cookie", "jobstrand-session"}}, 401},
        // Whoever shows a token of its own is no browser with a cookie.
        {"GET", {{"Cookie", cookie}, {"Authorization", "Bearer jst_0"}}, 401},
        {"POST", {{"Authorization", "Bearer " + reader}, {"Sec-Fetch-Site", "cross-site"}}, 200},
    };
    for (const CookieCase& each : cases) {
        const Request request{.method = each.method, .target = "/", .headers = each.headers};
        EXPECT_EQ(status_of(gate().refusal(request, Role::read)), each.status)
            << each.method << ' ' << each.headers.front().value << ' ' << each.headers.back().name
            << ' ' << each.headers.back().value;
    }
    const service::Visitor visitor =
        gate().visitor({.method = "GET", .target = "/", .headers = {{"Cookie", cookie}}});
    EXPECT_EQ(visitor.name, "look");
    EXPECT_EQ(visitor.role, Role::read);
    EXPECT_TRUE(visitor.has_signed_in);
}

TEST_F(TokenGateTest, A_file_that_is_not_there_is_told_at_the_start) {
    EXPECT_THROW(service::TokenGate(path() + "2", log), service::TokenFileError);
}

[[nodiscard]] int ask_locally(const std::string& host, std::vector<service::Header> more = {}) {
    Request request{.method = "GET", .target = "/", .headers = std::move(more)};
    request.headers.push_back({"Host", host});
    return status_of(service::LocalGate().refusal(request, Role::admin));
}

TEST(LocalGateTest, Programs_of_this_machine_are_let_in) {
    for (const char* const host :
         {"localhost", "localhost:8080", "LOCALHOST:1", "127.0.0.1:80", "[::1]:80", "[::1]"}) {
        EXPECT_EQ(ask_locally(host), 200) << host;
    }
}

TEST(LocalGateTest, Its_own_page_is_let_in) {
    EXPECT_EQ(ask_locally("localhost:8080", {{"Origin", "http://localhost:8080"}}), 200);
    EXPECT_EQ(
        ask_locally(
            "localhost", {{"Origin", "http://localhost:8080"}, {"Sec-Fetch-Site", "same-origin"}}
        ),
        200
    );
}

TEST(LocalGateTest, Pages_of_others_are_not) {
    for (const char* const host :
         {"",
          "evil.example",
          "evil.example:8080",
          "localhost.evil.example",
          "127.0.0.1.evil.example",
          "[::1].evil"}) {
        EXPECT_EQ(ask_locally(host), 421) << host;
    }
    EXPECT_EQ(ask_locally("localhost", {{"Origin", "http://evil.example"}}), 403);
    EXPECT_EQ(ask_locally("localhost", {{"Origin", "http://localhost:8081"}}), 403);
    EXPECT_EQ(ask_locally("localhost", {{"Origin", "null"}}), 403);
    EXPECT_EQ(ask_locally("localhost", {{"Sec-Fetch-Site", "cross-site"}}), 403);
    EXPECT_EQ(ask_locally("localhost", {{"Sec-Fetch-Site", "same-site"}}), 403);
    EXPECT_EQ(ask_locally("localhost", {{"Sec-Fetch-Site", "none"}}), 200);
}

}  // namespace
}  // namespace jobstrand
