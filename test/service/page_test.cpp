#include "deadletter/job_search.hpp"
#include "persistence/drivers/database_url.hpp"
#include "test/fixtures/server_database.hpp"
#include "test/fixtures/signal.hpp"
#include "test/service/api_fixture.hpp"
#include "tools/service/api/operator_paths.hpp"
#include "tools/service/page_files.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <array>
#include <string>

namespace jobstrand {

namespace {

using deadletter::kRowsSoon;
using nlohmann::json;
using test::get;
using test::post;
using test::RawResponse;
using testing::HasSubstr;
using testing::Not;

/// The value of a header; empty: there is none.
[[nodiscard]] std::string header_of(const RawResponse& response, const std::string& name) {
    const std::size_t at = response.head.find("\r\n" + name + ": ");
    if (at == std::string::npos) {
        return {};
    }
    const std::size_t begin = at + name.size() + 4;
    return response.head.substr(begin, response.head.find("\r\n", begin) - begin);
}

/// The service as it is built for users: with the page.
class PageTest : public test::ApiTest {
protected:
    PageTest() {
        if (service::page_files().empty()) {
            ADD_FAILURE() << "this build has no page: it needs Node.js and npm";
        }
    }
};

TEST_F(PageTest, A_browser_gets_it_at_the_root_with_nothing_of_others) {
    const RawResponse response = ask(get("/"));
    EXPECT_EQ(response.status, 200);
    EXPECT_EQ(header_of(response, "Content-Type"), "text/html; charset=utf-8");
    EXPECT_EQ(header_of(response, "X-Frame-Options"), "DENY");
    const std::string policy = header_of(response, "Content-Security-Policy");
    EXPECT_THAT(policy, HasSubstr("default-src 'none'"));
    EXPECT_THAT(policy, HasSubstr("script-src 'self';"));
    EXPECT_THAT(policy, HasSubstr("frame-ancestors 'none'"));
    EXPECT_THAT(policy, Not(HasSubstr("unsafe")));
    EXPECT_THAT(response.body, Not(HasSubstr("http")));
    EXPECT_THAT(response.body, Not(HasSubstr("=\"/")));  // Any prefix may stand before it.
}

TEST_F(PageTest, Its_files_are_compressed_and_not_sent_again) {
    for (const service::PageFile& file : service::page_files()) {
        const std::string path =
            file.name == "index.html" ? "/" : "/page/" + std::string(file.name);
        const RawResponse plain = ask(get(path));
        EXPECT_EQ(plain.body, file.bytes) << path;
        const RawResponse small = ask(get(path, "Accept-Encoding: br, gzip\r\n"));
        EXPECT_EQ(header_of(small, "Content-Encoding"), "gzip") << path;
        EXPECT_EQ(small.body, file.gzipped) << path;
        const RawResponse again =
            ask(get(path, "If-None-Match: " + header_of(plain, "ETag") + "\r\n"));
        EXPECT_EQ(again.status, 304) << path;
        EXPECT_EQ(again.body, "") << path;
    }
}

TEST_F(PageTest, A_file_that_is_not_its_own_is_not_there) {
    EXPECT_EQ(ask(get("/page/passwd")).status, 404);
    EXPECT_EQ(ask(get("/page/..%2fpage.js")).status, 404);
    EXPECT_EQ(ask(post("/", "{}")).status, 405);
}

TEST_F(PageTest, On_this_machine_nobody_has_to_sign_in) {
    const json session = look("/api/v1/session");
    EXPECT_EQ(session["caller"], "local");
    EXPECT_EQ(session["role"], "admin");
    EXPECT_EQ(session["isByCookie"], false);
}

constexpr std::int64_t kMore = kRowsSoon + 5;

/// More dead letters than are looked at when an answer is wanted soon.
class SoonTest : public test::ApiTest {
protected:
    SoonTest() {
        const auto url =
            persistence::parse_database_url("sqlite:" + (directory.path() / "jobs.db").string());
        const std::array<persistence::Value, 1> parameters{kMore};
        test::open_connection(url.value())
            ->execute(
                "WITH RECURSIVE N(I) AS (SELECT 1 UNION ALL SELECT I + 1 FROM N WHERE I < ?) "
                "INSERT INTO ACT_RU_DEADLETTER_JOB "
                "(ID_, TYPE_, SCOPE_TYPE_, HANDLER_TYPE_, EXCEPTION_MSG_, FAILED_TIME_) "
                "SELECT printf('d%06d', I), 'message', 'jobstrand', 'mail', 'host ' || I || ' is "
                "away', '2026-01-01 00:00:00.000' FROM N",
                parameters
            );
    }
};

TEST_F(SoonTest, Counts_are_exact_unless_they_are_wanted_soon_and_then_say_how_good_they_are) {
    EXPECT_EQ(look("/api/v1/stats")["places"]["dead"], kMore);
    EXPECT_FALSE(look("/api/v1/stats").contains("lookedAt"));
    const json soon = look("/api/v1/stats?soon=true");
    if (soon["lookedAt"].contains("dead")) {
        EXPECT_EQ(soon["places"]["dead"], kRowsSoon) << "there are at least so many";
    }
    EXPECT_FALSE(soon["lookedAt"].contains("timer")) << "these are all";
    // Somebody counts meanwhile.
    json later;
    EXPECT_TRUE(test::eventually([&] {
        later = look("/api/v1/stats?soon=true");
        return later["asOf"].contains("dead");
    }));
    EXPECT_EQ(later["places"]["dead"], kMore);
    EXPECT_TRUE(later["lookedAt"].empty());
}

TEST_F(SoonTest, Causes_types_and_places_say_of_how_many_jobs_they_are) {
    const auto response = ask(get("/api/v1/dead/groups?soon=true"));
    EXPECT_THAT(response.head, HasSubstr(fmt::format("Jobstrand-Looked-At: {}\r\n", kRowsSoon)));
    const json soon = json::parse(response.body);
    ASSERT_EQ(soon.size(), 1U);
    EXPECT_EQ(soon[0]["jobs"], kRowsSoon);
    EXPECT_EQ(soon[0]["lookedAt"], kRowsSoon);
    const auto none = ask(get("/api/v1/dead/groups?soon=true&type=fax"));
    EXPECT_EQ(none.body, "[]\n");
    EXPECT_THAT(none.head, HasSubstr("Jobstrand-Looked-At"));

    const auto whole = ask(get("/api/v1/dead/groups"));
    EXPECT_THAT(whole.head, Not(HasSubstr("Jobstrand-Looked-At")));
    EXPECT_EQ(json::parse(whole.body)[0]["jobs"], kMore);
    EXPECT_EQ(json::parse(whole.body)[0]["lookedAt"], nullptr);

    EXPECT_EQ(look("/api/v1/types?soon=true")[0]["jobs"], kRowsSoon);
    EXPECT_EQ(look("/api/v1/types?soon=true")[0]["lookedAt"], kRowsSoon);
    EXPECT_EQ(look("/api/v1/types")[0]["jobs"], kMore);
    const json top = look("/api/v1/top?soon=true");
    EXPECT_FALSE(top["places"].empty());
    for (const json& place : top["places"]) {
        EXPECT_EQ(place["lookedAt"].is_null(), place["place"] != "dead") << place;
    }
}

TEST_F(SoonTest, A_search_without_matches_says_how_far_it_has_looked_and_goes_on_there) {
    const std::string path = "/api/v1/jobs?place=dead&type=fax";
    EXPECT_FALSE(look(path).contains("lookedAt"));
    const json first = look(path + "&soon=true");
    EXPECT_TRUE(first["items"].empty());
    EXPECT_EQ(first["lookedAt"], kRowsSoon);
    EXPECT_EQ(first["after"], fmt::format("d{:06}", kRowsSoon));
    const json rest = look(path + "&soon=true&after=" + first["after"].get<std::string>());
    EXPECT_EQ(rest["after"], nullptr);
    EXPECT_EQ(rest["lookedAt"], nullptr) << "it has seen all";
    EXPECT_EQ(look("/api/v1/jobs?place=dead&soon=true&limit=1")["lookedAt"], nullptr)
        << "a page that is full needs no more rows";
    const json sorted = look(path + "&soon=true&sort=failed&order=desc");
    EXPECT_EQ(sorted["lookedAt"], kRowsSoon);
    EXPECT_EQ(
        look(
            path + "&soon=true&sort=failed&order=desc&after=" + sorted["after"].get<std::string>()
        )["lookedAt"],
        nullptr
    );
}

// Where a page ends is a job, and not all may see that.
TEST_F(SoonTest, A_token_with_tenants_hears_of_no_job_of_others) {
    const service::Request request{
        .method = "GET",
        .target = "/api/v1/jobs?place=dead&type=fax&soon=true",
        .scope = {.tenants = {"acme"}}};
    const json page = json::parse(service::list_jobs(parts, request).body);
    EXPECT_TRUE(page["items"].empty());
    EXPECT_EQ(page["after"], nullptr);
    EXPECT_EQ(page["lookedAt"], nullptr);
}

}  // namespace

}  // namespace jobstrand
