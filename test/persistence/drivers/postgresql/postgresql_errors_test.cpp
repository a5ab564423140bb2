#include "persistence/drivers/postgresql/postgresql_errors.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

namespace jobstrand::persistence {

namespace {

using testing::HasSubstr;

struct PostgresqlCase {
    std::string_view name;
    std::string_view sqlstate;
    DbErrorKind expected = DbErrorKind::other;
};

constexpr std::array kPostgresqlCases{
    PostgresqlCase{"deadlock", "40P01", DbErrorKind::conflict},
    PostgresqlCase{"serialization failure", "40001", DbErrorKind::conflict},
    PostgresqlCase{"table altered meanwhile", "0A000", DbErrorKind::conflict},
    PostgresqlCase{"lock not available", "55P03", DbErrorKind::busy},
    PostgresqlCase{"statement timeout", "57014", DbErrorKind::busy},
    PostgresqlCase{"too many connections", "53300", DbErrorKind::busy},
    PostgresqlCase{"out of memory", "53200", DbErrorKind::busy},
    PostgresqlCase{"object in use", "55006", DbErrorKind::busy},
    PostgresqlCase{"terminated by an administrator", "57P01", DbErrorKind::connection_lost},
    PostgresqlCase{"terminated by a crash", "57P02", DbErrorKind::connection_lost},
    PostgresqlCase{"starting up", "57P03", DbErrorKind::connection_lost},
    PostgresqlCase{"idle for too long", "57P05", DbErrorKind::connection_lost},
    PostgresqlCase{"idle in a transaction for too long", "25P03", DbErrorKind::connection_lost},
    PostgresqlCase{"connection failure", "08006", DbErrorKind::connection_lost},
    PostgresqlCase{"protocol violation", "08P01", DbErrorKind::connection_lost},
    PostgresqlCase{"another server behind a pooler", "26000", DbErrorKind::connection_lost},
    PostgresqlCase{"duplicate", "23505", DbErrorKind::duplicate_key},
    PostgresqlCase{"column exists", "42701", DbErrorKind::duplicate_key},
    PostgresqlCase{"table exists", "42P07", DbErrorKind::duplicate_key},
    PostgresqlCase{"text too long", "22001", DbErrorKind::too_long},
    PostgresqlCase{"number too large", "22003", DbErrorKind::too_long},
    PostgresqlCase{"time out of range", "22008", DbErrorKind::too_long},
    PostgresqlCase{"not a character", "22021", DbErrorKind::too_long},
    PostgresqlCase{"statement too large", "54000", DbErrorKind::too_long},
    PostgresqlCase{"read-only transaction, or a standby", "25006", DbErrorKind::read_only},
    PostgresqlCase{"disk full", "53100", DbErrorKind::storage_full},
    PostgresqlCase{"wrong password", "28P01", DbErrorKind::access_denied},
    PostgresqlCase{"not in pg_hba.conf", "28000", DbErrorKind::access_denied},
    PostgresqlCase{"missing rights", "42501", DbErrorKind::access_denied},
    PostgresqlCase{"no such database", "3D000", DbErrorKind::unreachable},
    PostgresqlCase{"no such table", "42P01", DbErrorKind::schema_missing},
    PostgresqlCase{"no such column", "42703", DbErrorKind::schema_missing},
    PostgresqlCase{"no such schema", "3F000", DbErrorKind::schema_missing},
    PostgresqlCase{"syntax", "42601", DbErrorKind::other},
    PostgresqlCase{"foreign key", "23503", DbErrorKind::other},
    PostgresqlCase{"failed transaction", "25P02", DbErrorKind::other},
    PostgresqlCase{"internal", "XX000", DbErrorKind::other},
    PostgresqlCase{"none", "", DbErrorKind::other},
    PostgresqlCase{"none of SOCI", "     ", DbErrorKind::other},
};

TEST(PostgresqlErrorKind, Is_told_by_the_sqlstate) {
    for (const PostgresqlCase& one : kPostgresqlCases) {
        EXPECT_EQ(name_of(classify_postgresql(one.sqlstate)), name_of(one.expected)) << one.name;
    }
}

TEST(PostgresqlConnectError, A_server_that_lets_nobody_in_is_unreachable) {
    for (const std::string_view sqlstate : {"", "57P03", "57P01", "3D000", "08006", "XX000"}) {
        EXPECT_EQ(name_of(classify_postgresql_connect(sqlstate, {})), "unreachable") << sqlstate;
    }
    EXPECT_EQ(name_of(classify_postgresql_connect("28P01", {})), "access_denied");
    EXPECT_EQ(name_of(classify_postgresql_connect("42501", {})), "access_denied");
    EXPECT_EQ(name_of(classify_postgresql_connect("53300", {})), "busy");
    EXPECT_EQ(
        name_of(classify_postgresql_connect({}, "received invalid response to SSL negotiation: S")),
        "not_a_database"
    );
}

TEST(PostgresqlConnectError, Comes_with_advice_for_every_ordinary_mistake) {
    EXPECT_THAT(postgresql_connect_advice({}, "Connection refused"), HasSubstr("host and port"));
    EXPECT_THAT(
        postgresql_connect_advice({}, "could not translate host name \"x\" to address"),
        HasSubstr("correct its name")
    );
    EXPECT_THAT(postgresql_connect_advice("28P01", {}), HasSubstr("user or password"));
    EXPECT_THAT(
        postgresql_connect_advice({}, "fe_sendauth: no password supplied"),
        HasSubstr("none was found")
    );
    EXPECT_THAT(postgresql_connect_advice("28000", {}), HasSubstr("pg_hba.conf"));
    EXPECT_THAT(postgresql_connect_advice("42501", {}), HasSubstr("no rights there"));
    EXPECT_THAT(postgresql_connect_advice("3D000", {}), HasSubstr("create it first"));
    EXPECT_THAT(postgresql_connect_advice("53300", {}), HasSubstr("max_connections"));
    EXPECT_THAT(postgresql_connect_advice("57P03", {}), HasSubstr("try again"));
    EXPECT_THAT(
        postgresql_connect_advice({}, "server does not support SSL, but SSL was required"),
        HasSubstr("TLS")
    );
    EXPECT_THAT(
        postgresql_connect_advice(
            {}, "expected authentication request from server, but received H"
        ),
        HasSubstr("not a PostgreSQL server")
    );
    EXPECT_THAT(postgresql_connect_advice("XX000", {}), testing::IsEmpty());
}

TEST(PostgresqlErrorText, Is_one_line_without_the_word_for_the_severity) {
    EXPECT_EQ(
        postgresql_error_text("SELECT", "FEHLER:  Syntaxfehler\nZEILE 1:\tselect\n", "42601"),
        "SELECT: Syntaxfehler ZEILE 1: select (42601)"
    );
    EXPECT_EQ(postgresql_error_text("SELECT", "no code", "     "), "SELECT: no code");
}

TEST(PostgresqlErrorText, Says_what_is_wrong_with_a_value_before_the_servers_words) {
    EXPECT_EQ(
        postgresql_error_text("SELECT", "ERROR:  invalid byte sequence: 0xff", "22021"),
        "SELECT: a text that was given is not valid UTF-8: invalid byte sequence: 0xff (22021)"
    );
    EXPECT_EQ(
        postgresql_error_text("SELECT", "no equivalent", "22P05"),
        "SELECT: a character has no place in the encoding of the database: it must be UTF8: no "
        "equivalent (22P05)"
    );
}

TEST(PostgresqlErrorText, Is_never_empty) {
    for (const std::string_view said : {"", "\n", "ERROR:  \n"}) {
        EXPECT_EQ(
            postgresql_error_text("SELECT", said, {}), "SELECT: the client library gives no reason"
        );
    }
}

}  // namespace

}  // namespace jobstrand::persistence
