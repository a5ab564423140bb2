#include "schema/acquisition.hpp"
#include "schema/job_definition.hpp"
#include "test/fixtures/job_builder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace jobstrand::schema {

namespace {

using test::a_job;
using testing::HasSubstr;

JobDefinition saying(std::string_view name, std::string priority) {
    return {.name = job_definition_named(name), .priority = std::move(priority)};
}

JobDefinition overriding(std::string_view name, std::int64_t priority) {
    return {.name = job_definition_named(name), .override_priority = priority};
}

/// What a job of `shipping:3`, element `charge`, type `card` gets, which says nothing or this.
Job filled(std::vector<JobDefinition> definitions, Job job = {}) {
    job.process_definition_id = "shipping:3";
    job.element_id = "charge";
    job.handler_type = "card";
    JobDefinitions(definitions).fill_in(job);
    return job;
}

std::int64_t priority(std::vector<JobDefinition> definitions, std::int64_t own = 0) {
    return filled(std::move(definitions), {.priority = own}).priority;
}

// R019
TEST(JobDefinitions, A_definition_gives_all_its_jobs_a_priority) {
    EXPECT_EQ(priority({saying("shipping:3", "8")}), 8);
    EXPECT_EQ(priority({saying("shipping:4", "8")}), 0);
}

// R020, R029
TEST(JobDefinitions, The_closest_that_says_a_priority_counts) {
    const JobDefinition all = saying("shipping:3", "8");
    const JobDefinition type = saying("shipping:3//card", "9");
    const JobDefinition element = saying("shipping:3/charge", "10");
    const JobDefinition both = saying("shipping:3/charge/card", "11");
    EXPECT_EQ(priority({both, element, type, all}), 11);
    EXPECT_EQ(priority({all, type, element}), 10);
    EXPECT_EQ(priority({all, type}), 9);
    EXPECT_EQ(
        priority({all, saying("shipping:3/pack", "12"), saying("shipping:3//mail", "13")}), 8
    );
    EXPECT_EQ(priority({all, saying("shipping:3/charge", "")}), 8);
}

// R029
TEST(JobDefinitions, What_a_job_says_goes_before_what_its_definitions_say) {
    EXPECT_EQ(priority({saying("shipping:3/charge/card", "11")}, 7), 7);
}

// R025, R029
TEST(JobDefinitions, An_override_goes_before_all_else) {
    EXPECT_EQ(priority({overriding("shipping:3", -5), saying("shipping:3/charge", "10")}, 7), -5);
    EXPECT_EQ(priority({overriding("shipping:3", -5), overriding("shipping:3/charge", 0)}, 7), 0);
}

// R069
TEST(JobDefinitions, A_retry_cycle_is_that_of_the_job_or_of_the_closest) {
    const JobDefinition all{.name = job_definition_named("shipping:3"), .retry_cycle = "R5/PT5M"};
    const JobDefinition element{
        .name = job_definition_named("shipping:3/charge"), .retry_cycle = "R3/PT5S"};
    EXPECT_EQ(filled({all, element}).retry_cycle, "R3/PT5S");
    EXPECT_EQ(filled({all}).retry_cycle, "R5/PT5M");
    EXPECT_EQ(filled({all, element}, {.retry_cycle = "PT1S"}).retry_cycle, "PT1S");
}

TEST(JobDefinitions, Only_a_job_that_may_be_exclusive_is_made_not_exclusive) {
    const JobDefinition all{.name = job_definition_named("shipping:3"), .exclusive = false};
    const JobDefinition element{
        .name = job_definition_named("shipping:3/charge"), .exclusive = true};
    EXPECT_FALSE(filled({all}).exclusive);
    EXPECT_TRUE(filled({all, element}).exclusive);
    EXPECT_FALSE(filled({element}, {.exclusive = false}).exclusive);
}

// R019, R020, R021, R022
TEST(JobDefinitions, Expressions_look_into_the_payload) {
    const Job order{.payload = R"({"order":{"priority":17},"retryCycle":"R2/PT1S","zero":0})"};
    const JobDefinition all = saying("shipping:3", "${order.priority}");
    EXPECT_EQ(filled({all}, order).priority, 17);
    const JobDefinition element = saying("shipping:3/charge", "${zero}");
    EXPECT_EQ(filled({all, element}, order).priority, 0);
    EXPECT_EQ(priority({overriding("shipping:3", 3), saying("shipping:3/charge", "${none}")}), 3);
}

// R072
TEST(JobDefinitions, A_retry_cycle_may_be_an_expression) {
    const Job order{.payload = R"({"retryCycle":"R2/PT1S","tries":4,"wrong":"often"})"};
    const auto cycle = [&](std::string text) {
        return filled({{.name = job_definition_named("shipping:3"), .retry_cycle = text}}, order)
            .retry_cycle;
    };
    EXPECT_EQ(cycle("${retryCycle}"), "R2/PT1S");
    EXPECT_EQ(cycle("R${tries}/PT5M"), "R4/PT5M");
    EXPECT_THROW((void)cycle("${wrong}"), std::invalid_argument);
}

TEST(JobDefinitions, A_category_may_hold_expressions_and_counts_unless_the_job_has_one) {
    const auto category = [&](std::string text, std::string of_job = {}) {
        const Job order{
            .category = std::move(of_job),
            .payload = R"({"region":"eu","none":"","long":")" + std::string(256, 'x') + "\"}"};
        return filled({{.name = job_definition_named("shipping:3"), .category = text}}, order)
            .category;
    };
    EXPECT_EQ(category("mail"), "mail");
    EXPECT_EQ(category("${region}-${execution.handlerType}"), "eu-card");
    EXPECT_EQ(category("${none}"), "");
    EXPECT_EQ(category("${region}", "of the job"), "of the job");
    EXPECT_THROW((void)category("${long}"), std::invalid_argument);
    EXPECT_THROW((void)category("${nobody}"), std::invalid_argument);
}

// R021
TEST(JobDefinitions, An_expression_that_fails_refuses_the_job_or_says_nothing) {
    const JobDefinitions definitions(std::vector{
        saying("shipping:3/charge", "${order.priority}"), saying("shipping:3", "8")});
    Job job{.process_definition_id = "shipping:3", .element_id = "charge", .payload = "{}"};
    try {
        definitions.fill_in(job);
        ADD_FAILURE() << "the job was taken";
    } catch (const std::invalid_argument& refused) {
        EXPECT_STREQ(
            refused.what(),
            "the priority of shipping:3/charge, ${order.priority}: there is no variable order "
            "(position 2)"
        );
    }
    definitions.fill_in(job, FailedExpression::says_nothing);
    EXPECT_EQ(job.priority, 8);
}

TEST(JobDefinitionName, Is_read_as_it_is_written) {
    for (const std::string_view text :
         {"shipping:3",
          "shipping:3/charge",
          "shipping:3/charge/card",
          "shipping:3//card",
          "shipping:3//billing/card"}) {
        EXPECT_EQ(text_of(job_definition_named(text)), text);
    }
    EXPECT_EQ(
        job_definition_named("a//b/c"), (JobDefinitionName{.definition = "a", .type = "b/c"})
    );
    EXPECT_THROW((void)job_definition_named(""), std::invalid_argument);
    EXPECT_THROW((void)job_definition_named("/charge"), std::invalid_argument);
    EXPECT_THROW((void)job_definition_named(std::string(65, 'a')), std::invalid_argument);
    EXPECT_FALSE(can_be_named({.definition = "a/b"}));
    EXPECT_FALSE(can_be_named({.definition = "a", .element = "b/c"}));
}

TEST(JobDefinitionName, Has_an_id_of_64_bytes_at_most_that_no_other_has) {
    EXPECT_EQ(id_of(job_definition_named("shipping:3/charge")), "shipping:3/charge");
    const std::string long_name = "shipping:3/" + std::string(200, 'e');
    EXPECT_LE(id_of(job_definition_named(long_name)).size(), 64U);
    EXPECT_NE(
        id_of(job_definition_named(long_name)), id_of(job_definition_named(long_name + "/card"))
    );
}

// R021
TEST(JobDefinition, A_priority_is_a_whole_number_of_64_bits) {
    EXPECT_EQ(mistake_in(saying("a", "-9223372036854775808")), "");
    EXPECT_THAT(mistake_in(saying("a", "9223372036854775808")), HasSubstr("whole number"));
    EXPECT_THAT(mistake_in(saying("a", "1.5")), HasSubstr("whole number"));
    EXPECT_THAT(mistake_in(saying("a", "high")), HasSubstr("whole number"));
    EXPECT_EQ(mistake_in(saying("a", "${order.priority + 1}")), "");
    EXPECT_THAT(mistake_in(saying("a", "${order.}")), HasSubstr("expected a name (position 8)"));
}

TEST(JobDefinition, A_retry_cycle_must_be_one) {
    EXPECT_EQ(mistake_in({.retry_cycle = "PT10M,PT17M"}), "");
    EXPECT_THAT(mistake_in({.retry_cycle = "often"}), HasSubstr("the retry cycle: "));
}

Job a_mail() {
    Job job = a_job("a").with_priority(3);
    job.category = "mail";
    job.tenant_id = "acme";
    job.process_definition_id = "invoice:1";
    return job;
}

struct ScopeCase {
    std::string_view what;
    ServedScope scope;
    bool takes_the_mail;
    bool takes_a_plain_job;
};

// R053 R100 R102
TEST(ServedScope, A_job_is_in_it_when_each_of_its_fields_is) {
    const ScopeCase cases[] = {
        {"no limits", {}, true, true},
        {"the category", {.categories = {"post", "mail"}}, true, false},
        {"another category", {.categories = {"post"}}, false, false},
        {"the tenant, or none", {.tenants = {"acme", ""}}, true, true},
        {"no tenant", {.tenants = {""}}, false, true},
        {"the definition", {.definitions = {"invoice:1"}}, true, false},
        {"its next version", {.definitions = {"invoice:2"}}, false, false},
        {"the priority", {.priority_min = 3, .priority_max = 3}, true, false},
        {"lower priorities", {.priority_min = 0, .priority_max = 2}, false, true},
        {"all but one", {.categories = {"mail"}, .tenants = {"umbra"}}, false, false},
        {"capitals", {.categories = {"Mail"}}, false, false},
    };
    for (const ScopeCase& one : cases) {
        EXPECT_EQ(contains(one.scope, a_mail()), one.takes_the_mail) << one.what;
        EXPECT_EQ(contains(one.scope, a_job("b").with_priority(0)), one.takes_a_plain_job)
            << one.what;
    }
}

TEST(ServedScope, Is_all_only_without_any_limit) {
    EXPECT_TRUE(is_all(ServedScope{}));
    EXPECT_FALSE(is_all(ServedScope{.tenants = {""}}));
    EXPECT_FALSE(is_all(ServedScope{.priority_min = 0}));
}

}  // namespace

}  // namespace jobstrand::schema
