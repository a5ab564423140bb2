#include "test/persistence/drivers/opening_test.hpp"

#include <fmt/format.h>

#include <string_view>

namespace jobstrand::test {

namespace {

using persistence::DbError;
using persistence::DbErrorKind;
using testing::AllOf;
using testing::HasSubstr;

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

INSTANTIATE_TEST_SUITE_P(
    OnPostgresql,
    PostgresqlOpening,
    testing::Values("postgresql"),
    name_of_database
);

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
    EXPECT_EQ(
        error_of([&] { static_cast<void>(text_of("SELECT pg_sleep(30)")); }).kind(),
        DbErrorKind::busy
    );
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
    const std::string told = error.what();
    EXPECT_THAT(told, HasSubstr("GRANT CONNECT ON DATABASE " + url_.database));
    execute(told.substr(told.find("GRANT")));
    EXPECT_NO_THROW(static_cast<void>(open_connection(as_nobody())));
}

TEST_P(PostgresqlOpening, Tells_a_server_without_a_connection_left) {
    create_nobody();
    execute("ALTER ROLE nobody CONNECTION LIMIT 0");
    const DbError error = opening_error(as_nobody());
    EXPECT_EQ(error.kind(), DbErrorKind::busy);
    EXPECT_THAT(error.what(), HasSubstr("no connection left"));
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
        const DbError error = opening_error(url);
        EXPECT_EQ(error.kind(), DbErrorKind::other);
        EXPECT_THAT(
            error.what(), AllOf(HasSubstr(std::string(encoding)), HasSubstr("ENCODING 'UTF8'"))
        );
        connection_->run_script(fmt::format("DROP DATABASE {} WITH (FORCE)", name));
    }
}

TEST_P(PostgresqlOpening, Takes_no_server_that_only_reads_where_the_url_asks_for_one_that_writes) {
    create_nobody();
    connection_->run_script("ALTER ROLE nobody SET default_transaction_read_only = on");
    persistence::DatabaseUrl url = as_nobody();
    url.options["target_session_attrs"] = "read-write";
    const DbError error = error_of([&] { (void)open_connection(url); });
    EXPECT_EQ(error.kind(), DbErrorKind::unreachable);
    EXPECT_THAT(error.what(), HasSubstr("read-only"));
    url.options["target_session_attrs"] = "any";
    EXPECT_TRUE(open_connection(url)->is_usable());
    connection_->run_script("DROP ROLE nobody");
}

}  // namespace

}  // namespace jobstrand::test
