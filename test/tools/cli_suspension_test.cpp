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
