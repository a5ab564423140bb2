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
        {"the priority", {.priority_min = 3, .priority_max = 3}, true, false},
        {"lower priorities", {.priority_min = 0, .priority_max = 2}, false, true},
        {"all but one", {.categories = {"mail"}, .tenants = {"umbra"}}, false, false},
        {"capitals", {.categories = {"Mail"}}, false, false},
    };
    for (const Case& one : cases) {
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
