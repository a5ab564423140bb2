#include "persistence/drivers/driver.hpp"
#include "persistence/migration/schema_migration.hpp"
#include "test/persistence/adapter_test.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace jobstrand::test {

namespace {

using persistence::SymptomAnswer;
using testing::AllOf;
using testing::Field;
using testing::HasSubstr;

/// What a server is asked about what keeps deleted jobs in the way of all claims.
class PostgresqlSymptoms : public AdapterTest {
protected:
    void prepare() override { persistence::upgrade_schema(*connection_); }

    [[nodiscard]] SymptomAnswer answer_about(std::string_view name) {
        const auto& symptoms = persistence::find_driver("postgresql")->diagnostics.symptoms;
        using persistence::Diagnostics;
        const auto symptom = std::ranges::find(symptoms, name, &Diagnostics::Symptom::name);
        return persistence::ask_about(*connection_, *symptom);
    }
};

/// A slot is the whole server's, and outlives its connection.
class Slot final {
public:
    Slot(persistence::Connection& connection, std::string name)
        : connection_(connection), name_(std::move(name)) {
        connection_.run_script("SELECT pg_create_physical_replication_slot('" + name_ + "', true)");
    }
    ~Slot() { connection_.run_script("SELECT pg_drop_replication_slot('" + name_ + "')"); }

    Slot(const Slot&) = delete;
    Slot& operator=(const Slot&) = delete;

private:
    persistence::Connection& connection_;
    const std::string name_;
};

INSTANTIATE_TEST_SUITE_P(
    OnPostgresql,
    PostgresqlSymptoms,
    testing::Values("postgresql"),
    name_of_database
);

TEST_P(PostgresqlSymptoms, Name_an_old_reader_with_its_application_and_what_it_does) {
    const auto report = connect();
    report->run_script("SET application_name = 'monthly report'");
    report->run_script("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1");
    const SymptomAnswer answer = answer_about("oldest transaction");
    EXPECT_THAT(
        answer.words,
        AllOf(HasSubstr("pid "), HasSubstr("monthly report"), HasSubstr("idle in transaction"))
    );
    EXPECT_GE(answer.number, 0);
    report->run_script("ROLLBACK");
    EXPECT_EQ(answer_about("oldest transaction").number, std::nullopt) << "it is gone";
}

TEST_P(PostgresqlSymptoms, Name_a_replication_slot_that_nobody_uses) {
    const Slot slot(*connection_, "jobstrand_symptom");
    const SymptomAnswer answer = answer_about("WAL kept for a replication slot");
    EXPECT_EQ(answer.error, "");
    EXPECT_EQ(answer.words, "jobstrand_symptom, not in use");
    EXPECT_GE(answer.number, 0);
}

TEST_P(PostgresqlSymptoms, Tell_that_nobody_vacuums_the_jobs) {
    EXPECT_THAT(
        answer_about("autovacuum"),
        AllOf(Field(&SymptomAnswer::number, 0), Field(&SymptomAnswer::words, "on"))
    );
    connection_->run_script("ALTER TABLE ACT_RU_JOB SET (autovacuum_enabled = false)");
    EXPECT_THAT(
        answer_about("autovacuum"),
        AllOf(Field(&SymptomAnswer::number, 1), Field(&SymptomAnswer::words, "off for act_ru_job"))
    );
}

}  // namespace
}  // namespace jobstrand::test
