#include "test/service/api_fixture.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <chrono>
#include <string>
#include <string_view>

namespace jobstrand {
namespace {

using namespace std::chrono_literals;
using schema::JobPlace;
using test::post;
using test::RawResponse;
using testing::HasSubstr;

class CallBackTest : public test::ApiTest {
protected:
    /// A job that another node runs; its fencing token is in token.
    std::string a_running_job(std::string_view type = "http") {
        const std::string id =
            add(fmt::format(R"({{"id":"order 17","handlerType":"{}","retries":3}})", type));
        const schema::TimePoint now = engine.clock().now();
        const auto acquired = engine.executor_store().acquire_one(
            id, {.owner = "other-node", .until = now + 1min}, now
        );
        EXPECT_EQ(acquired.answer, persistence::JobAnswer::done);
        token = acquired.job.revision;
        return id;
    }

    [[nodiscard]] RawResponse tell(std::string_view body, std::int64_t the_token) const {
        return tell(body, fmt::format("jobstrand-fencing-token: {}\r\n", the_token));
    }

    [[nodiscard]] RawResponse tell(std::string_view body, const std::string& headers) const {
        return ask(post("/api/v1/jobs/order%2017/outcome", body, headers));
    }

    std::int64_t token = 0;
};

TEST_F(CallBackTest, An_app_tells_that_a_job_is_done) {
    const std::string id = a_running_job();
    EXPECT_EQ(tell(R"({"outcome":"done"})", token).status, 204);
    EXPECT_FALSE(engine.store().find(id));
    EXPECT_EQ(tell(R"({"outcome":"done"})", token).status, 404);
}

TEST_F(CallBackTest, An_app_tells_of_a_failure) {
    const std::string id = a_running_job();
    const RawResponse response = tell(
        R"({"outcome":"failed","message":"no paper","details":"tray 2","retryAfter":"PT1H"})", token
    );
    EXPECT_EQ(response.status, 204) << response.body;
    const auto job = look("/api/v1/jobs/order%2017");
    EXPECT_EQ(job["place"], "timer");
    EXPECT_EQ(job["retries"], 2);
    EXPECT_EQ(job["exceptionMessage"], "no paper");
    EXPECT_EQ(job["exceptionDetails"], "tray 2");
    const auto due = engine.store().find(id)->job.due_date.value_or(schema::TimePoint{});
    EXPECT_GT(due, engine.clock().now() + 50min);
}

TEST_F(CallBackTest, A_failure_that_is_not_retryable_is_final) {
    const std::string id = a_running_job();
    EXPECT_EQ(tell(R"({"outcome":"failed","retryable":false})", token).status, 204);
    EXPECT_EQ(engine.store().find(id)->place, JobPlace::dead_letter);
}

TEST_F(CallBackTest, Only_jobs_that_call_apps_are_ended_so) {
    const std::string id = a_running_job("command");
    const RawResponse response = tell(R"({"outcome":"done"})", token);
    EXPECT_EQ(response.status, 409);
    EXPECT_THAT(response.body, HasSubstr("no http job"));
    EXPECT_EQ(engine.store().find(id)->job.lock_owner, "other-node") << "nothing has changed";
}

TEST_F(CallBackTest, Who_is_too_late_is_told_why) {
    const std::string id = a_running_job();
    const RawResponse stale = tell(R"({"outcome":"done"})", token - 1);
    EXPECT_EQ(stale.status, 409);
    EXPECT_THAT(stale.body, HasSubstr("another attempt"));
    EXPECT_EQ(engine.store().find(id)->job.lock_owner, "other-node") << "nothing has changed";

    const persistence::Fence fence{.id = id, .revision = static_cast<int>(token)};
    engine.executor_store().release("other-node", std::span(&fence, 1));
    const RawResponse given_back = tell(R"({"outcome":"done"})", token);
    EXPECT_EQ(given_back.status, 409);
    EXPECT_THAT(given_back.body, HasSubstr("not under way"));
}

TEST_F(CallBackTest, What_cannot_be_meant_so_is_refused_and_changes_nothing) {
    const std::string id = a_running_job();
    const std::string bodies[] = {
        "",
        "[]",
        "{}",
        R"({"outcome":"maybe"})",
        R"({"outcome":"done","message":"x"})",
        R"({"outcome":"failed","retryable":"no"})",
        R"({"outcome":"failed","retryAfter":"soon"})",
        R"({"outcome":"failed","massage":"x"})",
    };
    for (const std::string& body : bodies) {
        EXPECT_EQ(tell(body, token).status, 400) << body;
    }
    const std::string done = R"({"outcome":"done"})";
    for (const char* value : {"", "x", "5x", "-", "99999999999999999999"}) {
        const RawResponse refused =
            tell(done, fmt::format("jobstrand-fencing-token: {}\r\n", value));
        EXPECT_EQ(refused.status, 400) << value;
        EXPECT_THAT(refused.body, HasSubstr("jobstrand-fencing-token")) << value;
    }
    EXPECT_EQ(tell(done, std::string()).status, 400);
    EXPECT_EQ(engine.store().find(id)->job.revision, token);
}

}  // namespace
}  // namespace jobstrand
