#include "schema/text/time_text.hpp"
#include "test/fixtures/temporary_directory.hpp"
#include "tools/access/token_file.hpp"
#include "tools/service/http/gates.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace jobstrand {

namespace {

using service::Request;
using service::Role;
using service::TokenEntry;
using testing::HasSubstr;
using testing::Not;

class TokenFileTest : public testing::Test {
protected:
    [[nodiscard]] std::string path() const { return (directory.path() / "tokens").string(); }

    [[nodiscard]] std::string content() const {
        std::ostringstream text;
        text << std::ifstream(path()).rdbuf();
        return text.str();
    }

    const test::TemporaryDirectory directory;
};

TEST_F(TokenFileTest, The_file_keeps_hashes_and_no_tokens_and_only_its_owner_reads_it) {
    const std::string token = service::new_token();
    service::write_tokens(
        path(),
        {{.name = "shop",
          .role = Role::worker,
          .hash = service::hash_of(token),
          .created = "2026-11-20T10:15:30.000Z"}}
    );
    EXPECT_THAT(content(), Not(HasSubstr(token)));
    EXPECT_EQ(
        std::filesystem::status(path()).permissions(),
        std::filesystem::perms::owner_read | std::filesystem::perms::owner_write
    );
    const auto read = service::read_tokens(path());
    ASSERT_EQ(read.size(), 1);
    EXPECT_EQ(read[0].name, "shop");
    EXPECT_EQ(read[0].role, Role::worker);
    EXPECT_TRUE(service::are_equal(read[0].hash, service::hash_of(token)));
    EXPECT_FALSE(service::are_equal(read[0].hash, service::hash_of(token + "x")));
}

TEST_F(TokenFileTest, A_file_that_others_may_read_or_that_is_not_there_is_refused_with_what_to_do) {
    EXPECT_THROW((void)service::read_tokens(path()), service::TokenFileError);
    service::write_tokens(path(), {});
    std::filesystem::permissions(
        path(), std::filesystem::perms::others_read, std::filesystem::perm_options::add
    );
    try {
        (void)service::read_tokens(path());
        FAIL();
    } catch (const service::TokenFileError& error) {
        EXPECT_THAT(error.what(), HasSubstr("chmod 600"));
    }
}

TEST_F(TokenFileTest, A_link_is_written_through_and_mode_and_owner_stay) {
    using service::TokenFileTurn;
    const std::string link = path() + "-link";
    std::filesystem::create_symlink("tokens", link);
    const service::TokenEntry shop{
        .name = "shop", .role = Role::read, .hash = service::hash_of("x"), .created = "x"};
    {
        TokenFileTurn turn(link, TokenFileTurn::Missing::is_made);
        EXPECT_TRUE(turn.tokens().empty());
        turn.tokens().push_back(shop);
        turn.write();
    }
    const bool is_root = ::geteuid() == 0;
    constexpr uid_t somebody = 65534;
    ASSERT_EQ(::chmod(path().c_str(), S_IRUSR), 0);
    ASSERT_TRUE(!is_root || ::chown(path().c_str(), somebody, somebody) == 0);
    {
        TokenFileTurn turn(link, TokenFileTurn::Missing::fails);
        ASSERT_EQ(turn.tokens().size(), 1U);
        turn.tokens().clear();
        turn.write();
    }
    EXPECT_TRUE(std::filesystem::is_symlink(link));
    EXPECT_TRUE(service::read_tokens(path()).empty());
    struct stat about {};
    ASSERT_EQ(::stat(path().c_str(), &about), 0);
    EXPECT_EQ(about.st_mode & 0777U, static_cast<mode_t>(S_IRUSR));
    EXPECT_EQ(about.st_uid, is_root ? somebody : ::geteuid());
}

TEST_F(TokenFileTest, A_turn_at_a_file_that_is_not_there_makes_it_or_fails) {
    using service::TokenFileTurn;
    EXPECT_THROW(TokenFileTurn(path(), TokenFileTurn::Missing::fails), service::TokenFileError);
    EXPECT_FALSE(std::filesystem::exists(path()));
    EXPECT_TRUE(TokenFileTurn(path(), TokenFileTurn::Missing::is_made).tokens().empty());
}

TEST_F(TokenFileTest, What_restricts_a_token_stands_behind_it) {
    const TokenEntry mailer{
        .name = "mailer",
        .role = Role::worker,
        .hash = service::hash_of("x"),
        .created = "now",
        .scope =
            {.topics = {"mail", "invoice.*"}, .tenants = {"acme corp", "a,b"}, .engines = {"main"}},
        .expires = schema::parse_instant("2026-12-26T10:00:00Z").value()};
    service::write_tokens(path(), {mailer});
    EXPECT_THAT(
        content(),
        HasSubstr("now topics=mail,invoice.* tenants=acme%20corp,a%2Cb engines=main "
                  "expires=2026-12-26T10:00:00.000Z\n")
    );
    const auto read = service::read_tokens(path());
    ASSERT_EQ(read.size(), 1U);
    EXPECT_EQ(read[0].scope, mailer.scope);
    EXPECT_EQ(read[0].expires, mailer.expires);
    const std::string line = "shop read sha256:" + std::string(64, '0') + " now ";
    EXPECT_TRUE(service::parse_tokens(line + "tenants=a"));
    for (const char* const wrong :
         {"tenants=",
          "tenants=a,",
          "tenants=a tenants=b",
          "topics=*",
          "topics=a*b",
          "colour=red",
          "expires=soon",
          "tenants"}) {
        EXPECT_FALSE(service::parse_tokens(line + wrong)) << wrong;
    }
}

TEST_F(TokenFileTest, A_line_that_is_no_token_is_named) {
    const std::string hash = "sha256:" + std::string(64, '0');
    EXPECT_TRUE(service::parse_tokens("# a comment\n\nshop read " + hash + " now\n"));
    for (const std::string& line : {
             std::string("shop"),
             "shop owner " + hash + " now",
             std::string("shop read sha256:00 now"),
             "shop read " + hash,
             "shop read " + hash + " now more",
             "s/hop read " + hash + " now",
             "shop read sha256:" + std::string(63, '0') + "g now",
             "a read " + hash + " now\na read " + hash + " now",
         }) {
        const auto read = service::parse_tokens("# first\n" + line + "\n");
        ASSERT_FALSE(read) << line;
        EXPECT_THAT(read.error().message, HasSubstr("line ")) << line;
    }
}

TEST_F(TokenFileTest, Tokens_are_long_and_differ) {
    EXPECT_EQ(service::new_token().size(), 47);
    EXPECT_NE(service::new_token(), service::new_token());
    EXPECT_THAT(service::new_token(), testing::MatchesRegex("jst_[A-Za-z0-9_-]+"));
}

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
