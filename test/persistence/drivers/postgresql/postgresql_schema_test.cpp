#include "persistence/migration/schema_migration.hpp"
#include "persistence/migration/table_changes.hpp"
#include "schema/tables.hpp"
#include "test/persistence/adapter_test.hpp"
#include "test/persistence/migration/schema_differences.hpp"

#include <gmock/gmock.h>

namespace jobstrand::test {

namespace {

using persistence::DbErrorKind;
using persistence::upgrade_schema;
using schema::kSchemaVersion;
using testing::IsEmpty;

class PostgresqlSchema : public AdapterTest {
protected:
    [[nodiscard]] std::string type_of(std::string_view table, std::string_view column) {
        return text_of(
            "SELECT CONCAT_WS(' ', format_type(a.atttypid, a.atttypmod), c.collname) "
            "FROM pg_attribute a LEFT JOIN pg_collation c ON c.oid = a.attcollation "
            "WHERE a.attrelid = CAST(? AS text)::regclass AND a.attname = ?",
            {persistence::Value{table}, persistence::Value{column}}
        );
    }
};

INSTANTIATE_TEST_SUITE_P(
    OnPostgresql,
    PostgresqlSchema,
    testing::Values("postgresql"),
    name_of_database
);

TEST_P(PostgresqlSchema, Has_the_types_of_Flowable_and_ids_that_compare_byte_by_byte) {
    upgrade_schema(*connection_);
    EXPECT_EQ(type_of("act_ru_job", "id_"), "character varying(64) C");
    EXPECT_EQ(type_of("act_ru_job", "handler_cfg_"), "character varying(4000) default");
    EXPECT_EQ(type_of("act_ru_job", "duedate_"), "timestamp(3) without time zone");
    EXPECT_EQ(type_of("act_ru_job", "exclusive_"), "boolean");
    EXPECT_EQ(type_of("act_ge_bytearray", "bytes_"), "bytea");
    execute("INSERT INTO ACT_RU_JOB (ID_) VALUES ('a'), ('B'), ('-')");
    EXPECT_EQ(text_of("SELECT STRING_AGG(ID_, ' ' ORDER BY ID_) FROM ACT_RU_JOB"), "- B a");
}

TEST_P(PostgresqlSchema, A_default_time_is_utc_whatever_the_zone_of_the_session_is) {
    upgrade_schema(*connection_);
    connection_->run_script("SET timezone = 'Asia/Tashkent'");
    execute("INSERT INTO ACT_RU_JOB (ID_) VALUES ('a')");
    EXPECT_EQ(
        text_of("SELECT ABS(EXTRACT(EPOCH FROM CREATE_TIME_) - EXTRACT(EPOCH FROM now())) < 60 "
                "FROM ACT_RU_JOB"),
        "t"
    );
}

TEST_P(PostgresqlSchema, Locking_a_job_changes_no_index) {
    upgrade_schema(*connection_);
    execute(
        "INSERT INTO ACT_RU_JOB (ID_, HANDLER_TYPE_) "
        "SELECT 'job ' || number, 'mail' FROM generate_series(1, 1000) AS number"
    );
    connection_->run_script("BEGIN");
    execute("UPDATE ACT_RU_JOB SET LOCK_OWNER_ = repeat('n', 40), LOCK_EXP_TIME_ = now(), REV_ = 2"
    );
    EXPECT_EQ(
        text_of("SELECT pg_stat_get_xact_tuples_hot_updated('act_ru_job'::regclass)"), "1000"
    );
    connection_->run_script("ROLLBACK");
}

TEST_P(PostgresqlSchema, A_database_of_version_3_gets_room_for_locks) {
    upgrade_schema(*connection_);
    connection_->run_script("ALTER TABLE ACT_RU_JOB RESET (fillfactor)");
    execute("UPDATE ACT_GE_PROPERTY SET VALUE_ = '3' WHERE NAME_ = 'jobstrand.schema.version'");
    EXPECT_EQ(upgrade_schema(*connection_).from, 3);
    EXPECT_EQ(
        text_of("SELECT array_to_string(reloptions, ' ') FROM pg_class "
                "WHERE oid = 'act_ru_job'::regclass"),
        "fillfactor=40"
    );
}

TEST_P(PostgresqlSchema, An_upgrade_that_fails_leaves_nothing_behind) {
    // In the way of a table that is created behind several others.
    connection_->run_script("CREATE DOMAIN ACT_RU_DEADLETTER_JOB AS integer");
    EXPECT_THROW(upgrade_schema(*connection_), persistence::DbError);
    connection_->run_script("DROP DOMAIN ACT_RU_DEADLETTER_JOB");
    EXPECT_EQ(text_of("SELECT COUNT(*) FROM pg_tables WHERE schemaname = 'public'"), "0");
    upgrade_schema(*connection_);
    EXPECT_THAT(differences_of(*connection_), IsEmpty());
}

TEST_P(PostgresqlSchema, An_upgrade_may_take_longer_than_any_other_statement) {
    url_.options["statement_timeout"] = "500";
    const auto slow = connect();
    // At the first index, which is enough.
    connection_->run_script(
        "CREATE FUNCTION dawdle() RETURNS event_trigger LANGUAGE plpgsql AS "
        "'BEGIN IF (SELECT COUNT(*) FROM pg_class WHERE relname LIKE ''js_idx_%'') = 1"
        " THEN PERFORM pg_sleep(0.7); END IF; END'"
    );
    connection_->run_script(
        "CREATE EVENT TRIGGER dawdling ON ddl_command_end WHEN TAG IN ('CREATE INDEX') "
        "EXECUTE FUNCTION dawdle()"
    );
    EXPECT_EQ(upgrade_schema(*slow).to, kSchemaVersion);
    EXPECT_EQ(error_of([&] { slow->run_script("SELECT pg_sleep(5)"); }).kind(), DbErrorKind::busy);
}

TEST_P(PostgresqlSchema, Tables_that_the_user_may_not_read_are_denied_and_not_missing) {
    upgrade_schema(*connection_);
    connection_->run_script("DROP ROLE IF EXISTS stranger");
    connection_->run_script("CREATE ROLE stranger LOGIN PASSWORD 'stranger'");
    url_.user = "stranger";
    url_.password = "stranger";
    const auto stranger = connect();
    EXPECT_EQ(
        error_of([&] { persistence::require_current_schema(*stranger); }).kind(),
        DbErrorKind::access_denied
    );
    connection_->run_script("GRANT ALL ON ALL TABLES IN SCHEMA public TO stranger");
    EXPECT_NO_THROW(persistence::require_current_schema(*stranger));
}

// It would look like what a broken-off try has left, and be dropped.
TEST_P(PostgresqlSchema, An_index_that_another_process_is_making_is_left_to_it) {
    upgrade_schema(*connection_);
    const auto other = connect();
    other->run_script("SELECT pg_advisory_lock(7669456938449658223)");
    const auto error =
        error_of([&] { persistence::create_index(*connection_, schema::kPriorityIndex); });
    EXPECT_EQ(error.kind(), DbErrorKind::busy);
    EXPECT_THAT(error.what(), testing::HasSubstr("another process is making an index"));
    EXPECT_FALSE(persistence::has_index(*connection_, schema::kPriorityIndex));
    other->run_script("SELECT pg_advisory_unlock(7669456938449658223)");
    EXPECT_TRUE(persistence::create_index(*connection_, schema::kPriorityIndex));
    EXPECT_TRUE(persistence::create_index(*other, schema::kInstanceIndex)) << "it is free again";
}

TEST_P(PostgresqlSchema, A_user_who_may_not_create_tables_is_told_so) {
    connection_->run_script("DROP ROLE IF EXISTS visitor");
    connection_->run_script("CREATE ROLE visitor LOGIN PASSWORD 'visitor'");
    connection_->run_script("REVOKE CREATE ON SCHEMA public FROM PUBLIC");
    url_.user = "visitor";
    url_.password = "visitor";
    const auto error = error_of([&] { upgrade_schema(*connect()); });
    EXPECT_EQ(error.kind(), DbErrorKind::access_denied);
    EXPECT_THAT(error.what(), testing::HasSubstr("permission denied for schema public"));
}

TEST_P(PostgresqlSchema, Is_found_where_a_name_without_a_schema_leads) {
    connection_->run_script("CREATE SCHEMA jobs");
    connection_->run_script("ALTER DATABASE " + url_.database + " SET search_path = jobs, public");
    connection_ = connect();
    upgrade_schema(*connection_);
    EXPECT_EQ(text_of("SELECT COUNT(*) FROM pg_tables WHERE schemaname = 'public'"), "0");
    EXPECT_THAT(differences_of(*connection_), IsEmpty());
    connection_->run_script("CREATE SCHEMA IF NOT EXISTS other");
    connection_->run_script("SET search_path = other, jobs");
    EXPECT_THAT(differences_of(*connection_), IsEmpty());
}

}  // namespace

}  // namespace jobstrand::test
