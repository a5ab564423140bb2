#include "test/fixtures/signal.hpp"
#include "test/tools/cli_fixture.hpp"
#include "test/tools/service_process.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <csignal>

namespace jobstrand::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

/// Bulk operations whose process ends in the middle.
class BatchProcess : public CliTest {
protected:
    static constexpr int kJobs = 3'000;

    void SetUp() override {
        std::string lines;
        for (int i = 0; i < kJobs; ++i) {
            lines += fmt::format("{{\"id\":\"job-{:05}\",\"handlerType\":\"noop\"}}\n", i);
        }
        ok({"job", "add", "--from", "-"}, lines);
        ok({"job", "set", "--all", "--retries", "0"});
    }

    /// Ends the command by a signal when it has said how far it is.
    void requeue_until(int signal, int exit_code) {
        ServiceProcess command({"dead", "requeue", "--all", "--rate", "500", "--db", url()}, {});
        ASSERT_TRUE(command.says("requeued ")) << command.output();
        ASSERT_TRUE(command.says("s left\n")) << command.output();
        command.send(signal);
        EXPECT_EQ(command.exit_code(), exit_code) << command.output();
        output_ = command.output();
    }

    /// The one that was begun last.
    json latest() { return json::parse(ok({"batch", "ls", "--limit", "1", "-o", "json"})).at(0); }

    /// Somebody lets it go faster, and goes on.
    void expect_the_rest_to_be_done() {
        const json begun = latest();
        const int before = begun.at("done");
        EXPECT_EQ(begun.at("state"), "running");
        EXPECT_GT(before, 0);
        EXPECT_LT(before, kJobs);
        execute("UPDATE JS_BATCH SET RATE_ = 0");
        const json rest =
            json::parse(ok({"batch", "resume", begun.at("id").get<std::string>(), "-o", "json"}));
        EXPECT_EQ(rest.at("requeued"), kJobs);
        EXPECT_EQ(places(), fmt::format("executable={}", kJobs));
    }

    std::string output_;
};

TEST_F(BatchProcess, An_interrupted_one_says_how_to_go_on_and_no_job_is_requeued_twice) {
    requeue_until(SIGINT, 3);
    EXPECT_THAT(output_, HasSubstr("interrupted: "));
    EXPECT_THAT(
        output_,
        HasSubstr(
            "go on with `jobstrand batch resume " + latest().at("id").get<std::string>() + "`"
        )
    );
    expect_the_rest_to_be_done();
}

TEST_F(BatchProcess, One_whose_process_is_killed_is_gone_on_with) {
    requeue_until(SIGKILL, -1);
    expect_the_rest_to_be_done();
}

TEST_F(BatchProcess, A_service_carries_out_what_is_for_the_background) {
    const json begun = json::parse(ok({"dead", "requeue", "--all", "--background", "-o", "json"}));
    EXPECT_EQ(begun.at("total"), kJobs);
    ServiceProcess service({"serve", "--db", url()}, {});
    ASSERT_TRUE(service.says("ready")) << service.output();
    EXPECT_TRUE(eventually([this] { return places().empty(); }));
    service.send(SIGTERM);
    EXPECT_EQ(service.exit_code(), 0) << service.output();
    EXPECT_EQ(latest().at("state"), "done");
    EXPECT_EQ(latest().at("done"), kJobs);
}

}  // namespace
}  // namespace jobstrand::test
