#include "tools/records/job_json.hpp"

#include "schema/job_fields.hpp"
#include "schema/text/time_text.hpp"
#include "test/fixtures/job_builder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace jobstrand::cli {
namespace {

using schema::Job;
using schema::JobPlace;
using test::a_job;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

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
