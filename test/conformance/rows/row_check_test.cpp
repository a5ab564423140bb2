#include "persistence/migration/schema_check.hpp"
#include "persistence/sql/dialect.hpp"
#include "test/conformance/rows/odd_values.hpp"
#include "test/conformance/store_test.hpp"

#include <fmt/format.h>

namespace jobstrand::test {

namespace {

using persistence::SchemaDifference;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

/// What `schema check` finds in the rows of older tables.
class RowCheck : public StoreTest {
protected:
    void SetUp() override {
        StoreTest::SetUp();
        if (!IsSkipped()) {
            allow_odd_values(*connection_);
        }
    }

    [[nodiscard]] std::vector<SchemaDifference> findings() {
        persistence::SchemaReport report;
        persistence::check_rows(*connection_, report);
        return report.differences;
    }

    [[nodiscard]] bool is_sqlite() const { return connection_->dialect().name == "sqlite"; }
};

INSTANTIATE_TEST_SUITE_P(
    OnEveryDatabase,
    RowCheck,
    testing::ValuesIn(databases_under_test()),
    name_of_database
);

TEST_P(RowCheck, Finds_nothing_where_all_is_right) {
    for (const JobPlace place : schema::kJobPlaces) {
        const std::string name(schema::name_of(place));
        insert(place, std::vector<Job>{full_job("full " + name), a_job(name)});
        execute(fmt::format("UPDATE {} SET REV_ = NULL", schema::table_of(place)));
    }
    EXPECT_THAT(findings(), IsEmpty());
}

TEST_P(RowCheck, Names_table_column_number_and_a_job) {
    execute(fmt::format(
        "INSERT INTO ACT_RU_TIMER_JOB (ID_, HANDLER_TYPE_, DUEDATE_) "
        "VALUES ('late', 'noop', {0}), ('never', 'noop', {0})",
        first_of_all_due_dates(connection_->dialect())
    ));
    const auto found = findings();
    ASSERT_THAT(found, SizeIs(1));
    EXPECT_THAT(
        found[0].description,
        AllOf(
            StartsWith("ACT_RU_TIMER_JOB has 2 rows whose DUEDATE_ is no "),
            HasSubstr("such as the job \"late\"")
        )
    );
    EXPECT_EQ(found[0].table, "ACT_RU_TIMER_JOB");
    EXPECT_THAT(
        found[0].mend, testing::ElementsAre(StartsWith("UPDATE ACT_RU_TIMER_JOB SET DUEDATE_ = "))
    );
}

TEST_P(RowCheck, The_statements_mend_what_they_can) {
    execute("INSERT INTO ACT_RU_JOB (ID_, HANDLER_TYPE_, REV_) VALUES ('', 'noop', 2147483647)");
    if (is_sqlite()) {
        execute(
            "INSERT INTO ACT_RU_TIMER_JOB (ID_, HANDLER_TYPE_, RETRIES_, PRIORITY_, DUEDATE_) "
            "VALUES (x'abcd', 'noop', 'many', 'high', '2026-01-01T11:00:00+02:00'), "
            "('b', 'noop', 3, 0, '2026-01-01 09:00:00')"
        );
    }
    const auto found = findings();
    EXPECT_THAT(found, SizeIs(is_sqlite() ? 6 : 2));
    for (const SchemaDifference& difference : found) {
        connection_->run_script(difference.mend.at(0));
    }
    EXPECT_THAT(findings(), IsEmpty());
    EXPECT_EQ(acquire().at(0).revision, 2);
    if (is_sqlite()) {
        EXPECT_EQ(job("abcd").due_date, clock_.now() + 9h);
        EXPECT_EQ(job("b").due_date, clock_.now() + 9h);
        EXPECT_EQ(job("abcd").retries, 3);
        EXPECT_EQ(job("abcd").priority, 0);
    }
}

}  // namespace

}  // namespace jobstrand::test
