#include "persistence/drivers/postgresql/errors.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

namespace jobstrand::persistence {

namespace {

using testing::HasSubstr;

struct Case {
    std::string_view name;
    std::string_view sqlstate;
    DbErrorKind expected = DbErrorKind::other;
};

constexpr std::array kCases{
    Case{"deadlock", "40P01", DbErrorKind::conflict},
    Case{"serialization failure", "40001", DbErrorKind::conflict},
    Case{"table altered meanwhile", "0A000", DbErrorKind::conflict},
    Case{"lock not available", "55P03", DbErrorKind::busy},
    Case{"statement timeout", "57014", DbErrorKind::busy},
    Case{"too many connections", "53300", DbErrorKind::busy},
    Case{"out of memory", "53200", DbErrorKind::busy},
    Case{"object in use", "55006", DbErrorKind::busy},
    Case{"terminated by an administrator", "57P01", DbErrorKind::connection_lost},
    Case{"terminated by a crash", "57P02", DbErrorKind::connection_lost},
    Case{"starting up", "57P03", DbErrorKind::connection_lost},
    Case{"idle for too long", "57P05", DbErrorKind::connection_lost},
    Case{"idle in a transaction for too long", "25P03", DbErrorKind::connection_lost},
    Case{"connection failure", "08006", DbErrorKind::connection_lost},
    Case{"protocol violation", "08P01", DbErrorKind::connection_lost},
    Case{"another server behind a pooler", "26000", DbErrorKind::connection_lost},
    Case{"duplicate", "23505", DbErrorKind::duplicate_key},
    Case{"column exists", "42701", DbErrorKind::duplicate_key},
    Case{"table exists", "42P07", DbErrorKind::duplicate_key},
    Case{"text too long", "22001", DbErrorKind::too_long},
    Case{"number too large", "22003", DbErrorKind::too_long},
    Case{"time out of range", "22008", DbErrorKind::too_long},
    Case{"not a character", "22021", DbErrorKind::too_long},
    Case{"statement too large", "54000", DbErrorKind::too_long},
    Case{"read-only transaction, or a standby", "25006", DbErrorKind::read_only},
    Case{"disk full", "53100", DbErrorKind::storage_full},
    Case{"wrong password", "28P01", DbErrorKind::access_denied},
    Case{"not in pg_hba.conf", "28000", DbErrorKind::access_denied},
    Case{"missing rights", "42501", DbErrorKind::access_denied},
    Case{"no such database", "3D000", DbErrorKind::unreachable},
    Case{"no such table", "42P01", DbErrorKind::schema_missing},
    Case{"no such column", "42703", DbErrorKind::schema_missing},
    Case{"no such schema", "3F000", DbErrorKind::schema_missing},
    Case{"syntax", "42601", DbErrorKind::other},
    Case{"foreign key", "23503", DbErrorKind::other},
    Case{"failed transaction", "25P02", DbErrorKind::other},
    Case{"internal", "XX000", DbErrorKind::other},
    Case{"none", "", DbErrorKind::other},
    Case{"none of SOCI", "     ", DbErrorKind::other},
};

TEST(PostgresqlErrorKind, Is_told_by_the_sqlstate) {
    for (const Case& one : kCases) {
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
        HasSubstr("user or password")
    );
    EXPECT_THAT(postgresql_connect_advice("28000", {}), HasSubstr("pg_hba.conf"));
    EXPECT_THAT(postgresql_connect_advice("42501", {}), HasSubstr("GRANT CONNECT"));
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

}  // namespace

}  // namespace jobstrand::persistence
