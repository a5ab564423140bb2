#include "test/tools/cli_fixture.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace jobstrand::test {
namespace {

using cli::ExitCode;
using nlohmann::json;
using testing::HasSubstr;

class CliSuspension : public CliTest {
protected:
    void add_jobs_of(const std::string& instance) {
        add({"--type", "noop", "--instance", instance, "--definition", "shipping:3"});
        add({"--type", "noop", "--instance", instance, "--due-in", "P1D"});
    }
};

// R034, R159
TEST_F(CliSuspension, An_instance_is_suspended_and_activated_with_its_waits_kept) {
    add_jobs_of("order-17");
    add_jobs_of("order-18");
    EXPECT_EQ(
        ok({"instance", "suspend", "order-17", "-o", "jsonl"}),
        "{\"id\":\"order-17\",\"moved\":2}\n"
    );
    EXPECT_EQ(places(), "executable=1 timer=1 suspended=2");
    EXPECT_EQ(
        ok({"instance", "suspend", "order-17", "-o", "jsonl"}),
        "{\"id\":\"order-17\",\"moved\":0}\n"
    );
    ok({"instance", "activate", "order-17"});
    EXPECT_EQ(places(), "executable=2 timer=2");
}

TEST_F(CliSuspension, A_definition_is_suspended_and_activated) {
    add_jobs_of("order-17");
    ok({"definition", "suspend", "shipping:3"});
    EXPECT_EQ(places(), "timer=1 suspended=1");
    ok({"definition", "activate", "shipping:3"});
    EXPECT_EQ(places(), "executable=1 timer=1");
}

// R034
TEST_F(CliSuspension, An_element_of_a_definition_is_suspended_alone) {
    add({"--type", "noop", "--definition", "shipping:3", "--element", "charge"});
    add({"--type", "noop", "--definition", "shipping:3", "--element", "pack"});
    ok({"definition", "suspend", "shipping:3", "--element", "charge"});
    EXPECT_EQ(places(), "executable=1 suspended=1");
    ok({"definition", "activate", "shipping:3", "--element", "charge"});
    EXPECT_EQ(places(), "executable=2");
}

TEST_F(CliSuspension, New_jobs_alone_wait_if_so_asked) {
    add({"--type", "noop", "--definition", "shipping:3"});
    ok({"definition", "suspend", "shipping:3", "--new-jobs-only"});
    add({"--type", "noop", "--definition", "shipping:3"});
    EXPECT_EQ(places(), "executable=1 suspended=1");
    EXPECT_EQ(
        run({"definition", "suspend", "shipping:3", "--new-jobs-only", "--element", "charge"}).code,
        ExitCode::wrong_usage
    );
    ok({"definition", "activate", "shipping:3"});
    EXPECT_EQ(places(), "executable=2");
}

TEST_F(CliSuspension, A_tenant_is_suspended_and_activated) {
    add({"--type", "noop", "--tenant", "acme"});
    add({"--type", "noop", "--tenant", "other"});
    ok({"tenant", "suspend", "acme"});
    EXPECT_EQ(places(), "executable=1 suspended=1");
    EXPECT_EQ(ok({"tenant", "ls", "--suspended", "-o", "name"}), "acme\n");
    ok({"tenant", "activate", "acme"});
    EXPECT_EQ(places(), "executable=2");
}

TEST_F(CliSuspension, A_single_job_is_suspended_and_one_that_runs_is_told_to_run_on) {
    const std::string id = add();
    const std::string held = add();
    lock(held);
    const CliResult result = run({"job", "suspend", id, held, "nothing"});
    EXPECT_EQ(result.code, ExitCode::partly_done);
    EXPECT_THAT(result.err, HasSubstr("job " + held + " runs on; it waits suspended"));
    EXPECT_EQ(places(), "executable=1 suspended=1");
    EXPECT_THAT(run({"job", "activate", held}).err, HasSubstr("skipped"));
    ok({"job", "activate", id});
    EXPECT_EQ(places(), "executable=2");
}

TEST_F(CliSuspension, At_a_date_a_job_does_it) {
    add({"--type", "noop", "--definition", "shipping:3"});
    const json ordered =
        json::parse(ok({"definition", "suspend", "shipping:3", "--due-in", "PT1H", "-o", "json"}));
    const std::string order = ordered[0]["job"];
    EXPECT_EQ(places(), "executable=1 timer=1");
    ok({"timer", "fire", order});
    ok({"job", "run", order});
    EXPECT_EQ(places(), "suspended=1");
    const json later =
        json::parse(ok({"definition", "activate", "shipping:3", "--due-in", "PT1H", "-o", "json"}));
    const std::string activation = later[0]["job"];
    ok({"timer", "fire", activation});
    ok({"job", "run", activation});
    EXPECT_EQ(places(), "executable=1");
}

TEST_F(CliSuspension, Ls_counts_the_jobs_of_each_instance) {
    add_jobs_of("order-17");
    add_jobs_of("order-18");
    ok({"instance", "suspend", "order-18"});
    const json all = json::parse(ok({"instance", "ls", "-o", "json"}));
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(
        all[0],
        json::parse(
            R"({"id":"order-17","suspended":false,"suspendedSince":null,"places":{"executable":1,"timer":1}})"
        )
    );
    EXPECT_EQ(all[1]["suspended"], true);
    EXPECT_EQ(all[1]["places"], json::parse(R"({"suspended":2})"));
    EXPECT_THAT(ok({"instance", "ls"}), HasSubstr("executable=1 timer=1"));

    const CliResult page = run({"instance", "ls", "-o", "name", "--limit", "1"});
    EXPECT_EQ(page.out, "order-17\n");
    EXPECT_EQ(page.err, "there are more: go on with --after order-17\n");
    EXPECT_EQ(ok({"instance", "ls", "-o", "name", "--after", "order-17"}), "order-18\n");
}

TEST_F(CliSuspension, An_id_that_no_table_can_hold_is_refused) {
    EXPECT_EQ(run({"instance", "suspend", ""}).code, ExitCode::wrong_usage);
    EXPECT_EQ(run({"instance", "suspend", std::string(65, 'x')}).code, ExitCode::wrong_usage);
    EXPECT_EQ(run({"instance", "suspend"}).code, ExitCode::wrong_usage);
}

}  // namespace
}  // namespace jobstrand::test
