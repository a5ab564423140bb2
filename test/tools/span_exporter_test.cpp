#include "tools/calls/span_exporter.hpp"

#include "test/fixtures/job_builder.hpp"
#include "test/fixtures/recording_log.hpp"
#include "test/fixtures/signal.hpp"
#include "test/tools/test_app.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <string>

namespace jobstrand::cli {

namespace {

using FinishedRun = executor::WatchedRun;
using nlohmann::json;
using schema::TransitionReason;
using test::a_response;
using test::TestApp;
using namespace std::chrono_literals;

const std::string kSpan = "00-4bf92f3577b34da6a3ce929d0e0e4736-aaaaaaaaaaaaaaaa-01";

/// Runs of one job, and a collector that takes spans.
class SpanExporterTest : public testing::Test {
protected:
    SpanExporterTest() {
        job_.correlation_id = "order-17";
        job_.trace_parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
        job_.create_time = schema::TimePoint(1s);
    }

    [[nodiscard]] std::shared_ptr<SpanExporter>
    an_exporter(const TestApp& collector, schema::Duration interval = 1h) {
        const SpanSettings settings{
            .endpoint = fmt::format("http://127.0.0.1:{}", collector.port()),
            .service_name = "shop"};
        auto exporter = std::make_shared<SpanExporter>(client_, log_, settings, interval);
        exporter->start();
        return exporter;
    }

    [[nodiscard]] FinishedRun a_run() const {
        return {
            .job = job_,
            .trace_parent = kSpan,
            .attempt = 2,
            .began = schema::TimePoint(3s),
            .ended = schema::TimePoint(4500ms),
            .reason = TransitionReason::completed};
    }

    void add(SpanExporter& exporter, std::size_t count) const {
        for (std::size_t i = 0; i < count; ++i) {
            exporter.add(a_run());
        }
    }

    /// The spans of one request.
    [[nodiscard]] static json spans_in(const TestApp::Request& request) {
        return json::parse(request.body())["resourceSpans"][0]["scopeSpans"][0]["spans"];
    }

    /// What comes of this run.
    [[nodiscard]] json spans_of(const FinishedRun& run) {
        const TestApp collector([](const TestApp::Request&) { return a_response(200); });
        const auto exporter = an_exporter(collector);
        exporter->add(run);
        exporter->flush(test::kPatience);
        return spans_in(collector.requests().at(0));
    }

    [[nodiscard]] json span_of(const FinishedRun& run) {
        const json spans = spans_of(run);
        EXPECT_EQ(spans.size(), 1U);
        return spans[0];
    }

    schema::Job job_ = test::a_job("job-1").of_type("mail");
    test::RecordingLog log_;
    HttpClient client_;
};

/// Of a span: texts, and numbers as the texts that they are there.
std::map<std::string, std::string> attributes_in(const json& span) {
    std::map<std::string, std::string> attributes;
    for (const json& attribute : span["attributes"]) {
        attributes.emplace(attribute["key"], attribute["value"].front());
    }
    return attributes;
}

TEST_F(SpanExporterTest, A_run_is_a_span_below_the_one_that_enqueued_its_job) {
    const json span = span_of(a_run());
    EXPECT_EQ(span["traceId"], "4bf92f3577b34da6a3ce929d0e0e4736");
    EXPECT_EQ(span["spanId"], "aaaaaaaaaaaaaaaa");
    EXPECT_EQ(span["parentSpanId"], "00f067aa0ba902b7");
    EXPECT_EQ(span["name"], "mail");
    EXPECT_EQ(span["kind"], 5);
    EXPECT_EQ(span["startTimeUnixNano"], "3000000000");
    EXPECT_EQ(span["endTimeUnixNano"], "4500000000");
    EXPECT_EQ(span["status"]["code"], 1);
    const std::map<std::string, std::string> expected{
        {"messaging.system", "jobstrand"},
        {"messaging.operation.type", "process"},
        {"messaging.destination.name", "mail"},
        {"messaging.message.id", "job-1"},
        {"messaging.message.conversation_id", "order-17"},
        {"jobstrand.attempt", "2"},
        {"jobstrand.outcome", std::string(schema::name_of(TransitionReason::completed))},
        {"jobstrand.wait_ms", "2000"},
    };
    EXPECT_EQ(attributes_in(span), expected);
}

TEST_F(SpanExporterTest, A_failure_says_so_and_an_interruption_is_none) {
    FinishedRun run = a_run();
    run.reason = TransitionReason::retry;
    run.error = "no \"ink\"";
    const json failed = span_of(run);
    EXPECT_EQ(failed["status"], (json{{"code", 2}, {"message", "no \"ink\""}}));
    run.reason = TransitionReason::interrupted;
    run.error = {};
    EXPECT_EQ(span_of(run)["status"], json::object());
}

TEST_F(SpanExporterTest, A_job_that_nobody_traced_has_a_span_without_a_parent) {
    job_.trace_parent.clear();
    EXPECT_FALSE(span_of(a_run()).contains("parentSpanId"));
}

TEST_F(SpanExporterTest, The_wait_from_the_lock_to_the_handler_is_a_span_beside_that_of_the_run) {
    FinishedRun run = a_run();
    run.locked = schema::TimePoint(2500ms);
    for (const std::string parent : {"00f067aa0ba902b7", "aaaaaaaaaaaaaaaa"}) {
        const json spans = spans_of(run);
        ASSERT_EQ(spans.size(), 2U);
        EXPECT_EQ(spans[0]["spanId"], "aaaaaaaaaaaaaaaa");
        EXPECT_EQ(spans[1]["spanId"], "5555555555555555");
        EXPECT_EQ(spans[1]["traceId"], spans[0]["traceId"]);
        EXPECT_EQ(spans[1]["parentSpanId"], parent);
        EXPECT_EQ(spans[1]["name"], "lock mail");
        EXPECT_EQ(spans[1]["startTimeUnixNano"], "2500000000");
        EXPECT_EQ(spans[1]["endTimeUnixNano"], spans[0]["startTimeUnixNano"]);
        EXPECT_EQ(attributes_in(spans[1]).at("messaging.operation.type"), "receive");
        job_.trace_parent.clear();  // The run begins the trace.
    }
    run.locked = run.began;
    EXPECT_EQ(spans_of(run).size(), 1U) << "it did not wait";
}

TEST_F(SpanExporterTest, A_request_says_who_sends_it) {
    const TestApp collector([](const TestApp::Request&) { return a_response(200); });
    const auto exporter = an_exporter(collector);
    add(*exporter, 1);
    exporter->flush(test::kPatience);
    const TestApp::Request request = collector.requests().at(0);
    EXPECT_EQ(request.method_string(), "POST");
    EXPECT_EQ(request.target(), "/v1/traces");
    EXPECT_EQ(request["content-type"], "application/json");
    const json resource = json::parse(request.body())["resourceSpans"][0]["resource"];
    EXPECT_EQ(resource["attributes"][0]["key"], "service.name");
    EXPECT_EQ(resource["attributes"][0]["value"]["stringValue"], "shop");
}

TEST_F(SpanExporterTest, What_is_not_sampled_is_not_sent) {
    const TestApp collector([](const TestApp::Request&) { return a_response(200); });
    const auto exporter = an_exporter(collector);
    FinishedRun run = a_run();
    const std::string not_sampled = kSpan.substr(0, kSpan.size() - 1) + '0';
    run.trace_parent = not_sampled;
    exporter->add(run);
    run.trace_parent = {};
    exporter->add(run);
    exporter->flush(test::kPatience);
    EXPECT_TRUE(collector.requests().empty());
}

TEST_F(SpanExporterTest, Many_go_out_in_few_requests_before_their_time) {
    const TestApp collector([](const TestApp::Request&) { return a_response(200); });
    const auto exporter = an_exporter(collector);
    add(*exporter, 3 * SpanExporter::kBatch);
    EXPECT_TRUE(test::eventually([&] {
        return exporter->counts().exported >= 2 * SpanExporter::kBatch;
    }));
    exporter->flush(test::kPatience);
    EXPECT_EQ(exporter->counts().exported, 3 * SpanExporter::kBatch);
    EXPECT_LE(collector.requests().size(), 4U) << "the first one may come when there are few";
    EXPECT_EQ(collector.connections(), 1U);
    EXPECT_EQ(exporter->counts().dropped, 0U);
}

TEST_F(SpanExporterTest, A_collector_that_comes_back_gets_what_has_gathered) {
    std::atomic<int> requests = 0;
    const TestApp collector([&](const TestApp::Request&) {
        return a_response(++requests <= 3 ? 503 : 200);
    });
    const auto exporter = an_exporter(collector, 5ms);
    add(*exporter, 7);
    EXPECT_TRUE(test::eventually([&] { return exporter->counts().exported == 7U; }));
    EXPECT_EQ(exporter->counts().dropped, 0U);
    EXPECT_EQ(log_.count(schema::LogLevel::warn, "the collector takes no spans"), 1)
        << "it is said once";
}

TEST_F(SpanExporterTest, What_a_collector_refuses_is_dropped_and_counted) {
    const TestApp collector([](const TestApp::Request&) { return a_response(400); });
    const auto exporter = an_exporter(collector);
    add(*exporter, 7);
    exporter->flush(test::kPatience);
    EXPECT_EQ(exporter->counts().dropped, 7U);
    EXPECT_LE(collector.requests().size(), 2U) << "one as it starts, perhaps, and none again";
}

TEST_F(SpanExporterTest, A_collector_that_hangs_holds_nobody_up_and_the_queue_has_a_bound) {
    TestApp collector([](const TestApp::Request&) { return a_response(200); });
    collector.answer_only(1000);
    const auto exporter = an_exporter(collector);
    add(*exporter, SpanExporter::kMost + 2 * SpanExporter::kBatch);
    EXPECT_GE(exporter->counts().dropped, SpanExporter::kBatch);
    exporter->flush(10ms);
    EXPECT_EQ(exporter->counts().exported, 0U);
    collector.answer_only(0);
    exporter->flush(test::kPatience);
    EXPECT_EQ(
        exporter->counts().exported + exporter->counts().dropped,
        SpanExporter::kMost + 2 * SpanExporter::kBatch
    );
}

}  // namespace

}  // namespace jobstrand::cli
