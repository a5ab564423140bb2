#include "persistence/drivers/driver.hpp"
#include "persistence/migration/schema_migration.hpp"
#include "persistence/migration/table_changes.hpp"
#include "persistence/sql/many_rows.hpp"
#include "persistence/sql/sql_transaction.hpp"
#include "schema/tables.hpp"
#include "schema/time.hpp"
#include "test/persistence/adapter_test.hpp"
#include "test/persistence/schema_differences.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace jobstrand::test {

namespace {

using persistence::SymptomAnswer;
using persistence::upgrade_schema;
using schema::kSchemaVersion;
using schema::TimePoint;
using testing::Field;

class PostgresqlOpening : public AdapterTest {
protected:
    [[nodiscard]] std::string setting(std::string_view name) {
        return text_of(fmt::format("SHOW {}", name));
    }

    /// A role that may log in and do nothing else; dropped again behind the case.
    void create_nobody() {
        connection_->run_script("DROP ROLE IF EXISTS nobody");
        connection_->run_script("CREATE ROLE nobody LOGIN PASSWORD 'n0b0dy-s3cret'");
    }

    [[nodiscard]] persistence::DatabaseUrl as_nobody() const {
        persistence::DatabaseUrl url = url_;
        url.user = "nobody";
        url.password = "n0b0dy-s3cret";
        return url;
    }
};

ON_POSTGRESQL(PostgresqlOpening);

TEST_P(PostgresqlOpening, Sets_up_the_session_whatever_the_defaults_of_the_server_are) {
    if (is_own_server()) {
        EXPECT_EQ(
            text_of("SELECT boot_val || ' ' || reset_val FROM pg_settings WHERE name = 'TimeZone'"),
            "GMT Asia/Tashkent"
        );
    }
    EXPECT_EQ(setting("transaction_isolation"), "read committed");
    EXPECT_EQ(setting("timezone"), "UTC");
    EXPECT_EQ(setting("datestyle"), "ISO, YMD");
    EXPECT_EQ(setting("client_encoding"), "UTF8");
    EXPECT_EQ(setting("statement_timeout"), "30s");
    EXPECT_EQ(setting("lock_timeout"), "5s");
    EXPECT_EQ(setting("idle_in_transaction_session_timeout"), "10min");
    EXPECT_EQ(setting("application_name"), "jobstrand");
    EXPECT_EQ(setting("plan_cache_mode"), "force_generic_plan");
    EXPECT_EQ(setting("enable_seqscan"), "off");
    EXPECT_EQ(setting("max_parallel_workers_per_gather"), "0");
    EXPECT_EQ(setting("jit"), "off");
    EXPECT_EQ(setting("synchronous_commit"), "on");
    EXPECT_EQ(text_of("SELECT current_database()"), url_.database);
}

TEST_P(PostgresqlOpening, Does_as_the_url_says) {
    url_.options = {
        {"statement_timeout", "PT1S"},
        {"lock_timeout", "PT2S"},
        {"application_name", "it's mine"},
        {"synchronous_commit", "off"},
        {"ssl", "off"}};
    connection_ = connect();
    EXPECT_EQ(setting("lock_timeout"), "2s");
    EXPECT_EQ(setting("application_name"), "it's mine");
    EXPECT_EQ(setting("synchronous_commit"), "off");
    expect_error(DbErrorKind::busy, [&] { static_cast<void>(text_of("SELECT pg_sleep(30)")); });
    EXPECT_TRUE(connection_->is_usable());
}

TEST_P(PostgresqlOpening, Leaves_the_durability_as_the_server_has_it) {
    execute(fmt::format("ALTER DATABASE {} SET synchronous_commit = local", url_.database));
    connection_ = connect();
    EXPECT_EQ(setting("synchronous_commit"), "local");
}

TEST_P(PostgresqlOpening, Tells_a_missing_password) {
    url_.password.clear();
    const DbError error = error_of([&] { static_cast<void>(open_connection(url_)); });
    EXPECT_THAT(error.what(), HasSubstr("none was found"));
}

TEST_P(PostgresqlOpening, Tells_missing_rights) {
    create_nobody();
    execute(fmt::format("REVOKE CONNECT ON DATABASE {} FROM PUBLIC", url_.database));
    const DbError error = opening_error(as_nobody());
    EXPECT_EQ(error.kind(), DbErrorKind::access_denied);
    EXPECT_THAT(error.what(), HasSubstr("GRANT CONNECT ON DATABASE " + url_.database));
    grant_as_told(error);
    EXPECT_NO_THROW(static_cast<void>(open_connection(as_nobody())));
}

TEST_P(PostgresqlOpening, Tells_a_server_without_a_connection_left) {
    create_nobody();
    execute("ALTER ROLE nobody CONNECTION LIMIT 0");
    expect_opening_error(as_nobody(), DbErrorKind::busy, HasSubstr("no connection left"));
}

TEST_P(PostgresqlOpening, Tells_a_database_that_cannot_hold_every_character) {
    for (const std::string_view encoding : {"LATIN1", "SQL_ASCII"}) {
        const std::string name = fmt::format("{}_narrow", url_.database);
        connection_->run_script(fmt::format(
            "CREATE DATABASE {} ENCODING '{}' LOCALE 'C' LOCALE_PROVIDER libc TEMPLATE template0",
            name,
            encoding
        ));
        persistence::DatabaseUrl url = url_;
        url.database = name;
        expect_opening_error(
            url,
            DbErrorKind::other,
            AllOf(HasSubstr(std::string(encoding)), HasSubstr("ENCODING 'UTF8'"))
        );
        connection_->run_script(fmt::format("DROP DATABASE {} WITH (FORCE)", name));
    }
}

TEST_P(PostgresqlOpening, Takes_no_server_that_only_reads_where_the_url_asks_for_one_that_writes) {
    create_nobody();
    connection_->run_script("ALTER ROLE nobody SET default_transaction_read_only = on");
    persistence::DatabaseUrl url = as_nobody();
    url.options["target_session_attrs"] = "read-write";
    expect_error(DbErrorKind::unreachable, HasSubstr("read-only"), [&] {
        (void)open_connection(url);
    });
    url.options["target_session_attrs"] = "any";
    EXPECT_TRUE(open_connection(url)->is_usable());
    connection_->run_script("DROP ROLE nobody");
}

/// What only PostgreSQL does with a connection.
class PostgresqlConnectionTest : public AdapterTest {
protected:
    void prepare() override { create_note_table(); }

    [[nodiscard]] std::string prepared_statements() {
        return text_of("SELECT COUNT(*) FROM pg_prepared_statements");
    }
};

ON_POSTGRESQL(PostgresqlConnectionTest);

TEST_P(PostgresqlConnectionTest, A_time_of_others_may_have_microseconds) {
    connection_->run_script("ALTER TABLE NOTE ALTER COLUMN TIME_ TYPE timestamp");
    execute("INSERT INTO NOTE (ID_, TIME_) VALUES ('a', '2026-03-08 07:30:00.001999')");
    const TimePoint time =
        std::chrono::sys_days(std::chrono::year{2026} / 3 / 8) + 7h + 30min + 1ms;
    read_note("a", [&](const Row& row) { EXPECT_EQ(row.time(3), time); });
}

TEST_P(PostgresqlConnectionTest, A_text_with_a_nul_character_is_refused_and_nothing_is_cut) {
    const std::string text("a\0b", 3);
    expect_error(
        DbErrorKind::too_long,
        "a text has a NUL character in it, which PostgreSQL cannot store",
        [&] { execute("INSERT INTO NOTE (ID_, TEXT_) VALUES ('a', ?)", {Value{text}}); }
    );
    EXPECT_EQ(text_of("SELECT COUNT(*) FROM NOTE"), "0");
    EXPECT_TRUE(connection_->is_usable());
}

TEST_P(PostgresqlConnectionTest, A_text_that_is_not_utf8_is_refused) {
    expect_error(DbErrorKind::too_long, [&] {
        execute("INSERT INTO NOTE (ID_, TEXT_) VALUES ('a', ?)", {Value{"\xff"}});
    });
}

TEST_P(PostgresqlConnectionTest, A_statement_whose_table_was_changed_works_at_the_next_try) {
    execute("INSERT INTO NOTE (ID_, TEXT_) VALUES ('a', 'text')");
    read_note("a", [](const Row&) {});
    connect()->run_script(
        "ALTER TABLE NOTE ALTER COLUMN NUMBER_ TYPE integer, ADD COLUMN LAST_ integer"
    );
    expect_error(DbErrorKind::conflict, [&] { read_note("a", [](const Row&) {}); });
    read_note("a", [](const Row& row) { EXPECT_EQ(row.text(0), "text"); });
}

TEST_P(PostgresqlConnectionTest, A_statement_that_the_server_does_not_know_is_refused_at_each_try) {
    for (int i = 0; i < 3; ++i) {
        expect_error(DbErrorKind::other, [&] {
            execute("SELECT DISTINCT ID_ FROM NOTE FOR UPDATE");
        });
    }
}

// A table with row-level security is one of those.
TEST_P(PostgresqlConnectionTest, Rows_that_no_copy_may_write_are_inserted_at_the_next_try) {
    connection_->run_script(
        "DROP ROLE IF EXISTS tenant; CREATE ROLE tenant; GRANT ALL ON NOTE TO tenant;"
        "ALTER TABLE NOTE ENABLE ROW LEVEL SECURITY;"
        "CREATE POLICY everything ON NOTE USING (true); SET ROLE tenant"
    );
    constexpr std::array<std::string_view, 1> kColumns{"ID_"};
    persistence::NewRows rows{.table = "NOTE", .columns = kColumns};
    for (const std::string_view id :
         {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p"}) {
        rows.values.emplace_back(id);
    }
    const auto insert = [&] {
        Transaction transaction(*connection_);
        insert_all(transaction, rows);
        transaction.commit();
    };
    expect_error(DbErrorKind::conflict, insert);  // It is run again.
    insert();
    EXPECT_EQ(text_of("SELECT COUNT(*) FROM NOTE"), "16");
    connection_->run_script("RESET ROLE; DROP OWNED BY tenant; DROP ROLE tenant");
}

TEST_P(PostgresqlConnectionTest, A_failed_transaction_leaves_no_prepared_statement_behind) {
    const std::string_view insert = "INSERT INTO NOTE (ID_) VALUES (?)";
    execute(insert, {Value{"a"}});
    const std::string before = prepared_statements();
    for (int i = 0; i < 10; ++i) {
        connection_->begin();
        EXPECT_THROW(execute(insert, {Value{"a"}}), DbError);
        connection_->rollback();
    }
    execute(insert, {Value{"b"}});
    EXPECT_EQ(prepared_statements(), before);
}

TEST_P(PostgresqlConnectionTest, A_commit_behind_a_failed_statement_says_that_it_did_not_commit) {
    connection_->begin();
    execute("INSERT INTO NOTE (ID_) VALUES ('a')");
    EXPECT_THROW(execute("INSERT INTO NOTE (ID_) VALUES ('a')"), DbError);
    expect_error(DbErrorKind::conflict, [&] { connection_->commit(); });
    EXPECT_EQ(text_of("SELECT COUNT(*) FROM NOTE"), "0");
}

TEST_P(PostgresqlConnectionTest, An_error_names_the_constraint_and_not_the_key) {
    const auto error = error_of([&] {
        execute("INSERT INTO NOTE (ID_) VALUES (?), (?)", {Value{"k"}, Value{"k"}});
    });
    EXPECT_STREQ(
        error.what(),
        "INSERT INTO NOTE (ID_) VALUES (?), (?): duplicate key value violates unique constraint "
        "\"note_pkey\" (23505)"
    );
}

TEST_P(PostgresqlConnectionTest, Writes_although_the_role_reads_only_by_default) {
    execute("ALTER DATABASE " + url_.database + " SET default_transaction_read_only = on");
    const auto other = connect();
    Transaction transaction(*other);
    transaction.execute("INSERT INTO NOTE (ID_) VALUES ('a')");
    transaction.commit();
    EXPECT_EQ(text_of("SELECT COUNT(*) FROM NOTE"), "1");
}

class PostgresqlSchema : public AdapterTest {
protected:
    [[nodiscard]] std::string type_of(std::string_view table, std::string_view column) {
        return text_of(
            "SELECT CONCAT_WS(' ', format_type(a.atttypid, a.atttypmod), c.collname) "
            "FROM pg_attribute a LEFT JOIN pg_collation c ON c.oid = a.attcollation "
            "WHERE a.attrelid = CAST(? AS text)::regclass AND a.attname = ?",
            {Value{table}, Value{column}}
        );
    }
};

ON_POSTGRESQL(PostgresqlSchema);

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
    EXPECT_THROW(upgrade_schema(*connection_), DbError);
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
    expect_error(DbErrorKind::busy, [&] { slow->run_script("SELECT pg_sleep(5)"); });
}

TEST_P(PostgresqlSchema, Tables_that_the_user_may_not_read_are_denied_and_not_missing) {
    upgrade_schema(*connection_);
    connection_->run_script("DROP ROLE IF EXISTS stranger");
    connection_->run_script("CREATE ROLE stranger LOGIN PASSWORD 'stranger'");
    url_.user = "stranger";
    url_.password = "stranger";
    const auto stranger = connect();
    expect_error(DbErrorKind::access_denied, [&] {
        persistence::require_current_schema(*stranger);
    });
    connection_->run_script("GRANT ALL ON ALL TABLES IN SCHEMA public TO stranger");
    EXPECT_NO_THROW(persistence::require_current_schema(*stranger));
}

// It would look like what a broken-off try has left, and be dropped.
TEST_P(PostgresqlSchema, An_index_that_another_process_is_making_is_left_to_it) {
    upgrade_schema(*connection_);
    const auto other = connect();
    other->run_script("SELECT pg_advisory_lock(7669456938449658223)");
    expect_error(DbErrorKind::busy, HasSubstr("another process is making an index"), [&] {
        persistence::create_index(*connection_, schema::kPriorityIndex);
    });
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
    expect_error(DbErrorKind::access_denied, HasSubstr("permission denied for schema public"), [&] {
        upgrade_schema(*connect());
    });
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

ON_POSTGRESQL(PostgresqlSymptoms);

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
