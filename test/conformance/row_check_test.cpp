#include "persistence/migration/schema_check.hpp"
#include "persistence/sql/db_error.hpp"
#include "persistence/sql/dialect.hpp"
#include "test/conformance/odd_values.hpp"
#include "test/conformance/store_test.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iterator>
#include <random>
#include <set>
#include <span>

namespace jobstrand::test {

namespace {

using persistence::SchemaFinding;

/// What `schema check` finds in the rows of older tables.
class RowCheck : public WithOddValues<StoreTest> {
protected:
    [[nodiscard]] std::vector<SchemaFinding> findings() {
        persistence::SchemaReport report;
        persistence::check_rows(*connection_, report);
        return report.differences;
    }

    [[nodiscard]] bool is_sqlite() const { return dialect().name == "sqlite"; }
};

ON_EVERY_DATABASE(RowCheck);

TEST_P(RowCheck, Finds_nothing_where_all_is_right) {
    for (const JobPlace place : schema::kJobPlaces) {
        const std::string name(schema::name_of(place));
        insert(place, {full_job("full " + name), a_job(name)});
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
    EXPECT_THAT(found[0].mend, ElementsAre(StartsWith("UPDATE ACT_RU_TIMER_JOB SET DUEDATE_ = ")));
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
    for (const SchemaFinding& difference : found) {
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

/// How many rows; the check is content with few. More: JOBSTRAND_FUZZ_ROWS=10000.
int rows_wanted() {
    const char* const rows = std::getenv("JOBSTRAND_FUZZ_ROWS");
    return rows == nullptr ? 300 : std::atoi(rows);
}

/// The same rows each time, unless JOBSTRAND_FUZZ_SEED says others.
unsigned seed_wanted() {
    const char* const seed = std::getenv("JOBSTRAND_FUZZ_SEED");
    return seed == nullptr ? 1U : static_cast<unsigned>(std::atoi(seed));
}

/// Writes random values into every column of every table of jobs, as a producer's SQL can, with
/// sound jobs in between.
class RowFuzz : public StoreTest {
protected:
    void SetUp() override {
        StoreTest::SetUp();
        RecordProperty("seed", static_cast<int>(seed_wanted()));
    }

    const std::string& any_of(const std::vector<std::string>& choices) {
        return choices[random_() % choices.size()];
    }

    bool one_in(unsigned times) { return random_() % times == 0; }

    /// The value of a column that is to be odd, mostly of its own kind.
    std::string literal_for(const schema::Column& column) {
        constexpr std::array kKinds{
            schema::ColumnKind::name, schema::ColumnKind::integer, schema::ColumnKind::timestamp};
        const schema::ColumnKind kind = one_in(10) ? kKinds[random_() % 3] : column.kind;
        return any_of(literals_for(kind, connection_->dialect()));
    }

    /// Returns whether the table took it.
    bool insert_odd(int number) {
        const JobPlace place = schema::kJobPlaces[random_() % schema::kJobPlaces.size()];
        const schema::Table& table =
            *std::ranges::find(schema::tables(), schema::table_of(place), &schema::Table::name);
        std::string columns = "ID_";
        std::string values =
            one_in(10) ? literal_for(table.columns.front()) : fmt::format("'row-{:06}'", number);
        for (const schema::Column& column : std::span(table.columns).subspan(1)) {
            const bool is_odd = one_in(6);
            if (is_odd || column.name == "HANDLER_TYPE_" || column.name == "DUEDATE_") {
                columns += fmt::format(", {}", column.name);
                values += is_odd                      ? ", " + literal_for(column)
                          : column.name == "DUEDATE_" ? ", '2025-12-31 12:00:00.000'"
                                                      : ", 'noop'";
            }
        }
        try {
            execute(fmt::format("INSERT INTO {} ({}) VALUES ({})", table.name, columns, values));
            return true;
        } catch (const DbError&) {
            return false;  // Then it harms nobody.
        }
    }

    void insert_good(int number) {
        const std::string id = fmt::format("good-{:05}", number);
        const bool is_timer = number % 20 == 0;
        try {
            execute(fmt::format(
                "INSERT INTO {} (ID_, HANDLER_TYPE_, DUEDATE_, HANDLER_CFG_) "
                "VALUES ('{}', 'noop', '2025-12-31 18:00:00.000', 'good')",
                is_timer ? "ACT_RU_TIMER_JOB" : "ACT_RU_JOB",
                id
            ));
            good_.insert(id);
        } catch (const DbError&) {
            // An odd row has its id.
        }
    }

    /// One pass of everything that a node does by itself. Nothing of it may fail.
    void pass() {
        (void)store_.timers().next_due({});
        move_due_free();
        for (const JobPlace place :
             {JobPlace::executable, JobPlace::timer, JobPlace::external_worker}) {
            (void)store_.executor().reset_expired_locks(place, {.now = clock_.now()});
        }
        run(acquire(50));
        run(store_.executor().acquire(claim_of("node-1"), noop_, 50, "n"));
        for (const JobPlace place : schema::kJobPlaces) {
            (void)store_.jobs().list(place, {}, "", 100);
            (void)store_.jobs().count(place, {});
        }
        (void)store_.jobs().scopes(SuspensionScope::instance, "", 100);
    }

    /// Every third one fails, and waits for its retry or dies.
    void run(const std::vector<Job>& held) {
        std::vector<Outcome> outcomes;
        for (const Job& job : held) {
            const bool is_good = job.payload == "good";
            ran_.insert(job.id);
            outcomes.push_back(
                is_good || !one_in(3) ? completed_outcome(job) : failed_outcome(job)
            );
        }
        apply(outcomes);
    }

    /// Shows and removes what is left, each by its id, long after the last lock has expired.
    void remove_the_rest() {
        const schema::TimePoint late = clock_.now() + std::chrono::years(20);
        for (const JobPlace place : schema::kJobPlaces) {
            for (auto jobs = store_.jobs().list(place, {}, "", 1000); !jobs.empty();
                 jobs = store_.jobs().list(place, {}, "", 1000)) {
                for (const Job& job : jobs) {
                    ASSERT_TRUE(store_.jobs().find(job.id)) << job.id;
                    const std::vector<std::string> ids{job.id};
                    ASSERT_EQ(store_.jobs().remove(place, ids, late).front(), JobAnswer::done)
                        << schema::name_of(place) << " " << job.id;
                }
            }
            EXPECT_EQ(count_rows(schema::table_of(place)), 0) << schema::name_of(place);
        }
    }

    void fuzz() {
        int taken = 0;
        for (int number = 1; number <= rows_wanted(); ++number) {
            taken += insert_odd(number) ? 1 : 0;
            if (number % 10 == 0) {
                insert_good(number);
            }
            if (number % 50 == 0) {
                pass();
            }
        }
        for (int i = 0; i < 40; ++i) {
            clock_.tick(1min);
            pass();
        }
        std::vector<std::string> waiting;
        std::ranges::set_difference(good_, ran_, std::back_inserter(waiting));
        EXPECT_THAT(waiting, IsEmpty());
        EXPECT_FALSE(good_.empty());
        RecordProperty("odd_rows", taken);
        remove_the_rest();
    }

private:
    std::mt19937 random_{seed_wanted()};
    std::set<std::string> good_;
    std::set<std::string> ran_;
};

ON_EVERY_DATABASE(RowFuzz);

TEST_P(RowFuzz, Every_good_job_runs_and_every_odd_row_can_be_shown_and_removed) {
    fuzz();
}

TEST_P(RowFuzz, The_same_holds_where_the_tables_refuse_nothing) {
    allow_odd_values(*connection_);
    fuzz();
}

}  // namespace

}  // namespace jobstrand::test
