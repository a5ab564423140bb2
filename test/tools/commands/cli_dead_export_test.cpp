#include "test/tools/cli_fixture.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>

namespace jobstrand {
namespace {

using cli::ExitCode;
using nlohmann::json;
using testing::HasSubstr;
using testing::IsEmpty;

/// Dead letters that leave the database and come back.
class CliDeadExport : public test::CliTest {
protected:
    /// Counts of an import.
    [[nodiscard]] json imported(const std::string& lines) {
        return json::parse(run({"dead", "import", "-", "-o", "json"}, lines).out);
    }
};

// B12
TEST_F(CliDeadExport, What_was_exported_comes_back_as_it_was) {
    const std::string first = add_dead("it broke", "at line 7");
    const std::string second = add_dead("no such host");
    ok({"job", "set", second, "--payload", "\"" + std::string(5000, 'p') + "\""});
    execute(
        "UPDATE ACT_RU_DEADLETTER_JOB SET HANDLER_CFG_ = 'no JSON', TYPE_ = 'timer', "
        "PRIORITY_ = 7 WHERE ID_ = '" +
        first + "'"
    );
    const std::string before =
        ok({"dead", "show", first, "-o", "json"}) + ok({"dead", "show", second, "-o", "json"});
    const std::string lines = ok({"dead", "export", "--all"});
    EXPECT_EQ(std::ranges::count(lines, '\n'), 2);
    EXPECT_THAT(lines, HasSubstr(R"("payloadText":"no JSON")"));
    EXPECT_THAT(lines, HasSubstr(R"("exceptionDetails":"at line 7")"));
    ok({"dead", "rm", "--all", "--yes"});
    EXPECT_EQ(
        ok({"dead", "import", file("dead.jsonl", lines), "-o", "json"}),
        "{\"added\":2,\"skipped\":0,\"badLines\":0}\n"
    );
    EXPECT_EQ(
        ok({"dead", "show", first, "-o", "json"}) + ok({"dead", "show", second, "-o", "json"}),
        before
    );
    EXPECT_EQ(ok({"dead", "export", "--all"}), lines);
}

TEST_F(CliDeadExport, What_is_there_is_skipped_wherever_it_stands) {
    const std::string id = add_dead();
    const std::string lines = ok({"dead", "export", id});
    ok({"dead", "requeue", id});
    EXPECT_EQ(imported(lines + lines), json({{"added", 0}, {"skipped", 2}, {"badLines", 0}}));
    EXPECT_EQ(places(), "executable=1");
    ok({"job", "rm", id});
    EXPECT_EQ(imported(lines + lines), json({{"added", 1}, {"skipped", 1}, {"badLines", 0}}));
    EXPECT_EQ(places(), "dead=1");
}

TEST_F(CliDeadExport, An_odd_line_is_told_by_its_number_and_stops_no_other) {
    const auto result =
        run({"dead", "import", "-", "-o", "json"},
            "{\"id\":\"a\"}\n"
            "\n"
            "no JSON\n"
            "{\"handlerType\":\"noop\"}\n"
            "{\"id\":\"b\",\"handlertype\":\"noop\"}\n"
            "{\"id\":\"c\",\"place\":\"timer\"}\n"
            "{\"id\":\"d\",\"priority\":\"high\"}\n"
            "{\"id\":\"e e \"}\n"
            "[]\n"
            "{\"id\":\"f\",\"handlerType\":\"noop\",\"place\":\"dead\",\"repeat\":null}");
    EXPECT_EQ(result.code, ExitCode::partly_done);
    EXPECT_EQ(json::parse(result.out), json({{"added", 2}, {"skipped", 0}, {"badLines", 7}}));
    for (const char* const told :
         {"stdin:3: ",
          "stdin:4: id must be given",
          "stdin:5: a dead letter has no field handlertype; did you mean handlerType?",
          "stdin:6: place must be dead",
          "stdin:7: priority must be",
          "stdin:8: id ",
          "stdin:9: "}) {
        EXPECT_THAT(result.err, HasSubstr(told));
    }
    EXPECT_EQ(ok({"dead", "ls", "-o", "name"}), "a\nf\n");
}

// I8
TEST_F(CliDeadExport, Messages_that_are_too_long_are_cut) {
    const std::string line =
        json({{"id", "a"}, {"exceptionMessage", std::string(5000, 'm')}}).dump() + "\n";
    EXPECT_EQ(imported(line).at("added"), 1);
    EXPECT_EQ(
        json::parse(ok({"dead", "show", "a", "-o", "json"})).at("exceptionMessage"),
        std::string(2000, 'm')
    );
}

TEST_F(CliDeadExport, Only_what_is_meant_is_exported) {
    const std::string away = add_dead("host 7 is away");
    add_dead("disk is full");
    const std::string group =
        ok({"dead", "groups", "--message", "away", "-o", "name"}).substr(0, 12);
    const std::string line = ok({"dead", "export", "--group", group});
    EXPECT_EQ(json::parse(line).at("id"), away);
    EXPECT_EQ(ok({"dead", "export", "--message", "away"}), line);
    EXPECT_EQ(run({"dead", "export"}).code, ExitCode::wrong_usage);
    EXPECT_EQ(run({"dead", "export", "--all", "-o", "csv"}).code, ExitCode::wrong_usage);
    const auto some = run({"dead", "export", away, "gone"});
    EXPECT_EQ(some.code, ExitCode::partly_done);
    EXPECT_EQ(some.out, line);
    EXPECT_EQ(run({"dead", "export", "gone"}).code, ExitCode::not_found);
}

TEST_F(CliDeadExport, An_import_is_audited_and_an_export_is_not) {
    const std::string id = add_dead();
    const std::string line = ok({"dead", "export", id});
    EXPECT_EQ(ok({"audit", "ls", "-o", "name"}), "");
    ok({"dead", "import", "-"}, line);
    const json entry = json::parse(ok({"audit", "ls", "-o", "json"})).at(0);
    EXPECT_EQ(entry.at("action"), "dead import");
    EXPECT_EQ(entry.at("changed"), 0);
}

}  // namespace
}  // namespace jobstrand
