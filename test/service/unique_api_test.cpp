#include "test/service/api_fixture.hpp"

#include <gmock/gmock.h>

namespace jobstrand {
namespace {

using nlohmann::json;
using test::ApiTest;
using test::get;
using test::post;
using testing::HasSubstr;

constexpr const char* kJobs = "/api/v1/jobs";

/// Unique keys over HTTP (B8).
class UniqueApi : public ApiTest {};

TEST_F(UniqueApi, A_second_job_is_a_conflict_that_names_the_first) {
    const std::string id = add(R"({"handlerType":"noop","uniqueKey":"k"})");
    const auto second = ask(post(kJobs, R"({"handlerType":"noop","uniqueKey":"k"})"));
    EXPECT_EQ(second.status, 409);
    EXPECT_THAT(second.body, HasSubstr("job " + id + " has the unique key k; no job was added"));
    EXPECT_EQ(look("/api/v1/jobs?unique-key=k")["items"].size(), 1);
}

TEST_F(UniqueApi, A_job_that_is_kept_is_the_answer) {
    const std::string id = add(R"({"handlerType":"noop","uniqueKey":"k"})");
    const auto kept =
        ask(post(kJobs, R"({"handlerType":"noop","uniqueKey":"k","onDuplicate":"keep"})"));
    EXPECT_EQ(kept.status, 200);
    EXPECT_THAT(kept.head, HasSubstr("Location: /api/v1/jobs/" + id));
    EXPECT_EQ(
        json::parse(kept.body), json({{"id", id}, {"isNew", false}, {"replacedJob", nullptr}})
    );
}

TEST_F(UniqueApi, A_job_that_made_room_is_told) {
    const std::string old = add(R"({"handlerType":"noop","uniqueKey":"k"})");
    const auto added =
        ask(post(kJobs, R"({"handlerType":"noop","uniqueKey":"k","onDuplicate":"replace"})"));
    EXPECT_EQ(added.status, 201);
    EXPECT_EQ(json::parse(added.body)["replacedJob"], old);
    EXPECT_EQ(ask(get("/api/v1/jobs/" + old)).status, 404);
}

TEST_F(UniqueApi, Many_jobs_are_all_added_or_none_and_those_kept_out_are_counted) {
    const std::string id = add(R"({"handlerType":"noop","uniqueKey":"a"})");
    const auto refused =
        ask(post(kJobs, R"([{"handlerType":"noop"},{"handlerType":"noop","uniqueKey":"a"}])"));
    EXPECT_EQ(refused.status, 409);
    EXPECT_EQ(look(kJobs)["items"].size(), 1);
    const auto added = ask(post(
        kJobs,
        R"([{"handlerType":"noop","id":"b","uniqueKey":"b"},)"
        R"({"handlerType":"noop","uniqueKey":"a","onDuplicate":"keep"}])"
    ));
    EXPECT_EQ(added.status, 201);
    EXPECT_EQ(
        json::parse(added.body),
        json({{"added", 1}, {"ids", {"b", id}}, {"keptOut", 1}, {"replaced", 0}})
    );
}

TEST_F(UniqueApi, A_rule_that_cannot_be_meant_so_is_a_mistake) {
    for (const char* const body :
         {R"({"handlerType":"noop","onDuplicate":"keep"})",
          R"({"handlerType":"noop","uniqueKey":"k","onDuplicate":"skip"})",
          R"({"handlerType":"noop","uniqueKey":"k","uniqueFor":"PT0S"})",
          R"({"handlerType":"noop","uniqueKey":"k","repeat":"R/PT1H"})"}) {
        EXPECT_EQ(ask(post(kJobs, body)).status, 400) << body;
    }
}

}  // namespace
}  // namespace jobstrand
