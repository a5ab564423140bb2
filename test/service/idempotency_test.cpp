#include "test/service/api_fixture.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>
#include <thread>

namespace jobstrand {
namespace {

using nlohmann::json;
using test::ApiTest;
using test::get;
using test::post;
using test::RawResponse;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kPath = "/api/v1/jobs";
constexpr const char* kOneJob = R"({"handlerType":"noop"})";
constexpr const char* kTwoJobs = R"([{"handlerType":"noop"},{"handlerType":"log"}])";

/// Requests that are sent again because nobody knows whether they have arrived.
class Idempotency : public ApiTest {
protected:
    [[nodiscard]] RawResponse
    send(const std::string& body, const std::string& key, const std::string& more = "") const {
        return ask(post(kPath, body, "Idempotency-Key: " + key + "\r\n" + more));
    }

    [[nodiscard]] std::size_t jobs() const { return look(kPath)["items"].size(); }
};

TEST_F(Idempotency, A_job_that_is_sent_again_is_added_once_and_answered_alike) {
    const RawResponse first = send(kOneJob, "k");
    EXPECT_EQ(first.status, 201);
    EXPECT_THAT(first.head, Not(HasSubstr("Idempotency-Replayed")));
    const RawResponse again = send(kOneJob, "k");
    EXPECT_EQ(again.status, 201);
    EXPECT_EQ(again.body, first.body);
    EXPECT_THAT(again.head, HasSubstr("Idempotency-Replayed: true"));
    EXPECT_THAT(
        again.head,
        HasSubstr("Location: /api/v1/jobs/" + json::parse(first.body)["id"].get<std::string>())
    );
    EXPECT_EQ(jobs(), 1);
}

TEST_F(Idempotency, Many_jobs_are_added_once) {
    const RawResponse first = send(kTwoJobs, "k");
    EXPECT_EQ(first.status, 201);
    EXPECT_EQ(send(kTwoJobs, "k").body, first.body);
    EXPECT_EQ(jobs(), 2);
    EXPECT_EQ(send(kTwoJobs, "other").status, 201);
    EXPECT_EQ(jobs(), 4);
}

TEST_F(Idempotency, Another_request_with_the_key_is_refused) {
    EXPECT_EQ(send(kOneJob, "k").status, 201);
    const auto refused = send(kTwoJobs, "k");
    EXPECT_EQ(refused.status, 422);
    EXPECT_THAT(refused.body, testing::HasSubstr(R"("title":"Unprocessable Content")"));
    EXPECT_EQ(jobs(), 1);
}

TEST_F(Idempotency, What_was_refused_may_be_mended_and_sent_with_the_same_key) {
    EXPECT_EQ(send(R"({"handlerType":""})", "k").status, 400);
    EXPECT_EQ(send(R"([{"handlerType":"noop","id":"a"}])", "other").status, 201);
    EXPECT_EQ(send(R"([{"handlerType":"noop","id":"a"}])", "k").status, 409);
    EXPECT_EQ(send(kOneJob, "k").status, 201);
    EXPECT_EQ(jobs(), 2);
}

TEST_F(Idempotency, A_key_that_cannot_be_one_is_refused) {
    EXPECT_EQ(send(kOneJob, "").status, 400);
    EXPECT_EQ(send(kOneJob, "two words").status, 400);
    EXPECT_EQ(send(kOneJob, std::string(201, 'k')).status, 400);
    EXPECT_EQ(send(kOneJob, "k", "Idempotency-Key: l\r\n").status, 400);
    EXPECT_EQ(jobs(), 0);
}

TEST_F(Idempotency, Of_many_at_the_same_time_one_adds_the_job) {
    std::vector<std::thread> clients;
    std::vector<RawResponse> answers(8);
    clients.reserve(answers.size());
    for (RawResponse& answer : answers) {
        clients.emplace_back([&] { answer = send(kOneJob, "k"); });
    }
    std::ranges::for_each(clients, &std::thread::join);
    std::set<std::string> bodies;
    for (const RawResponse& answer : answers) {
        EXPECT_EQ(answer.status, 201) << answer.body;
        bodies.insert(answer.body);
    }
    EXPECT_EQ(bodies.size(), 1);
    EXPECT_EQ(jobs(), 1);
}

}  // namespace
}  // namespace jobstrand
