#pragma once

#include "schema/clock.hpp"
#include "test/fixtures/job_builder.hpp"
#include "test/fixtures/recording_log.hpp"
#include "test/fixtures/signal.hpp"
#include "test/fixtures/temporary_directory.hpp"
#include "test/tools/http/test_app.hpp"
#include "tools/handlers/http_handler.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace jobstrand::cli {

/// A service whose configuration has one target, named `app`.
class HttpHandlerTest : public testing::Test {
protected:
    /// Begins a run; wait_for() says how it ended.
    void begin(
        const HttpHandler& handler,
        const std::string& payload = R"({"target":"app","order":17})"
    ) {
        jobs_.push_back(test::a_job("job 1/ä").of_type("http").with_payload(payload));
        jobs_.back().correlation_id = "order-17";
        handler(std::make_shared<executor::AsyncRun>(
            executor::JobContext{
                .job = jobs_.back(),
                .attempt = 2,
                .deadline = deadline_,
                .stop = stop_.get_token(),
                .fencing_token = 7,
                .trace_parent = trace_parent_},
            [this](executor::HandlerResult result) {
                const std::lock_guard lock(mutex_);
                results_.push_back(std::move(result));
                ended_.notify();
            }
        ));
    }

    /// The results, when there are so many.
    [[nodiscard]] std::vector<executor::HandlerResult> wait_for(std::size_t count) {
        EXPECT_TRUE(ended_.wait_for(count));
        const std::lock_guard lock(mutex_);
        return results_;
    }

    [[nodiscard]] executor::HandlerResult run(const HttpHandler& handler) {
        begin(handler);
        return wait_for(1).front();
    }

    [[nodiscard]] HttpHandler a_handler(TargetSettings target) {
        return HttpHandler(
            {.clock = clock_, .client = client_, .log = log_, .counts = &counts_},
            {{"app", std::move(target)}}
        );
    }

    /// For one call at a time, to an app that holds its answers.
    [[nodiscard]] HttpHandler a_handler_for_one_call(test::TestApp& app) {
        app.answer_only(1000);
        TargetSettings target = at(app.port());
        target.calls = 1;
        return a_handler(target);
    }

    [[nodiscard]] static TargetSettings at(std::uint16_t port) {
        return {.url = fmt::format("http://127.0.0.1:{}/jobs?by=jobstrand", port)};
    }

    [[nodiscard]] std::string a_secret_file() const {
        const std::string file = (directory_.path() / "secret").string();
        std::ofstream(file) << "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n";
        std::filesystem::permissions(file, std::filesystem::perms::owner_read);
        return file;
    }

    const test::TemporaryDirectory directory_;
    schema::ManualClock clock_;
    std::optional<schema::TimePoint> deadline_;
    std::string trace_parent_;
    std::stop_source stop_;
    HandlerCounts counts_;
    test::RecordingLog log_;
    HttpClient client_;

private:
    std::deque<schema::Job> jobs_;
    test::Signal ended_;
    std::mutex mutex_;
    std::vector<executor::HandlerResult> results_;  ///< Guarded by mutex_.
};

[[nodiscard]] inline test::TestApp::Decide answers(unsigned status, const std::string& body = {}) {
    return [=](const test::TestApp::Request&) { return test::a_response(status, body); };
}

/// Of a failure.
[[nodiscard]] inline const std::string& message_of(const executor::HandlerResult& result) {
    static const std::string none = "no failure";
    const auto* failed = std::get_if<executor::Failed>(&result);
    return failed == nullptr ? none : failed->message;
}

}  // namespace jobstrand::cli
