#include "deadletter/job_search.hpp"
#include "persistence/drivers/database_url.hpp"
#include "test/fixtures/open_connection.hpp"
#include "test/fixtures/signal.hpp"
#include "test/service/api_fixture.hpp"
#include "tools/service/api/operator_paths.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <array>

namespace jobstrand {
namespace {

using deadletter::kRowsSoon;
using nlohmann::json;
using test::get;
using testing::HasSubstr;
using testing::Not;

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
    const json page = json::parse(service::list_jobs(parts)(request).body);
    EXPECT_TRUE(page["items"].empty());
    EXPECT_EQ(page["after"], nullptr);
    EXPECT_EQ(page["lookedAt"], nullptr);
}

}  // namespace
}  // namespace jobstrand
