#include "schema/job_validation.hpp"
#include "test/fuzz/fuzz_run.hpp"
#include "test/timers/times.hpp"
#include "tools/handlers/handler_payloads.hpp"
#include "tools/operations/job/job_adding.hpp"
#include "tools/output/record.hpp"
#include "tools/records/job_json.hpp"
#include "tools/text/json_text.hpp"

#include <nlohmann/json.hpp>

#include <sstream>

namespace jobstrand::test {
namespace {

const Grammar& job_grammar() {
    static const Grammar grammar(R"grammar(
    line    ::= {<type>} | {<type>,<members>} | {<type>, <members>} | { <members> , <type> }
    type    ::= "handlerType":"noop" | "handlerType":"command" | "handlerType" : "send-invoice"
              | "handlerType":<value>
    members ::= <member> | <member>,<members> | <member> ,<tab><members>
    member  ::= "payload":<json> | "payload":{"command":"it","args":[<strings>]} | "id":<name>
              | "correlationId":<name> | "processInstanceId":<name> | "dueDate":<date> | "retries":<number>
              | "priority":<number> | "retryCycle":<cycle> | "exclusive":<flag> | "place":<place>
              | "tenantId":<value> | "uniqueKey":<value> | "onDuplicate":<rule> | "uniqueFor":<period> | "createTime":<date> | "lockOwner":"node-1"
              | "exceptionMessage":<value> | "repeat":<repeat> | "repeat":<repeat>,"zone":<zone>
              | "repeat":<repeat>,"misfire":"smart","overlap":<flag>,"keepData":<flag> | "series":<name>
              | "group":<name> | "calendar":<name> | "misfireThreshold":"PT5M" | "state":"paused"
              | "unknown":<value> | <name>:<value>
    rule    ::= "reject" | "keep" | "replace" | "Keep" | <value>
    period  ::= "PT1H" | "P3660D" | "PT0S" | "P1M" | <value>
    value   ::= null | <json> | <name> | <number> | <flag> | <date>
    name    ::= "a" | "" | "order-17" | "Größe" | "\u0000" | "\ud83d\ude00" | "\ud83d" | "a\n\tb"
              | "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
    number  ::= 1 | 0 | -1 | 3 | 2147483648 | -9223372036854775808 | 9223372036854775808 | 1.0 | 1e3 | 01
              | 1e999
    flag    ::= true | false | "true" | 1
    date    ::= "2026-11-20T10:15:30.123Z" | "2126-01-01T00:00:00+05:30" | "1969-12-31T23:59:59Z"
              | "9999-12-31T23:59:59.999Z" | "2026-02-29" | 1789000000
    cycle   ::= "R3/PT1M" | "PT5M,PT20M, PT3M" | "R0/PT1M" | "R/PT1M" | ""
    repeat  ::= "R/PT10M" | "0 0 12 * * ?" | "R3/2026-01-01T00:00Z/P1D" | "0 0 0 30 2 ?" | "R3/P0D" | ""
    zone    ::= "UTC" | "Europe/Berlin" | "Mars/Olympus"
    place   ::= "executable" | "timer" | "external" | "dead" | null
    strings ::= <nothing> | "a" | "a",<strings> | "a\u0000" | 1
    json    ::= 1 | {} | [] | "\"" | {"a":<json>} | [<json>,<json>] | [[<json>]] | {"a":<json>,"b":<json>}
              | 1.10 | {"a":1,"a":2}
)grammar");
    return grammar;
}

/// A job that was taken is the same when it is written and read again.
void expect_same_again(const executor::NewJob& job) {
    const cli::Record record = cli::record_of(
        {.place = schema::JobPlace::executable, .job = job.job}, timers::Zone::utc()
    );
    const std::string text = cli::json_of(record);
    EXPECT_EQ(cli::problem_of_json(text), "") << text;
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
    const auto parsed = nlohmann::json::parse(text, nullptr, false);
    EXPECT_TRUE(parsed.is_object()) << text;
    if (!job.repeats() && job.job.type != schema::kExternalWorkerType) {
        const cli::JobFromJson again = cli::job_from_json(text);
        EXPECT_TRUE(again.problems.empty()) << text << ": " << again.problems.front();
        EXPECT_EQ(again.content.job, job.job) << text;
    }
}

bool try_lines(const std::string& text) {
    static const cli::Settings settings;
    static const cli::JobCheckContext context{
        settings, {{"a", "weekly SUN"}}, timers::at("2026-01-01T12:00Z")};
    std::istringstream stream(text);
    cli::Input input = cli::Input::open(stream, "--from", "-");
    cli::JobLines lines(input, context);
    bool is_taken = false;
    std::int64_t last = 0;
    while (const auto line = lines.next()) {
        EXPECT_GT(line->number, last);
        last = line->number;
        if (line->problems.empty()) {
            is_taken = true;
            EXPECT_TRUE(schema::problems_of(line->job.job).empty());
            expect_same_again(line->job);
        }
        for (const std::string& problem : line->problems) {
            EXPECT_FALSE(problem.empty());
            EXPECT_LT(problem.size(), 1000U);
        }
    }
    return is_taken;
}

TEST(JsonlFuzz, No_line_of_jobs_crashes_its_reader_and_what_is_taken_can_be_written) {
    const FuzzCount count = fuzz(
        [](Dice& dice) {
            std::string text = nearly_valid(job_grammar(), "line", dice);
            for (int more = dice.number(0, 2); more > 0; --more) {
                text += '\n' + nearly_valid(job_grammar(), "line", dice);
            }
            return text;
        },
        [](const std::string& text, Dice&) { return try_lines(text); }
    );
    EXPECT_GT(count.taken, count.texts / 10);
}

TEST(JsonlFuzz, Whatever_a_program_prints_only_a_payload_of_its_own_command_is_handed_on) {
    Dice dice(timers::test_seed());
    int handed = 0;
    for (int i = 0; i < 3000; ++i) {
        const std::string printed =
            nearly_valid(job_grammar(), dice.one_in(2) ? "json" : "line", dice);
        const auto payload = cli::handed_on(printed, "mine");
        if (payload) {
            ++handed;
            const auto read = cli::parse_command_payload(*payload);
            ASSERT_TRUE(read) << printed;
            EXPECT_EQ(read.value().command, "mine") << printed;
            EXPECT_EQ(cli::handed_on(*payload, "mine"), payload) << printed;
        }
    }
    EXPECT_GT(handed, 300);
}

}  // namespace
}  // namespace jobstrand::test
