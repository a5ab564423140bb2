#include "test/tools/cli_fixture.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace jobstrand::test {
namespace {

using cli::ExitCode;
using nlohmann::json;
using testing::HasSubstr;

class CliDefinition : public CliTest {
protected:
    [[nodiscard]] json added(const std::string& element) {
        const std::string id =
            add({"--type", "noop", "--definition", "shipping:3", "--element", element});
        return json::parse(ok({"job", "show", id, "-o", "json"}));
    }
};

// R019, R020, R025, R028
TEST_F(CliDefinition, Priorities_are_set_overridden_and_cleared) {
    ok({"definition", "set", "shipping:3", "--priority", "8"});
    ok({"definition", "set", "shipping:3/charge", "--priority", "100"});
    EXPECT_EQ(added("charge")["priority"], 100);
    EXPECT_EQ(added("pack")["priority"], 8);
    ok({"definition", "set", "shipping:3", "--override=-10"});
    EXPECT_EQ(added("charge")["priority"], -10);
    ok({"definition", "set", "shipping:3", "--override", "none"});
    EXPECT_EQ(added("charge")["priority"], 100);
    ok({"definition", "set", "shipping:3/charge", "--priority", "none"});
    EXPECT_EQ(added("charge")["priority"], 8);
}

// R011, R026, R028
TEST_F(CliDefinition, An_override_reaches_the_jobs_that_are_there_if_it_is_to) {
    const std::string id = added("charge")["id"];
    ok({"definition", "set", "shipping:3/charge", "--override", "5"});
    EXPECT_EQ(field(id, "priority"), "0");
    const CliResult dry =
        run({"definition", "set", "shipping:3/charge", "--override", "6", "--cascade", "--dry-run"}
        );
    EXPECT_EQ(dry.code, ExitCode::done);
    EXPECT_THAT(dry.err, HasSubstr("1 jobs would be changed; nothing was"));
    EXPECT_THAT(dry.out, HasSubstr(id));
    EXPECT_EQ(field(id, "priority"), "0");
    EXPECT_THAT(
        ok({"definition", "show", "shipping:3/charge", "-o", "json"}),
        HasSubstr(R"("overridePriority":5)")
    );
    EXPECT_EQ(
        run({"definition", "set", "shipping:3", "--override", "1", "--dry-run"}).code,
        ExitCode::wrong_usage
    );
    const CliResult result =
        run({"definition", "set", "shipping:3/charge", "--override", "6", "--cascade"});
    EXPECT_EQ(result.code, ExitCode::done);
    EXPECT_THAT(result.err, HasSubstr("1 jobs have another priority now"));
    EXPECT_EQ(field(id, "priority"), "6");
    ok({"definition", "set", "shipping:3/charge", "--override", "none"});
    EXPECT_EQ(field(id, "priority"), "6");
    EXPECT_EQ(
        run({"definition", "set", "shipping:3", "--priority", "1", "--cascade"}).code,
        ExitCode::wrong_usage
    );
}

// R019, R021, R072
TEST_F(CliDefinition, Expressions_look_into_the_payload_of_a_new_job) {
    ok({"definition",
        "set",
        "shipping:3",
        "--priority",
        "${order.vip ? 10 : 0}",
        "--retry-cycle",
        "${retryCycle}"});
    const std::vector<std::string> words{
        "--type",
        "noop",
        "--definition",
        "shipping:3",
        "--payload",
        R"({"order":{"vip":true},"retryCycle":"R2/PT1S"})"};
    const std::string id = add(words);
    EXPECT_EQ(field(id, "priority"), "10");
    EXPECT_EQ(field(id, "retries"), "2");
    const CliResult refused = run({"job", "add", "--type", "noop", "--definition", "shipping:3"});
    EXPECT_EQ(refused.code, ExitCode::wrong_usage);
    EXPECT_THAT(
        refused.err,
        HasSubstr("the priority of shipping:3, ${order.vip ? 10 : 0}: there is no variable order")
    );
    EXPECT_EQ(places(), "executable=1");
}

TEST_F(CliDefinition, Set_show_and_settings_tell_what_is_set) {
    const json set = json::parse(
        ok({"definition",
            "set",
            "shipping:3/charge/card",
            "--priority",
            "8",
            "--retry-cycle",
            "R5/PT5M",
            "--exclusive",
            "false",
            "-o",
            "json"})
    );
    const json expected = json::parse(R"({
        "name": "shipping:3/charge/card", "processDefinitionId": "shipping:3",
        "elementId": "charge", "handlerType": "card", "priority": "8", "overridePriority": null,
        "retryCycle": "R5/PT5M", "exclusive": false})");
    EXPECT_EQ(set, expected);
    EXPECT_EQ(
        json::parse(ok({"definition", "show", "shipping:3/charge/card", "-o", "json"})), expected
    );
    ok({"definition", "set", "billing:1", "--priority", "1"});
    EXPECT_EQ(
        json::parse(ok({"definition", "settings", "--element", "charge", "-o", "json"})),
        json::array({expected})
    );
    EXPECT_EQ(ok({"definition", "settings", "--limit", "1", "-o", "name"}), "billing:1\n");
    EXPECT_EQ(
        ok({"definition", "settings", "--after", "billing:1", "-o", "name"}),
        "shipping:3/charge/card\n"
    );
}

TEST_F(CliDefinition, Rm_removes_what_is_set) {
    ok({"definition", "set", "shipping:3", "--priority", "8"});
    const CliResult none = run({"definition", "rm", "shipping:3", "billing:1"});
    EXPECT_EQ(none.code, ExitCode::partly_done);
    EXPECT_THAT(none.err, HasSubstr("nothing is set for billing:1"));
    EXPECT_EQ(run({"definition", "show", "shipping:3"}).code, ExitCode::not_found);
    EXPECT_EQ(added("charge")["priority"], 0);
}

TEST_F(CliDefinition, What_cannot_be_meant_is_refused_and_changes_nothing) {
    const auto refused = [this](const std::vector<std::string>& words) {
        std::vector<std::string> typed{"definition", "set"};
        typed.insert(typed.end(), words.begin(), words.end());
        const CliResult outcome = run(typed);
        EXPECT_EQ(outcome.code, ExitCode::wrong_usage);
        return outcome.err;
    };
    EXPECT_THAT(refused({"/charge", "--priority", "8"}), HasSubstr("DEFINITION/ELEMENT"));
    EXPECT_THAT(refused({"shipping:3", "--priority", "high"}), HasSubstr("whole number"));
    EXPECT_THAT(refused({"shipping:3", "--override", "1.5"}), HasSubstr("--override"));
    EXPECT_THAT(refused({"shipping:3", "--retry-cycle", "often"}), HasSubstr("retry cycle"));
    EXPECT_THAT(refused({"shipping:3", "--exclusive", "maybe"}), HasSubstr("--exclusive"));
    EXPECT_EQ(ok({"definition", "settings", "-o", "name"}), "");
}

}  // namespace
}  // namespace jobstrand::test
