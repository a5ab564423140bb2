#include "schema/job_validation.hpp"

#include "schema/limits.hpp"
#include "schema/text/column_text.hpp"
#include "test/fixtures/job_builder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace jobstrand::schema {
namespace {

using namespace std::chrono_literals;
using namespace std::string_literals;
using test::a_job;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(JobValidation, A_plain_job_is_fine) {
    EXPECT_THAT(problems_of(a_job("a")), IsEmpty());
}

// R012: priorities have 64 bits.
TEST(JobValidation, A_job_at_every_bound_is_fine) {
    Job job = a_job(std::string(limits::kIdLength, '~'));
    job.handler_type = std::string(limits::kNameLength, 'h');
    for (std::size_t i = 0; i < limits::kNameLength; ++i) {
        job.element_name += "€";
    }
    job.payload = std::string(limits::kPayloadBytes, 'p');
    job.retries = limits::kRetryAttempts;
    job.priority = std::numeric_limits<std::int64_t>::min();
    job.retry_cycle = "PT10M,PT17M,PT20M";
    job.due_date = kLatestInstant;
    job.type = kExternalWorkerType;
    job.process_instance_id = "order 12/7";
    job.process_definition_id = "ørder-注文";
    job.unique_key = std::string(limits::kNameLength, '\t');
    EXPECT_THAT(problems_of(job), IsEmpty());
}

TEST(JobValidation, Each_mistake_is_one_sentence_that_names_field_and_bound) {
    struct Row {
        std::function<void(Job&)> spoil;
        std::string problem;
    };
    const std::string id_characters =
        " may only hold printable ASCII characters, with no space at its end";
    const std::string app_id_characters =
        " may hold no control characters, and no space at its end";
    const std::vector<Row> rows{
        {[](Job& job) { job.id = std::string(65, 'i'); }, "id is longer than 64 characters"},
        {[](Job& job) { job.id = "ä"; }, "id" + id_characters},
        {[](Job& job) { job.process_instance_id = "a\n"; },
         "processInstanceId" + app_id_characters},
        {[](Job& job) { job.process_definition_id = "a "; },
         "processDefinitionId" + app_id_characters},
        {[](Job& job) { job.root_process_instance_id = "\x7F"; },
         "rootProcessInstanceId" + app_id_characters},
        {[](Job& job) { job.execution_id = "\xff"; }, "executionId is not UTF-8 text without NUL"},
        {[](Job& job) { job.process_instance_id = std::string(65, 'i'); },
         "processInstanceId is longer than 64 characters"},
        {[](Job& job) { job.deployment_id = "a\0b"s; }, "deploymentId" + id_characters},
        {[](Job& job) { job.category = std::string(256, 'c'); },
         "category is longer than 255 characters"},
        {[](Job& job) { job.tenant_id = "\xFF"; }, "tenantId is not UTF-8 text without NUL"},
        {[](Job& job) { job.element_name = "a\0b"s; }, "elementName is not UTF-8 text without NUL"},
        {[](Job& job) { job.exception_message = std::string(2001, 'm'); },
         "exceptionMessage is longer than 2000 characters"},
        {[](Job& job) { job.handler_type = ""; }, "handlerType must be given"},
        {[](Job& job) { job.payload = std::string(limits::kPayloadBytes + 1, 'p'); },
         "payload is longer than 8388608 bytes"},
        {[](Job& job) { job.candidate_users = "kermit"; },
         "candidateUsers and candidateGroups go with a job of external workers"},
        {[](Job& job) {
             job.type = kExternalWorkerType;
             job.candidate_groups = "bears\n" + std::string(256, 'g');
         },
         "candidateGroups: a name is longer than 255 characters"},
        {[](Job& job) {
             job.type = kExternalWorkerType;
             job.candidate_users = joined_names(std::vector<std::string>(101, "u")).value();
         },
         "candidateUsers has more than 100 names"},
        {[](Job& job) {
             job.type = kExternalWorkerType;
             job.candidate_users =
                 joined_names(std::vector<std::string>(5, std::string(250, 'u'))).value();
         },
         "candidateUsers is longer than 1000 characters"},
        {[](Job& job) { job.calling_instances = "order"; },
         "callingInstances go with processInstanceId"},
        {[](Job& job) {
             job.process_instance_id = "card";
             job.calling_instances = "order\ncard";
         },
         "callingInstances: card cannot call itself"},
        {[](Job& job) {
             job.process_instance_id = "card";
             job.calling_instances = std::string(65, 'i');
         },
         "callingInstances: a name is longer than 64 characters"},
        {[](Job& job) { job.payload = "{\xC3}"; }, "payload is not UTF-8 text without NUL"},
        {[](Job& job) { job.type = "batch"; }, "type must be message, timer or externalWorker"},
        {[](Job& job) { job.retries = -1; }, "retries must be 0 to 100000"},
        {[](Job& job) { job.retries = 100'001; }, "retries must be 0 to 100000"},
        {[](Job& job) { job.retry_cycle = "R3/PT5"; },
         "retryCycle: expected H, M or S, each once and in this order at position 6"},
        {[](Job& job) { job.due_date = kEarliestInstant - 1ms; },
         "dueDate must be in the years 1970 to 9999"},
        {[](Job& job) { job.unique_key = "k "; }, "uniqueKey may have no space at its end"},
        {[](Job& job) { job.unique_key = "a\0b"s; }, "uniqueKey is not UTF-8 text without NUL"},
        {[](Job& job) { job.unique_key = std::string(256, 'k'); },
         "uniqueKey is longer than 255 characters"},
        {[](Job& job) {
             job.unique_key = "k";
             job.repeat = "R/PT1H";
         },
         "uniqueKey does not go with repeat: the key of the series is unique already"},
        {[](Job& job) { job.trace_parent = "00-1-2-01"; },
         "traceparent must be as W3C Trace Context says: 00-TRACE-PARENT-FLAGS, with 32, 16 and 2 "
         "lower-case hexadecimal digits"},
        {[](Job& job) { job.due_date = kLatestInstant + 1ms; },
         "dueDate must be in the years 1970 to 9999"},
    };
    for (const Row& row : rows) {
        Job job = a_job("a");
        row.spoil(job);
        EXPECT_THAT(problems_of(job), ElementsAre(row.problem));
    }
}

TEST(JobValidation, All_mistakes_are_told_at_once) {
    Job job = a_job("ä");
    job.handler_type = "";
    job.retries = -1;
    EXPECT_EQ(problems_of(job).size(), 3U);
}

TEST(JobValidation, A_list_of_names_is_one_text_with_a_name_on_each_line) {
    const std::vector<std::string> names{"kermit", "cn=a,ou=b", "müller |"};
    const auto list = joined_names(names);
    ASSERT_TRUE(list);
    EXPECT_EQ(list.value(), "kermit\ncn=a,ou=b\nmüller |");
    EXPECT_EQ(names_in(list.value()), names);
    EXPECT_EQ(joined_names(std::vector<std::string>{}).value(), "");
    EXPECT_THAT(names_in(""), IsEmpty());
    EXPECT_THAT(names_in("\na\n\nb\n"), ElementsAre("a", "b")) << "as SQL may write it";
}

TEST(JobValidation, A_list_has_no_name_that_is_empty_or_is_two) {
    const auto problem_of = [](std::vector<std::string> names) {
        return joined_names(names).error().message;
    };
    EXPECT_EQ(problem_of({"a", ""}), "has an empty name");
    EXPECT_EQ(problem_of({""}), "has an empty name");
    EXPECT_EQ(problem_of({"a\nb"}), "has a name with a line break");
    EXPECT_EQ(problem_of({"a\r"}), "has a name with a line break");
}

}  // namespace
}  // namespace jobstrand::schema
