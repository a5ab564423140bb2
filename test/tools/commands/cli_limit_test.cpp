#include "test/tools/cli_fixture.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace jobstrand::test {
namespace {

using cli::ExitCode;
using nlohmann::json;
using testing::HasSubstr;
using testing::IsEmpty;

class CliLimit : public CliTest {};

// B7
TEST_F(CliLimit, Set_is_listed_changed_and_removed) {
    ok({"limit", "set", "tenant:*", "--concurrent", "20"});
    ok({"limit", "set", "type:mail", "--concurrent", "5", "--per-node", "2"});
    ok({"limit", "set", "type:mail", "--concurrent", "4"});
    const json all = json::parse(ok({"limit", "ls", "-o", "json"}));
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all[0]["limit"], "tenant:*");
    EXPECT_EQ(all[1]["concurrent"], 4);
    EXPECT_TRUE(all[1]["perNode"].is_null());
    EXPECT_EQ(all[1]["waiting"], 0);
    ok({"limit", "rm", "type:mail", "tenant:*"});
    EXPECT_THAT(ok({"limit", "ls", "-o", "name"}), IsEmpty());
}

TEST_F(CliLimit, Of_a_rate_is_listed_as_it_was_given) {
    ok({"limit", "set", "type:call", "--rate", "100/PT1M"});
    const json all = json::parse(ok({"limit", "ls", "-o", "json"}));
    EXPECT_EQ(all[0]["rate"], "100/PT1M");
    EXPECT_TRUE(all[0]["concurrent"].is_null());
}

TEST_F(CliLimit, Wrong_names_and_numbers_are_refused) {
    const CliResult no_kind = run({"limit", "set", "colour:red", "--concurrent", "1"});
    EXPECT_EQ(no_kind.code, ExitCode::wrong_usage);
    EXPECT_THAT(no_kind.err, HasSubstr("type, definition, tenant or category"));
    const CliResult no_number = run({"limit", "set", "type:mail"});
    EXPECT_THAT(no_number.err, HasSubstr("a limit needs a number"));
    const CliResult negative = run({"limit", "set", "type:mail", "--per-node", "-1"});
    EXPECT_THAT(negative.err, HasSubstr("--per-node"));
    const CliResult fast = run({"limit", "set", "type:mail", "--rate", "5/PT0.1S"});
    EXPECT_EQ(fast.code, ExitCode::wrong_usage);
    EXPECT_THAT(fast.err, HasSubstr("--rate: the period of a rate must be PT1S to P1D"));
    EXPECT_EQ(run({"limit", "rm", "type:mail"}).code, ExitCode::not_found);
}

}  // namespace
}  // namespace jobstrand::test
