#include "persistence/schema_migration.hpp"
#include "schema/ddl.hpp"
#include "test/persistence/adapter_test.hpp"
#include "test/persistence/schema_differences.hpp"

#include <gmock/gmock.h>

#include <future>

namespace jobstrand::test {

namespace {

using persistence::check_schema;
using persistence::DbErrorKind;
using persistence::SchemaDifference;
using persistence::upgrade_schema;
using schema::kSchemaVersion;
using testing::IsEmpty;

/// The tables of a server; those of a SQLite file are in schema_migration_test.cpp.
class ServerSchema : public AdapterTest {};

INSTANTIATE_TEST_SUITE_P(
    OnEveryServer,
    ServerSchema,
    testing::ValuesIn(kEveryServer),
    name_of_kind
);

TEST_P(ServerSchema, An_empty_database_gets_all_tables) {
    const auto result = upgrade_schema(*connection_);
    EXPECT_EQ(result.from, 0);
    EXPECT_EQ(result.to, kSchemaVersion);
    EXPECT_THAT(differences_of(*connection_), IsEmpty());
    EXPECT_NO_THROW(persistence::require_current_schema(*connection_));
}

TEST_P(ServerSchema, The_printed_schema_is_the_one_that_is_created) {
    for (const std::string& statement : schema::create_statements(GetParam())) {
        connection_->run_script(statement);
    }
    EXPECT_EQ(persistence::schema_version(*connection_), kSchemaVersion);
    EXPECT_THAT(differences_of(*connection_), IsEmpty());
}

TEST_P(ServerSchema, A_second_upgrade_changes_nothing) {
    upgrade_schema(*connection_);
    EXPECT_EQ(upgrade_schema(*connection_).from, kSchemaVersion);
    EXPECT_EQ(text_of("SELECT COUNT(*) FROM ACT_GE_PROPERTY"), "1");
}

TEST_P(ServerSchema, What_is_missing_is_found_and_mended) {
    upgrade_schema(*connection_);
    connection_->run_script("ALTER TABLE ACT_RU_JOB DROP COLUMN PRIORITY_");
    connection_->run_script(
        GetParam() == DatabaseKind::mysql ? "DROP INDEX JS_IDX_TIMER_DUE ON ACT_RU_TIMER_JOB"
                                          : "DROP INDEX JS_IDX_TIMER_DUE"
    );
    connection_->run_script("DROP TABLE ACT_RU_DEADLETTER_JOB");
    EXPECT_THAT(
        differences_of(*connection_),
        testing::ElementsAre(
            "the column ACT_RU_JOB.PRIORITY_ is missing",
            "the index JS_IDX_TIMER_DUE of ACT_RU_TIMER_JOB is missing",
            "the table ACT_RU_DEADLETTER_JOB is missing"
        )
    );
    for (const SchemaDifference& difference : check_schema(*connection_)) {
        connection_->run_script(difference.mend);
    }
    EXPECT_THAT(differences_of(*connection_), IsEmpty());
}

TEST_P(ServerSchema, A_database_of_a_newer_program_is_refused) {
    upgrade_schema(*connection_);
    execute("UPDATE ACT_GE_PROPERTY SET VALUE_ = '999'");
    EXPECT_EQ(error_of([&] { upgrade_schema(*connection_); }).kind(), DbErrorKind::other);
}

TEST_P(ServerSchema, Several_nodes_at_once_create_it_once) {
    std::vector<std::future<int>> nodes;
    for (int i = 0; i < 4; ++i) {
        nodes.push_back(std::async(std::launch::async, [this] {
            return upgrade_schema(*connect()).from;
        }));
    }
    int created = 0;
    for (std::future<int>& node : nodes) {
        created += node.get() == 0 ? 1 : 0;
    }
    EXPECT_EQ(created, 1);
    EXPECT_THAT(differences_of(*connection_), IsEmpty());
}

}  // namespace

}  // namespace jobstrand::test
