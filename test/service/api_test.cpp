#include "test/service/api_fixture.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace jobstrand {
namespace {

using nlohmann::json;
using test::ApiTest;
using test::get;
using test::post;
using testing::HasSubstr;

TEST_F(ApiTest, What_is_no_job_is_refused_with_each_mistake_and_changes_nothing) {
    for (const char* const body :
         {"",
          "{",
          "17",
          "null",
          "{}",
          R"({"handlerType":""})",
          R"({"handlerType":"a","x":1})",
          R"({"handlerType":"a","retries":-1})",
          "{\"handlerType\":\"\xff\"}",
          R"({"handlerType":"a"} {"handlerType":"a"})",
          "[]",
          "[17]",
          "[{]",
          R"([{"handlerType":"a","id":"1"},{"handlerType":"a","id":"1"}])"}) {
        const auto refused = ask(post("/api/v1/jobs", body));
        EXPECT_EQ(refused.status, 400) << body;
        EXPECT_FALSE(json::parse(refused.body)["errors"].empty()) << body;
        EXPECT_THAT(refused.head, HasSubstr("application/problem+json"));
    }
    EXPECT_EQ(look("/api/v1/jobs?place=all")["items"].size(), 0);
}

TEST_F(ApiTest, Json_nested_a_hundred_thousand_deep_harms_nobody) {
    const std::string deep(100'000, '[');
    EXPECT_EQ(ask(post("/api/v1/jobs", deep)).status, 400);
    EXPECT_EQ(ask(post("/api/v1/jobs", R"({"handlerType":"a","payload":)" + deep)).status, 400);
    (void)add(R"({"handlerType":"a"})");
}

TEST_F(ApiTest, A_list_has_filters_and_goes_on_behind_its_last_job) {
    for (int i = 0; i < 5; ++i) {
        add(fmt::format(R"({{"handlerType":"mail","id":"m{}"}})", i));
    }
    add(R"({"handlerType":"report","id":"r","dueDate":"2099-01-01T00:00:00Z"})");
    const json first = look("/api/v1/jobs?type=mail&limit=3");
    EXPECT_EQ(first["items"].size(), 3);
    EXPECT_EQ(first["after"], "m2");
    const json second = look("/api/v1/jobs?type=mail&limit=3&after=m2");
    EXPECT_EQ(second["items"].size(), 2);
    EXPECT_TRUE(second["after"].is_null());
    EXPECT_EQ(look("/api/v1/jobs?place=all")["items"].size(), 6);
    EXPECT_EQ(look("/api/v1/jobs?place=timer&due-after=2098-01-01")["items"][0]["id"], "r");
    EXPECT_EQ(look("/api/v1/jobs?locked=true")["items"].size(), 0);
    EXPECT_EQ(look("/api/v1/jobs?with-exception=true&place=all")["items"].size(), 0);
    EXPECT_EQ(look("/api/v1/jobs?with-exception=false&place=all")["items"].size(), 6);
    EXPECT_EQ(look("/api/v1/jobs?created-before=1h+ago")["items"].size(), 0);
    EXPECT_EQ(look("/api/v1/jobs?place=all&where=created%3E1h")["items"].size(), 6);
    EXPECT_EQ(look("/api/v1/jobs?place=all&where=id:r+OR+id:none")["items"].size(), 1);
    const json into = look("/api/v1/jobs?place=all&where=-payload.none");
    EXPECT_EQ(into["items"].size(), 6);
    EXPECT_FALSE(into.contains("partial")) << "all was looked into";
}

TEST_F(ApiTest, A_list_of_one_place_may_be_in_another_order) {
    add(R"({"handlerType":"mail","id":"a","priority":1})");
    add(R"({"handlerType":"mail","id":"b","priority":9})");
    const json first = look("/api/v1/jobs?sort=priority&order=desc&limit=1");
    EXPECT_EQ(first["items"][0]["id"], "b");
    EXPECT_EQ(first["after"], "9,b");
    const json second = look("/api/v1/jobs?sort=priority&order=desc&limit=1&after=9%2Cb");
    EXPECT_EQ(second["items"][0]["id"], "a");
    EXPECT_TRUE(second["after"].is_null());
    EXPECT_EQ(look("/api/v1/jobs?sort=priority&order=desc&skip=1")["items"][0]["id"], "a");
    for (const char* const query :
         {"sort=colour",
          "order=desc",
          "sort=due&order=up",
          "sort=due&skip=-1",
          "sort=due&after=a",
          "sort=due&place=all"}) {
        EXPECT_EQ(ask(get(std::string("/api/v1/jobs?") + query)).status, 400) << query;
    }
}

TEST_F(ApiTest, Filters_ask_for_one_of_several_for_ranges_and_for_what_is_missing) {
    add(R"({"handlerType":"mail","id":"a","priority":1,"tenantId":"acme"})");
    add(R"({"handlerType":"sms","id":"b","priority":9})");
    add(R"({"handlerType":"log","id":"c"})");
    const auto ids = [this](const std::string& query) {
        std::string found;
        const json page = look("/api/v1/jobs?" + query);
        for (const json& job : page["items"]) {
            found += job["id"].get<std::string>();
        }
        return found;
    };
    EXPECT_EQ(ids("type=mail&type=log"), "ac");
    EXPECT_EQ(ids("type=mail&type=log&tenant=acme"), "a");
    EXPECT_EQ(ids("without=tenant"), "bc");
    EXPECT_EQ(ids("priority-min=1"), "ab");
    EXPECT_EQ(ids("priority-min=-1&priority-max=1"), "ac");
    for (const char* const query : {"without=type", "without=colour", "priority-min=high"}) {
        EXPECT_EQ(ask(get(std::string("/api/v1/jobs?") + query)).status, 400) << query;
    }
}

TEST_F(ApiTest, A_filter_that_cannot_be_meant_so_is_named) {
    for (const char* const query :
         {"limit=0",
          "limit=x",
          "limit=10001",
          "place=here",
          "locked=perhaps",
          "with-exception=perhaps",
          "type=",
          "typ=mail",
          "created-before=then",
          "where=",
          "where=tpye:mail",
          "where=(type:mail",
          "where=payload.a:%00",
          "type=%ff"}) {
        EXPECT_EQ(ask(get(std::string("/api/v1/jobs?") + query)).status, 400) << query;
    }
    EXPECT_THAT(ask(get("/api/v1/jobs?typ=mail")).body, HasSubstr("type"));
    EXPECT_THAT(
        ask(get("/api/v1/jobs?where=is:free%20tpye:mail")).body,
        HasSubstr("where is wrong at character 9: there is no key tpye; did you mean type?")
    );
}

TEST_F(ApiTest, No_ids_never_mean_all) {
    for (const char* const body :
         {"{}",
          R"({"ids":[]})",
          R"({"ids":"a"})",
          R"({"ids":["a"],"retries":0})",
          R"({"ids":["a"],"all":true})",
          "[]",
          ""}) {
        EXPECT_EQ(ask(post("/api/v1/dead/requeue", body)).status, 400) << body;
    }
}

TEST_F(ApiTest, Metrics_are_counted_as_things_happen) {
    add(R"({"handlerType":"mail"})");
    const auto response = ask(get("/metrics"));
    EXPECT_THAT(response.head, HasSubstr("Content-Type: text/plain; version=0.0.4"));
    for (const char* const line :
         {"\njobstrand_enqueued_total 1\n",
          "\njobstrand_enqueue_transactions_total 1\n",
          "\njobstrand_completed_total 0\n",
          "\njobstrand_running 0\n",
          "\njobstrand_timers_moved_total 0\n",
          "\njobstrand_claim_seconds_count 0\n",
          "\njobstrand_completion_seconds_count 0\n",
          "\njobstrand_database_failures_total{reason=\"conflict\"} 0\n",
          "\njobstrand_http_responses_total{code=\"2xx\"} 1\n",
          "\njobstrand_http_request_duration_seconds_count 1\n",
          "\njobstrand_http_request_duration_seconds_bucket{le=\"+Inf\"} 1\n"}) {
        EXPECT_THAT(response.body, HasSubstr(line));
    }
}

}  // namespace
}  // namespace jobstrand
