#include "tools/records/job_json.hpp"

#include "schema/job_fields.hpp"
#include "schema/limits.hpp"
#include "schema/text/time_text.hpp"
#include "test/fixtures/job_builder.hpp"
#include "tools/text/json_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::cli {

namespace {

using schema::Job;
using schema::JobPlace;
using test::a_job;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using namespace std::chrono_literals;
using namespace std::string_view_literals;

std::vector<std::string> listed(std::string_view text) {
    std::vector<std::string> out;
    const auto members = members_of(text);
    for (const JsonMember& member : members.value()) {
        out.push_back(member.name + "=" + std::string(member.value));
    }
    return out;
}

TEST(JsonText, No_more_is_read_of_a_long_list_than_its_reader_takes) {
    const std::string_view list = R"(["a", "b", "c", "d"])";
    EXPECT_EQ(items_of(list, 4).value().size(), 4U);
    EXPECT_EQ(items_of(list, 2).value().size(), 3U) << "one more tells that there are too many";
    EXPECT_EQ(strings_of(list, 4).value().size(), 4U);
    EXPECT_EQ(strings_of(list, 2).value().size(), 3U);
    EXPECT_FALSE(strings_of(R"(["a", 2])", 2));
    EXPECT_TRUE(members_of(R"({"a":1,"b":2})", 2));
    EXPECT_EQ(members_of(R"({"a":1,"b":2,"c":3})", 2).error().message, "has more than 2 members");
}

TEST(JsonText, Members_keep_their_order_and_every_character_of_their_values) {
    EXPECT_THAT(
        listed(
            " {\"b\" : 1.10 ,\n\"a\":{\"x\":[1,\"}\\\"\"] }, \"\\u0063\":12345678901234567890123,"
            "\"d\":\"\\\\\"} "
        ),
        testing::ElementsAre(
            "b=1.10", "a={\"x\":[1,\"}\\\"\"] }", "c=12345678901234567890123", "d=\"\\\\\""
        )
    );
    EXPECT_THAT(listed("{}"), testing::IsEmpty());
    EXPECT_THAT(listed("{ }"), testing::IsEmpty());
}

TEST(JsonText, A_value_within_what_was_read_is_read_without_being_looked_through_again) {
    const auto members = members_of(R"({"list":[{"a":1}, 2]})");
    const auto items = items_of_value(members.value()[0].value);
    ASSERT_EQ(items.value().size(), 2U);
    EXPECT_EQ(members_of_value(items.value()[0]).value()[0].name, "a");
    EXPECT_EQ(members_of_value(items.value()[1]).error().message, "must be a JSON object");
    EXPECT_EQ(items_of_value(items.value()[1]).error().message, "must be a JSON array");
}

TEST(JsonText, What_is_no_object_is_an_error) {
    for (const std::string_view text :
         {"", "[]", "1", "{", "{\"a\"}", "{\"a\":1,}", "{'a':1}", "{\"a\":1}x", "{\"a\":01}"}) {
        EXPECT_FALSE(members_of(text)) << text;
    }
    EXPECT_EQ(members_of(R"({"a":1,"\u0061":2})").error().message, "a is given twice");
    EXPECT_FALSE(members_of("{\"a\":1}\0x"sv));
    EXPECT_FALSE(members_of("\xEF\xBB\xBF{}"));
    EXPECT_FALSE(members_of("{\"a\":\"\xff\"}"));
}

TEST(JsonText, The_members_of_what_is_nested_too_deep_are_not_looked_for) {
    const std::string deep = std::string(1'000'000, '[') + std::string(1'000'000, ']');
    EXPECT_THAT(members_of("{\"a\":" + deep + "}").error().message, HasSubstr("1000 deep"));
    const std::string shallow = std::string(999, '[') + std::string(999, ']');
    EXPECT_EQ(members_of("{\"a\":" + shallow + "}").value().front().value, shallow);
}

TEST(JsonText, A_value_is_put_on_one_line_without_being_changed) {
    EXPECT_EQ(on_one_line("\n{\"a\":\r\n 1.50}\n"), "{\"a\":   1.50}");
}

TEST(JsonText, Strings_are_escaped_and_bad_bytes_replaced) {
    EXPECT_EQ(json_string("a\"\n\xff"), "\"a\\\"\\n\xEF\xBF\xBD\"");
    EXPECT_EQ(
        json_string("a\xc2\x9b"
                    "b\u202Ec\u2028"),
        "\"a\\u009bb\\u202ec\\u2028\""
    );
    EXPECT_EQ(string_of(json_string("Größe\u202E")).value(), "Größe\u202E");
}

std::string nested(std::size_t depth, char open = '[', char close = ']') {
    return std::string(depth, open) + std::string(depth, close);
}

TEST(JsonValues, Every_kind_of_value_is_json) {
    for (const char* text :
         {"null",
          "true",
          "false",
          "0",
          "-1.5e-7",
          "12345678901234567890123",
          "\"\"",
          "\"\\ud83d\\ude00\"",
          "[]",
          "{}",
          " [ 1 , {\"a\":[null]} ] ",
          "\n{\"a\":{\"b\":\"c\"}}\r\n"}) {
        EXPECT_EQ(problem_of_json(text), "") << text;
    }
}

TEST(JsonValues, Utf16_is_told_what_it_should_be) {
    EXPECT_THAT(problem_of_json("\xff\xfe{\0}\0"sv), HasSubstr("save it as UTF-8"));
    EXPECT_THAT(problem_of_json("\xfe\xff\0{\0}"sv), HasSubstr("save it as UTF-8"));
}

TEST(JsonValues, What_is_no_json_is_told) {
    for (const std::string_view text :
         {""sv,       " "sv,           "tru"sv,      "01"sv,  "1 2"sv,
          "[1,]"sv,   "{\"a\"}"sv,     "{a:1}"sv,    "'a'"sv, "\"a"sv,
          "\"\t\""sv, "\"\\ud83d\""sv, "\"\xff\""sv, "[1"sv,  "]"sv,
          "NaN"sv,    "1e999"sv,       "// x\n1"sv,  "1\0"sv, "\xEF\xBB\xBF{}"sv}) {
        EXPECT_NE(problem_of_json(text), "") << text;
    }
}

TEST(JsonValues, A_problem_says_where_it_is) {
    EXPECT_THAT(problem_of_json("{\"a\": tru}"), HasSubstr("line 1, column 10"));
    EXPECT_THAT(problem_of_json("[1,\n2,\nx]"), HasSubstr("line 3, column 1"));
}

TEST(JsonValues, A_problem_is_one_short_line_whatever_the_text_is) {
    const std::string problem = problem_of_json('"' + std::string(1'000'000, 'x'));
    EXPECT_THAT(problem, HasSubstr("line 1"));
    EXPECT_LT(problem.size(), 300U);
    EXPECT_EQ(problem_of_json("\x1b[31m").find('\x1b'), std::string::npos);
}

TEST(JsonValues, Nesting_has_a_bound) {
    constexpr std::size_t most = schema::limits::kJsonDepth;
    EXPECT_EQ(problem_of_json(nested(most)), "");
    EXPECT_THAT(problem_of_json(nested(most + 1)), HasSubstr("more than 1000 deep"));
    std::string objects;
    for (std::size_t i = 0; i < most + 1; ++i) {
        objects += "{\"a\":";
    }
    EXPECT_THAT(problem_of_json(objects), HasSubstr("more than 1000 deep"));
}

TEST(JsonValues, Only_what_lies_in_each_other_counts_as_nested) {
    std::string wide = "[";
    for (std::size_t i = 0; i < 2 * schema::limits::kJsonDepth; ++i) {
        wide += "[{}],";
    }
    EXPECT_EQ(problem_of_json(wide + "1]"), "");
}

// A document of 8 MiB of brackets took 800 MB before it was refused.
TEST(JsonValues, Millions_of_brackets_are_refused_at_the_first_too_many) {
    EXPECT_THAT(problem_of_json(std::string(8'000'000, '[')), HasSubstr("more than 1000 deep"));
    EXPECT_FALSE(strings_of(std::string(8'000'000, '[')));
    EXPECT_FALSE(string_of(std::string(8'000'000, '[')));
}

TEST(JsonValues, A_string_is_taken_out_of_its_quotes) {
    EXPECT_EQ(string_of("\"a\\n\\u00e4\"").value(), "a\n\u00e4");
    EXPECT_EQ(string_of(" \"\" ").value(), "");
    for (const char* text :
         {"1", "null", "true", "[\"a\"]", "{\"a\":\"b\"}", "", "\"a", "\"a\" \"b\""}) {
        EXPECT_EQ(string_of(text).error().message, "must be a string") << text;
    }
}

TEST(JsonValues, A_list_of_strings_holds_nothing_else) {
    EXPECT_THAT(strings_of("[\"a\", \"\", \"a\\\"b\"]").value(), ElementsAre("a", "", "a\"b"));
    EXPECT_THAT(strings_of("[]").value(), IsEmpty());
    for (const char* text :
         {"\"a\"",
          "[1]",
          "[\"a\",null]",
          "[\"a\",[\"b\"]]",
          "[[]]",
          "[{}]",
          "{}",
          "{\"a\":\"b\"}",
          "[\"a\"",
          "[\"a\"]]",
          ""}) {
        EXPECT_EQ(strings_of(text).error().message, "must be a list of strings") << text;
    }
}

TEST(MemberValues, A_text_is_a_json_string_with_its_escapes) {
    std::string text;
    EXPECT_EQ(read_text(R"("a\u00e4\n\"b\"")", text), "");
    EXPECT_EQ(text, "a\xc3\xa4\n\"b\"");
    for (const std::string_view value : {"7", "true", "null", "{}", "[]"}) {
        text = "before";
        EXPECT_EQ(read_text(value, text), "must be a string") << value;
        EXPECT_EQ(text, "before") << "what is wrong changes nothing";
    }
}

TEST(MemberValues, A_flag_is_true_or_false_as_json_writes_them) {
    bool flag = false;
    EXPECT_EQ(read_flag("true", flag), "");
    EXPECT_TRUE(flag);
    EXPECT_EQ(read_flag("false", flag), "");
    EXPECT_FALSE(flag);
    for (const std::string_view value : {"1", "0", "\"true\"", "True", "null", ""}) {
        flag = true;
        EXPECT_EQ(read_flag(value, flag), "must be true or false") << value;
        EXPECT_TRUE(flag);
    }
}

TEST(MemberValues, A_whole_number_lies_within_its_bounds) {
    std::int64_t number = 0;
    for (const auto& [value, expected] :
         {std::pair{"0", 0}, {"7", 7}, {"-3", -3}, {"10", 10}, {"-10", -10}}) {
        EXPECT_EQ(read_whole_number(value, -10, 10, number), "") << value;
        EXPECT_EQ(number, expected);
    }
    number = 5;
    for (const std::string_view value :
         {"11",
          "-11",
          "1.0",
          "1e1",
          "\"1\"",
          "",
          "null",
          "+1",
          " 1",
          "1 ",
          "0x1",
          "99999999999999999999999"}) {
        EXPECT_EQ(read_whole_number(value, -10, 10, number), "must be a whole number, -10 to 10")
            << value;
        EXPECT_EQ(number, 5);
    }
}

TEST(MemberValues, The_largest_numbers_are_read_exactly) {
    std::int64_t number = 0;
    constexpr auto kLeast = std::numeric_limits<std::int64_t>::min();
    constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
    EXPECT_EQ(read_whole_number("9223372036854775807", kLeast, kMost, number), "");
    EXPECT_EQ(number, kMost);
    EXPECT_EQ(read_whole_number("-9223372036854775808", kLeast, kMost, number), "");
    EXPECT_EQ(number, kLeast);
    EXPECT_NE(read_whole_number("9223372036854775808", kLeast, kMost, number), "");
}

TEST(MemberValues, An_instant_is_a_text_in_iso_8601) {
    std::optional<schema::TimePoint> instant;
    EXPECT_EQ(read_instant("\"2026-01-01T10:00:00+01:00\"", instant), "");
    EXPECT_EQ(instant, schema::parse_instant("2026-01-01T09:00:00Z").value());
    const auto before = instant;
    for (const std::string_view value : {"1767258000", "\"tomorrow\"", "\"\"", "null"}) {
        EXPECT_NE(read_instant(value, instant), "") << value;
        EXPECT_EQ(instant, before);
    }
}

TEST(MemberValues, A_duration_is_a_text_too_also_where_it_is_milliseconds) {
    std::optional<schema::Duration> duration;
    EXPECT_EQ(read_duration("\"PT1M\"", duration), "");
    EXPECT_EQ(duration, 1min);
    EXPECT_EQ(read_duration("\"1500\"", duration), "");
    EXPECT_EQ(duration, 1500ms);
    for (const std::string_view value : {"1500", "\"P1M\"", "\"soon\"", "true"}) {
        EXPECT_NE(read_duration(value, duration), "") << value;
        EXPECT_EQ(duration, 1500ms);
    }
}

executor::NewJob read_new(const std::string& json) {
    JobFromJson result = job_from_json(json);
    EXPECT_THAT(result.problems, IsEmpty()) << json;
    return result.content;
}

Job job_in(const std::string& json) {
    return read_new(json).job;
}

std::string written(const Job& job, JobPlace place = JobPlace::executable) {
    return json_of(record_of({.place = place, .job = job}));
}

TEST(JobJson, A_job_is_written_with_all_its_fields_in_their_order) {
    Job job = a_job("job-1").of_type("send-invoice").with_payload(R"({"order": 17})");
    job.due_date = schema::parse_instant("2026-11-20T10:15:30.123Z").value();
    EXPECT_EQ(
        written(job, JobPlace::timer),
        R"({"id":"job-1","correlationId":"job-1","place":"timer","handlerType":"send-invoice",)"
        R"("payload":{"order": 17},"dueDate":"2026-11-20T10:15:30.123Z","repeat":null,"retries":3,)"
        R"("retryCycle":null,"priority":0,"processInstanceId":null,"rootProcessInstanceId":null,)"
        R"("processDefinitionId":null,"executionId":null,"elementId":null,"elementName":null,)"
        R"("category":null,"tenantId":null,"exclusive":true,"uniqueKey":null,)"
        R"("createTime":"2026-01-01T00:00:00.000Z","lockOwner":null,"lockExpirationTime":null,)"
        R"("exceptionMessage":null,"series":null,"attempts":0,"failedTime":null,"traceparent":null,)"
        R"("callingInstances":[],"candidateUsers":[],"candidateGroups":[]})"
    );
}

TEST(JobJson, Whom_a_job_is_linked_to_are_lists_of_names) {
    const std::string json =
        R"({"handlerType":"a","external":true,"processInstanceId":"card",)"
        R"("callingInstances":["order","payment"],"candidateUsers":["kermit"],)"
        R"("candidateGroups":["o'hara, \"x\"","bears"]})";
    const Job job = job_in(json);
    EXPECT_EQ(job.calling_instances, "order\npayment");
    EXPECT_EQ(job.candidate_users, "kermit");
    EXPECT_EQ(job.candidate_groups, "o'hara, \"x\"\nbears");
    EXPECT_THAT(
        written(job, JobPlace::external_worker),
        testing::HasSubstr(R"("callingInstances":["order","payment"],"candidateUsers":["kermit"],)"
                           R"("candidateGroups":["o'hara, \"x\"","bears"])")
    );
    const std::string begin = R"({"handlerType":"a","external":true,"candidateUsers":)";
    const auto problems = [&](const std::string& list) {
        return job_from_json(begin + list + '}').problems;
    };
    EXPECT_THAT(
        problems(R"("kermit")"), testing::ElementsAre("candidateUsers must be a list of texts")
    );
    EXPECT_THAT(problems("[17]"), testing::ElementsAre("candidateUsers must be a list of texts"));
    EXPECT_THAT(problems(R"([""])"), testing::ElementsAre("candidateUsers has an empty name"));
    EXPECT_THAT(
        problems(R"(["a\nb"])"), testing::ElementsAre("candidateUsers has a name with a line break")
    );
    EXPECT_THAT(problems("[]"), IsEmpty());
    EXPECT_THAT(problems("null"), IsEmpty());
}

TEST(JobJson, What_was_written_can_be_read_again) {
    Job job = a_job("job-1")
                  .with_payload("[1.10, 12345678901234567890123]")
                  .with_retry_cycle("R5/PT5M")
                  .with_retries(5)
                  .of_instance("order-17")
                  .of_definition("shipping:3");
    job.root_process_instance_id = "root";
    job.execution_id = "execution";
    job.element_id = "element";
    job.element_name = "An \"element\"\nwith a break";
    job.category = "fast";
    job.tenant_id = "tenant";
    job.exclusive = false;
    job.priority = std::numeric_limits<std::int64_t>::min();
    job.due_date = schema::parse_instant("2026-11-20T10:15:30.123Z").value();
    job.repeat = "R2/2026-11-20T10:15:30Z/PT10H";
    job.series = "nightly";
    Job again = job_in(written(job));
    again.create_time = job.create_time;
    EXPECT_EQ(again, job);
}

TEST(JobJson, Every_field_that_has_a_rank_is_shown_and_told_of_in_the_documents) {
    std::ifstream stream(JOBSTRAND_SOURCE_DIR "/docs/cli.md");
    const std::string document{std::istreambuf_iterator(stream), {}};
    const auto shown = nlohmann::json::parse(written(a_job("a")));
    for (const schema::JobField& field : schema::job_fields()) {
        EXPECT_EQ(shown.contains(field.name), field.json_rank > 0) << field.name;
        if (field.json_rank > 0) {
            EXPECT_THAT(document, HasSubstr('"' + std::string(field.name) + "\":"));
        }
    }
}

TEST(JobJson, An_external_job_is_known_by_its_place) {
    EXPECT_EQ(
        job_in(R"({"handlerType":"x","place":"external"})").type, schema::kExternalWorkerType
    );
    EXPECT_EQ(job_in(R"({"handlerType":"x","external":true})").type, schema::kExternalWorkerType);
    EXPECT_EQ(job_in(R"({"handlerType":"x","external":false})").type, schema::kMessageType);
    EXPECT_EQ(job_in(R"({"handlerType":"x","external":null})").type, schema::kMessageType);
}

TEST(JobJson, What_a_series_is_given_stands_beside_the_job) {
    const executor::NewJob job = read_new(R"({
        "handlerType":"x","repeat":"0 0 12 * * ?","series":"noon","group":"g","description":"d",
        "zone":"Asia/Tokyo","dst":"run-once","calendar":"c","start":"2026-01-01T00:00:00Z",
        "end":"2027-01-01T00:00:00Z","misfire":"do-nothing","misfireThreshold":"PT5M",
        "overlap":false,"keepData":true,"recovery":false,"stopOnDeadLetter":true,
        "state":"paused","previousFire":"2026-01-01T00:00:00Z","fireCount":7,"nextFire":null
    })");
    schema::Series expected;
    expected.group = "g";
    expected.description = "d";
    expected.zone = "Asia/Tokyo";
    expected.dst_rule = "run-once";
    expected.calendar = "c";
    expected.start = schema::parse_instant("2026-01-01T00:00:00Z").value();
    expected.end = schema::parse_instant("2027-01-01T00:00:00Z").value();
    expected.misfire = "do-nothing";
    expected.misfire_threshold = std::chrono::minutes(5);
    expected.overlap = false;
    expected.keep_data = true;
    expected.recovery = false;
    expected.stop_on_dead_letter = true;
    EXPECT_EQ(job.series, expected);
    EXPECT_EQ(job.job.repeat, "0 0 12 * * ?");
    EXPECT_EQ(job.job.series, "noon");
    EXPECT_TRUE(job.starts_paused);
}

TEST(JobJson, An_extra_turn_names_its_series_only) {
    EXPECT_EQ(job_in(R"({"handlerType":"x","series":"noon","state":"waiting"})").series, "noon");
}

TEST(JobJson, A_payload_that_is_no_json_is_written_as_a_string) {
    const Job job = a_job("a").with_payload("not {json}\n\xff");
    const auto json = nlohmann::json::parse(written(job));
    EXPECT_EQ(json.at("payload"), "not {json}\n\xEF\xBF\xBD");
}

TEST(JobJson, A_payload_keeps_to_its_line) {
    EXPECT_EQ(written(a_job("a").with_payload("{\n\"a\":\n1}")).find('\n'), std::string::npos);
}

TEST(JobJson, A_payload_that_is_nested_too_deep_is_refused) {
    // The job itself is the first of a thousand.
    const std::string deep = std::string(999, '[') + std::string(999, ']');
    const Job job = job_in(R"({"handlerType":"x","payload":)" + deep + "}");
    EXPECT_EQ(job.payload, deep);
    EXPECT_NE(written(job).find(deep), std::string::npos);
    const JobFromJson too_deep = job_from_json(R"({"handlerType":"x","payload":[)" + deep + "]}");
    EXPECT_THAT(too_deep.problems, testing::ElementsAre(testing::HasSubstr("1000 deep")));
}

// Such a payload can come by a plain INSERT.
TEST(JobJson, A_stored_payload_that_is_nested_too_deep_is_shown_as_a_text) {
    const std::string deep = std::string(1'000'000, '[') + std::string(1'000'000, ']');
    Job job;
    job.payload = deep;
    EXPECT_NE(written(job).find("\"payload\":\"" + deep + "\""), std::string::npos);
}

struct BadJob {
    std::string json;
    const char* problem;
};

TEST(JobJson, Every_mistake_is_named_with_its_field) {
    const BadJob cases[] = {
        {"", "line 1, column 1"},
        {"[]", "must be a JSON object"},
        {R"({"handlerType":"x"} trailing)", "expected end of input"},
        {R"({})", "handlerType must be given"},
        {R"({"handlerType":5})", "handlerType must be a string"},
        {R"({"handlerTipe":"x"})", "no field handlerTipe; did you mean handlerType?"},
        {R"({"handler_type":"x"})", "did you mean handlerType?"},
        {R"({"handlerType":"x","handlerType":"y"})", "handlerType is given twice"},
        {R"({"handlerType":"x","retries":0})", "retries must be a whole number, 1 to 100000"},
        {R"({"handlerType":"x","retries":"3"})", "retries must be a whole number"},
        {R"({"handlerType":"x","retries":1e2})", "retries must be a whole number"},
        {R"({"handlerType":"x","priority":9223372036854775808})",
         "priority must be a whole number"},
        {R"({"handlerType":"x","priority":1.5})", "priority must be a whole number"},
        {R"({"handlerType":"x","exclusive":1})", "exclusive must be true or false"},
        {R"({"handlerType":"x","dueDate":"soon"})", "dueDate "},
        {R"({"handlerType":"x","dueDate":"10000-01-01T00:00:00Z"})", "dueDate "},
        {R"({"handlerType":"x","dueDate":1})", "dueDate must be a string"},
        {R"({"handlerType":"x","retryCycle":"R5"})", "retryCycle"},
        {R"({"handlerType":"x","place":"dead"})", "place of a new job must be"},
        {R"({"handlerType":"x","repeat":7})", "repeat must be a string"},
        {R"({"handlerType":"x","repeat":""})", "repeat must not be empty"},
        {R"({"handlerType":"x","repeat":"R/PT1H","end":"soon"})", "end "},
        {R"({"handlerType":"x","repeat":"R/PT1H","keepData":"yes"})",
         "keepData must be true or false"},
        {R"({"handlerType":"x","repeat":"R/PT1H","state":"running"})",
         "state of a new series must"},
        {R"({"handlerType":"x","calendar":"c"})", "calendar goes with repeat"},
        {R"({"handlerType":"x","state":"paused"})", "state paused goes with repeat"},
        {R"({"handlerType":"x","uniqueKey":"k "})", "uniqueKey may have no space at its end"},
        {R"({"handlerType":"x","uniqueKey":"k","repeat":"R/PT1H"})",
         "uniqueKey does not go with repeat"},
        {R"({"handlerType":"x","uniqueKey":"k","onDuplicate":"skip"})",
         "onDuplicate must be reject, keep or replace"},
        {R"({"handlerType":"x","uniqueKey":"k","onDuplicate":1})", "onDuplicate must be a string"},
        {R"({"handlerType":"x","uniqueKey":"k","uniqueFor":"PT0S"})",
         "uniqueFor must be 1 ms to P3660D"},
        {R"({"handlerType":"x","uniqueKey":"k","uniqueFor":"soon"})", "uniqueFor"},
        {R"({"handlerType":"x","onDuplicate":"keep"})", "go with uniqueKey"},
        {R"({"handlerType":"x","id":"a b "})", "id may only hold printable"},
        {R"({"handlerType":"x","id":")" + std::string(65, 'x') + "\"}", "id is longer than 64"},
        {R"({"handlerType":")" + std::string(256, 'x') + "\"}", "handlerType is longer than 255"},
        {R"({"handlerType":"x","tenantId":"a\u0000b"})", "tenantId is not UTF-8 text without NUL"},
        {std::string("{\"handlerType\":\"x\"}\0", 20), "NUL"},
        {"{\"handlerType\":\"\xff\"}", "invalid string"},
    };
    for (const BadJob& test : cases) {
        EXPECT_THAT(job_from_json(test.json).problems, Contains(HasSubstr(test.problem)))
            << test.json;
    }
}

// B8
TEST(JobJson, A_unique_key_has_its_rule_beside_it) {
    const auto read = job_from_json(
        R"({"handlerType":"x","uniqueKey":"k 1","onDuplicate":"replace","uniqueFor":"PT1H"})"
    );
    EXPECT_THAT(read.problems, testing::IsEmpty());
    EXPECT_EQ(read.content.job.unique_key, "k 1");
    EXPECT_EQ(read.content.key_rule.on_duplicate, schema::OnDuplicate::replace);
    EXPECT_EQ(read.content.key_rule.period, std::chrono::hours(1));
    EXPECT_EQ(job_from_json(R"({"handlerType":"x","onDuplicate":null})").problems.size(), 0U);
}

TEST(JobJson, All_mistakes_of_a_job_are_told_at_once) {
    EXPECT_EQ(job_from_json(R"({"retries":0,"priority":"x","color":"red"})").problems.size(), 3U);
}

}  // namespace

}  // namespace jobstrand::cli
