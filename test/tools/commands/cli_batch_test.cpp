#include "test/tools/cli_fixture.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace jobstrand::test {
namespace {

using cli::ExitCode;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

/// Bulk operations that are written down.
class CliBatch : public CliTest {
protected:
    void add_jobs(int count) {
        std::string lines;
        for (int i = 0; i < count; ++i) {
            lines += fmt::format("{{\"id\":\"job-{:05}\",\"handlerType\":\"noop\"}}\n", i);
        }
        ok({"job", "add", "--from", "-"}, lines);
    }

    void add_dead_jobs(int count) {
        add_jobs(count);
        ok({"job", "set", "--all", "--retries", "0"});
    }

    json shown(const std::string& id) {
        return json::parse(ok({"batch", "show", id, "-o", "json"}));
    }

    /// Begins one that nobody carries out yet.
    std::string begin_in_background(const std::vector<std::string>& more = {}) {
        std::vector<std::string> call{"dead", "requeue", "--all", "--background", "-o", "json"};
        call.insert(call.end(), more.begin(), more.end());
        return json::parse(ok(call)).at("batch");
    }
};

TEST_F(CliBatch, A_bulk_operation_on_many_jobs_is_written_down_and_one_on_few_is_not) {
    add_jobs(1'001);
    const json given_up = json::parse(ok({"job", "set", "--all", "--retries", "0", "-o", "json"}));
    EXPECT_EQ(given_up.at("set"), 1'001);
    EXPECT_EQ(places(), "dead=1001");
    const json requeued = json::parse(ok({"dead", "requeue", "--all", "-o", "json"}));
    EXPECT_EQ(requeued.at("requeued"), 1'001);
    EXPECT_EQ(requeued.at("skipped"), 0);
    EXPECT_EQ(places(), "executable=1001");
    const json batch = shown(requeued.at("batch"));
    EXPECT_EQ(batch.at("operation"), "requeue");
    EXPECT_EQ(batch.at("state"), "done");
    EXPECT_EQ(batch.at("done"), 1'001);
    EXPECT_EQ(json::parse(ok({"batch", "ls", "-o", "json"})).size(), 2U);
    const json removed = json::parse(ok({"job", "rm", "--all", "--yes", "-o", "json"}));
    EXPECT_EQ(removed.at("removed"), 1'001);
    EXPECT_EQ(removed.at("locked"), 0);
    EXPECT_TRUE(removed.contains("batch"));
    EXPECT_EQ(places(), "");
    add_dead();
    EXPECT_FALSE(json::parse(ok({"dead", "requeue", "--all", "-o", "json"})).contains("batch"));
    EXPECT_EQ(json::parse(ok({"batch", "ls", "-o", "json"})).size(), 3U);
}

TEST_F(CliBatch, In_the_background_its_job_carries_it_out) {
    add_dead_jobs(3);
    const std::string id = begin_in_background({"--retries", "7"});
    EXPECT_EQ(places(), "executable=1 dead=3");
    EXPECT_EQ(field(id, "handlerType"), "\"jobstrand-batch\"");
    ok({"job", "run", id});
    EXPECT_EQ(shown(id).at("state"), "done");
    EXPECT_EQ(places(), "executable=3");
    EXPECT_EQ(field("job-00002", "retries"), "7");
    ok({"dead", "rm", "--all", "--yes", "--background"});
    EXPECT_THAT(ok({"batch", "ls"}), HasSubstr("remove"));
}

// R055
TEST_F(CliBatch, Its_job_has_the_priority_that_is_configured) {
    add_dead_jobs(1);
    const std::string config = file("jobstrand.toml", "batchJobPriority = 40\n");
    EXPECT_EQ(field(begin_in_background({"--config", config}), "priority"), "40");
}

TEST_F(CliBatch, With_a_rate_its_job_lets_go_between_two_pages) {
    add_dead_jobs(3);
    const std::string id = begin_in_background({"--rate", "1"});
    run({"job", "run", id});
    EXPECT_EQ(shown(id).at("done"), 1);
    EXPECT_EQ(shown(id).at("state"), "running");
    EXPECT_EQ(places(), "executable=1 timer=1 dead=2");
}

TEST_F(CliBatch, One_is_paused_and_gone_on_with) {
    add_dead_jobs(3);
    const std::string id = begin_in_background();
    EXPECT_THAT(ok({"batch", "pause", id}), HasSubstr("paused"));
    ok({"job", "run", id});
    EXPECT_EQ(places(), "dead=3");
    const json resumed = json::parse(ok({"batch", "resume", id, "-o", "json"}));
    EXPECT_EQ(resumed.at("requeued"), 3);
    EXPECT_EQ(places(), "executable=3");
    EXPECT_EQ(run({"batch", "pause", id}).code, ExitCode::refused);
    EXPECT_THAT(run({"batch", "cancel", id}).err, HasSubstr("is done and stays so"));
}

TEST_F(CliBatch, One_is_left_to_the_nodes_again_whatever_became_of_its_job) {
    add_dead_jobs(2);
    const std::string id = begin_in_background();
    ok({"batch", "resume", id, "--background"});  // Its job waits already.
    ok({"job", "set", id, "--retries", "0"});
    EXPECT_EQ(places(), "dead=3");
    ok({"batch", "resume", id, "--background"});
    EXPECT_EQ(field(id, "place"), "\"executable\"");
    ok({"job", "rm", id});
    ok({"batch", "resume", id, "--background"});
    ok({"job", "run", id});
    EXPECT_EQ(places(), "executable=2");
}

TEST_F(CliBatch, A_cancelled_one_is_not_gone_on_with_and_can_be_forgotten) {
    add_dead_jobs(2);
    const std::string id = begin_in_background();
    EXPECT_EQ(run({"batch", "rm", id}).code, ExitCode::refused);
    ok({"batch", "cancel", id});
    EXPECT_THAT(run({"batch", "resume", id}).err, HasSubstr("is cancelled and stays so"));
    ok({"batch", "rm", id});
    EXPECT_EQ(run({"batch", "show", id}).code, ExitCode::not_found);
    EXPECT_THAT(run({"batch", "show", id}).err, HasSubstr("there is no batch " + id));
    EXPECT_EQ(places(), "executable=1 dead=2");
}

TEST_F(CliBatch, It_says_who_wanted_it_and_which_jobs) {
    add_dead_jobs(1);
    environment_["USER"] = "anna";
    const json batch = shown(begin_in_background({}));
    EXPECT_EQ(batch.at("selection"), "all");
    EXPECT_EQ(batch.at("who"), "anna");
    const std::string id =
        json::parse(ok({"dead", "requeue", "--type", "noop", "--background", "-o", "json"}))
            .at("batch");
    EXPECT_THAT(shown(id).at("selection").get<std::string>(), HasSubstr("HANDLER_TYPE_"));
}

TEST_F(CliBatch, What_cannot_be_one_is_refused) {
    add_dead_jobs(1);
    expect_wrong_usage(
        {"dead", "requeue"}, {{{"job-00000", "--background"}, "goes with filters or --all"}}
    );
    expect_wrong_usage(
        {"job", "set"},
        {{{"--all", "--retry-cycle", "R3/PT1S", "--background"}, "--background is for"}}
    );
}

}  // namespace
}  // namespace jobstrand::test
