#include "schema/acquisition.hpp"
#include "test/fixtures/job_builder.hpp"

#include <gtest/gtest.h>

namespace jobstrand::schema {
namespace {

using test::a_job;

Job a_mail() {
    Job job = a_job("a").with_priority(3);
    job.category = "mail";
    job.tenant_id = "acme";
    job.process_definition_id = "invoice:1";
    return job;
}

struct Case {
    std::string_view what;
    ServedScope scope;
    bool takes_the_mail;
    bool takes_a_plain_job;
};

// R053 R100 R102
TEST(ServedScope, A_job_is_in_it_when_each_of_its_fields_is) {
    const Case cases[] = {
        {"no limits", {}, true, true},
        {"the category", {.categories = {"post", "mail"}}, true, false},
        {"another category", {.categories = {"post"}}, false, false},
        {"the tenant, or none", {.tenants = {"acme", ""}}, true, true},
        {"no tenant", {.tenants = {""}}, false, true},
        {"the definition", {.definitions = {"invoice:1"}}, true, false},
        {"its next version", {.definitions = {"invoice:2"}}, false, false},
        {"the priority", {.priorities = {3, 3}}, true, false},
        {"lower priorities", {.priorities = {0, 2}}, false, true},
        {"all but one", {.categories = {"mail"}, .tenants = {"umbra"}}, false, false},
        {"capitals", {.categories = {"Mail"}}, false, false},
    };
    for (const Case& one : cases) {
        EXPECT_EQ(one.scope.contains(a_mail()), one.takes_the_mail) << one.what;
        EXPECT_EQ(one.scope.contains(a_job("b").with_priority(0)), one.takes_a_plain_job)
            << one.what;
    }
}

TEST(ServedScope, Is_all_only_without_any_limit) {
    EXPECT_TRUE(ServedScope{}.is_all());
    EXPECT_FALSE(ServedScope{.tenants = {""}}.is_all());
    EXPECT_FALSE(ServedScope{.priorities = {.least = 0}}.is_all());
}

}  // namespace
}  // namespace jobstrand::schema
