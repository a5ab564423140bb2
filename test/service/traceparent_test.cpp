#include "test/service/api_fixture.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <string>

namespace jobstrand {
namespace {

using nlohmann::json;
using test::post;
using test::RawResponse;
using testing::HasSubstr;

const std::string kTrace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
const std::string kOther = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00";

class TraceparentTest : public test::ApiTest {
protected:
    /// Enqueues with these header lines, and returns what the job `a` has.
    [[nodiscard]] json stored(const std::string& body, const std::string& headers) {
        const RawResponse response = ask(post("/api/v1/jobs", body, headers));
        EXPECT_EQ(response.status, 201) << response.body;
        json traceparent = look("/api/v1/jobs/a").value("traceparent", json());
        const std::string id = "a";
        (void)engine.store().remove(
            schema::JobPlace::executable, std::span(&id, 1), engine.clock().now()
        );
        return traceparent;
    }

    [[nodiscard]] static std::string header(const std::string& value) {
        return fmt::format("traceparent: {}\r\n", value);
    }
};

TEST_F(TraceparentTest, Jobs_belong_to_the_trace_of_the_request_that_enqueues_them) {
    const std::string job = R"({"id":"a","handlerType":"noop"})";
    EXPECT_EQ(stored(job, header(kTrace)), kTrace);
    EXPECT_EQ(stored("[" + job + "]", header(kTrace)), kTrace);
    EXPECT_EQ(stored(job, ""), nullptr);
}

TEST_F(TraceparentTest, A_trace_of_the_jobs_own_wins) {
    const std::string job =
        fmt::format(R"({{"id":"a","handlerType":"noop","traceparent":"{}"}})", kOther);
    EXPECT_EQ(stored(job, header(kTrace)), kOther);
    EXPECT_EQ(stored("[" + job + "]", header(kTrace)), kOther);
}

TEST_F(TraceparentTest, A_header_that_names_no_trace_is_overlooked) {
    const std::string job = R"({"id":"a","handlerType":"noop"})";
    EXPECT_EQ(stored(job, header("00-0-0-0")), nullptr);
    EXPECT_EQ(stored(job, header(kTrace) + header(kOther)), nullptr);
    EXPECT_EQ(stored(job, header("cc" + kTrace.substr(2) + "-more")), kTrace)
        << "a later version is read as the first";
}

TEST_F(TraceparentTest, A_member_that_names_no_trace_is_refused) {
    const RawResponse response =
        ask(post("/api/v1/jobs", R"({"id":"a","handlerType":"noop","traceparent":"00-0-0-0"})"));
    EXPECT_EQ(response.status, 400);
    EXPECT_THAT(response.body, HasSubstr("traceparent"));
}

TEST_F(TraceparentTest, External_workers_are_told_of_it) {
    ASSERT_EQ(
        ask(post("/api/v1/jobs", R"({"handlerType":"mail","external":true})", header(kTrace)))
            .status,
        201
    );
    const RawResponse taken =
        ask(post("/api/v1/external-jobs/acquire", R"({"worker":"w","topics":["mail"]})"));
    EXPECT_EQ(json::parse(taken.body)["items"][0]["traceparent"], kTrace);
}

TEST_F(TraceparentTest, Workers_of_Flowable_and_Camunda_get_it_as_a_variable) {
    const auto acquire = [&] {
        const RawResponse taken = ask(post(
            "/external-job-api/acquire/jobs",
            R"({"topic":"mail","lockDuration":"PT1M","numberOfTasks":1,"workerId":"w"})"
        ));
        return json::parse(taken.body).at(0).at("variables");
    };
    const auto fetch = [&] {
        const RawResponse taken = ask(post(
            "/engine-rest/external-task/fetchAndLock",
            R"({"workerId":"w","maxTasks":1,"topics":[{"topicName":"mail","lockDuration":60000}]})"
        ));
        return json::parse(taken.body).at(0).at("variables");
    };
    const auto enqueue = [&](const std::string& headers, const std::string& payload) {
        const std::string job = R"({"handlerType":"mail","external":true,"payload":)" + payload;
        ASSERT_EQ(ask(post("/api/v1/jobs", job + "}", headers)).status, 201);
    };
    const json variable{{"name", "traceparent"}, {"type", "string"}, {"value", kTrace}};
    enqueue(header(kTrace), "{}");
    EXPECT_EQ(acquire(), json::array({variable}));
    enqueue(header(kTrace), "{}");
    EXPECT_EQ(fetch().at("traceparent").at("value"), kTrace);
    enqueue(header(kTrace), R"({"traceparent":"mine"})");
    EXPECT_EQ(acquire().at(0).at("value"), "mine") << "the payload's own";
    enqueue("", "{}");
    EXPECT_EQ(fetch(), json::object()) << "it belongs to no trace";
}

}  // namespace
}  // namespace jobstrand
