#include "persistence/queries/job_filter_sql.hpp"

#include "persistence/drivers/sqlite/sqlite_dialect.hpp"

#include <gmock/gmock.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace jobstrand::persistence {
namespace {

using schema::Job;
using testing::ThrowsMessage;

Condition of_dead(const JobFilter& filter) {
    return condition_of(filter, schema::JobPlace::dead_letter, kSqliteDialect);
}

// I8: each database has bounds of its own, and other words for them.
TEST(JobFilterSql, A_filter_of_too_many_conditions_is_refused_with_the_bound) {
    JobFilter filter;
    filter.fields.assign(500, equals(&Job::handler_type, "mail"));
    EXPECT_EQ(of_dead(filter).parameters.size(), 500U);
    filter.fields.push_back(equals(&Job::handler_type, "mail"));
    EXPECT_THAT(
        [&] { (void)of_dead(filter); },
        ThrowsMessage<std::invalid_argument>("a filter has at most 500 conditions, not 501")
    );
}

TEST(JobFilterSql, A_filter_of_too_many_values_is_refused_with_the_bound) {
    std::vector<std::string> types(10'000, "mail");
    const JobFilter full{.fields = {is_one_of(&Job::handler_type, types)}};
    EXPECT_EQ(of_dead(full).parameters.size(), 10'000U);
    types.emplace_back("fax");
    const JobFilter more{.fields = {is_one_of(&Job::handler_type, types)}};
    EXPECT_THAT(
        [&] { (void)of_dead(more); },
        ThrowsMessage<std::invalid_argument>("a filter has at most 10000 values, not 10001")
    );
}

TEST(JobFilterSql, A_filter_looks_into_payloads_so_often_at_most) {
    const JobTerm term{
        .kind = JobTerm::Kind::payload,
        .parts = {},
        .leaf = PayloadCondition{{"order"}, FieldCondition::Match::equal, "17"}};
    JobFilter filter{.where = std::vector<JobTerm>(20, term)};
    EXPECT_EQ(of_dead(filter).sql.find("17"), std::string::npos) << "values are parameters";
    filter.where.push_back(term);
    EXPECT_THAT(
        [&] { (void)of_dead(filter); },
        ThrowsMessage<std::invalid_argument>(
            "a filter has at most 20 conditions on payloads, not 21"
        )
    );
}

}  // namespace
}  // namespace jobstrand::persistence
