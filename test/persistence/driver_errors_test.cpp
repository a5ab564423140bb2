#include "persistence/drivers/mysql/mysql_database.hpp"
#include "persistence/drivers/mysql/mysql_errors.hpp"
#include "persistence/drivers/postgresql/postgresql_database.hpp"
#include "persistence/drivers/postgresql/postgresql_errors.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace jobstrand::persistence {

namespace {

using testing::HasSubstr;
using testing::Optional;

struct MysqlCase {
    std::string_view name;
    int code = 0;
    DbErrorKind expected = DbErrorKind::other;
    std::string_view message = {};
};

constexpr auto kNoTablet =
    "target: jobs.0.primary: no healthy tablet available for 'keyspace:\"jobs\" shard:\"0\"'";
constexpr std::string_view kReadOnlyServer =
    "The MariaDB server is running with the --read-only option so it cannot execute this statement";

constexpr std::string_view kLargeParameter =
    "Parameter of prepared statement which is set through mysql_send_long_data() is longer than "
    "'max_allowed_packet' bytes";

constexpr std::array kCases{
    MysqlCase{"deadlock", 1213, DbErrorKind::conflict},
    MysqlCase{"snapshot too old", 1020, DbErrorKind::conflict},
    MysqlCase{"table altered meanwhile", 1412, DbErrorKind::conflict},
    MysqlCase{"prepared for another table", 1615, DbErrorKind::conflict},
    MysqlCase{"lost certification of group replication", 3101, DbErrorKind::conflict},
    MysqlCase{"lock wait timeout", 1205, DbErrorKind::busy},
    MysqlCase{"nowait", 3572, DbErrorKind::busy},
    MysqlCase{"statement timeout of mariadb", 1969, DbErrorKind::busy},
    MysqlCase{"statement timeout of mysql", 3024, DbErrorKind::busy},
    MysqlCase{"query killed", 1317, DbErrorKind::busy},
    MysqlCase{"too many connections", 1040, DbErrorKind::busy},
    MysqlCase{"too many connections of the user", 1203, DbErrorKind::busy},
    MysqlCase{"too many prepared statements", 1461, DbErrorKind::busy},
    MysqlCase{"a way to log in that was not allowed", 5010, DbErrorKind::access_denied},
    MysqlCase{"server gone", 2006, DbErrorKind::connection_lost},
    MysqlCase{"lost during query", 2013, DbErrorKind::connection_lost},
    MysqlCase{"lost with reason", 2055, DbErrorKind::connection_lost},
    MysqlCase{"shutdown in progress", 1053, DbErrorKind::connection_lost},
    MysqlCase{"killed on mariadb", 1927, DbErrorKind::connection_lost},
    MysqlCase{"killed on mysql", 3169, DbErrorKind::connection_lost},
    MysqlCase{"idle for too long", 4031, DbErrorKind::connection_lost},
    MysqlCase{"galera node without cluster", 1047, DbErrorKind::connection_lost},
    MysqlCase{"galera commit without answer", 1180, DbErrorKind::in_doubt},
    MysqlCase{"duplicate", 1062, DbErrorKind::duplicate_key},
    MysqlCase{"duplicate with key name", 1586, DbErrorKind::duplicate_key},
    MysqlCase{"column exists", 1060, DbErrorKind::duplicate_key},
    MysqlCase{"index exists", 1061, DbErrorKind::duplicate_key},
    MysqlCase{"text too long", 1406, DbErrorKind::too_long},
    MysqlCase{"number too large", 1264, DbErrorKind::too_long},
    MysqlCase{"time out of range", 1292, DbErrorKind::too_long},
    MysqlCase{"id outside of ascii", 1267, DbErrorKind::too_long},
    MysqlCase{"character outside of utf8mb3", 1366, DbErrorKind::too_long},
    MysqlCase{"character outside of utf8mb3 on mysql", 3988, DbErrorKind::too_long},
    MysqlCase{"packet too large", 1153, DbErrorKind::too_long},
    MysqlCase{"parameter too large", 1105, DbErrorKind::too_long, kLargeParameter},
    MysqlCase{"unknown error", 1105, DbErrorKind::other, "Unknown error"},
    MysqlCase{"vitess without a primary", 1105, DbErrorKind::connection_lost, kNoTablet},
    MysqlCase{
        "vitess in a reparent",
        1105,
        DbErrorKind::connection_lost,
        "vttablet: rpc error: code = Code(17) desc = operation not allowed in state SHUTTING_DOWN"},
    MysqlCase{
        "vitess that has buffered for too long",
        1105,
        DbErrorKind::connection_lost,
        "primary is not serving, there may be a reparent operation in progress"},
    MysqlCase{
        "vitess whose tablet went down in a transaction",
        1105,
        DbErrorKind::connection_lost,
        "VT15001: transaction error, issue ROLLBACK and retry the transaction"},
    MysqlCase{
        "vitess without a tablet",
        1105,
        DbErrorKind::connection_lost,
        "vttablet: rpc error: code = Unavailable desc = connection refused"},
    MysqlCase{"vitess and a statement", 1235, DbErrorKind::other, "VT12001: unsupported"},
    MysqlCase{"read only server", 1290, DbErrorKind::read_only, kReadOnlyServer},
    MysqlCase{"another option", 1290, DbErrorKind::other, "running with --skip-grant-tables"},
    MysqlCase{"read only transaction", 1792, DbErrorKind::read_only},
    MysqlCase{"read only engine", 1836, DbErrorKind::read_only},
    MysqlCase{"disk full", 1021, DbErrorKind::storage_full},
    MysqlCase{"table full", 1114, DbErrorKind::storage_full},
    MysqlCase{"disk full of mysql", 3675, DbErrorKind::storage_full},
    MysqlCase{
        "disk full in words",
        1026,
        DbErrorKind::storage_full,
        "(\"No space left on device\")"},
    MysqlCase{"wrong password", 1045, DbErrorKind::access_denied},
    MysqlCase{"no rights on database", 1044, DbErrorKind::access_denied},
    MysqlCase{"no rights on table", 1142, DbErrorKind::access_denied},
    MysqlCase{"no special right", 1227, DbErrorKind::access_denied},
    MysqlCase{"tls required", 3159, DbErrorKind::access_denied},
    MysqlCase{"unknown database", 1049, DbErrorKind::unreachable},
    MysqlCase{"unknown host", 2005, DbErrorKind::unreachable},
    MysqlCase{"lost tls", 2026, DbErrorKind::connection_lost},
    MysqlCase{"no such table", 1146, DbErrorKind::schema_missing},
    MysqlCase{"no such column", 1054, DbErrorKind::schema_missing},
    MysqlCase{"syntax", 1064, DbErrorKind::other},
    MysqlCase{"statement binary log", 1665, DbErrorKind::other},
    MysqlCase{"error of the driver itself", 0, DbErrorKind::other},
};

TEST(MysqlErrorKind, Is_told_by_the_code) {
    for (const MysqlCase& one : kCases) {
        EXPECT_EQ(name_of(classify_mysql(one.code, one.message)), name_of(one.expected))
            << one.name;
    }
}

TEST(MysqlCommitError, Is_in_doubt_unless_the_server_says_that_it_rolled_back) {
    const std::vector<MysqlCase> cases{
        {"deadlock", 1213, DbErrorKind::conflict},
        {"certification", 3101, DbErrorKind::conflict},
        {"read only", 1290, DbErrorKind::read_only, kReadOnlyServer},
        {"not ready", 1047, DbErrorKind::connection_lost},
        {"gone", 2006, DbErrorKind::in_doubt},
        {"lost", 2013, DbErrorKind::in_doubt},
        {"killed", 1927, DbErrorKind::in_doubt},
        {"interrupted", 1317, DbErrorKind::in_doubt},
        {"commit", 1180, DbErrorKind::in_doubt},
        {"lock wait", 1205, DbErrorKind::in_doubt},
        {"unknown", 1105, DbErrorKind::in_doubt},
        {"vitess without a primary", 1105, DbErrorKind::in_doubt, kNoTablet},
    };
    for (const MysqlCase& one : cases) {
        EXPECT_EQ(name_of(classify_mysql_commit(one.code, one.message)), name_of(one.expected))
            << one.name;
    }
}

TEST(MysqlConnectError, A_server_that_does_not_answer_is_unreachable) {
    for (const int code : {2002, 2003, 2005, 2006, 2013, 2026, 1053, 1047, 1049}) {
        EXPECT_EQ(name_of(classify_mysql_connect(code, {})), "unreachable") << code;
    }
    EXPECT_EQ(name_of(classify_mysql_connect(1105, kNoTablet)), "unreachable");
    EXPECT_EQ(name_of(classify_mysql_connect(2027, {})), "not_a_database");
    EXPECT_EQ(name_of(classify_mysql_connect(1045, {})), "access_denied");
    EXPECT_EQ(name_of(classify_mysql_connect(1040, {})), "busy");
}

TEST(MysqlConnectError, Comes_with_advice_for_every_ordinary_mistake) {
    using testing::HasSubstr;
    EXPECT_THAT(mysql_connect_advice(2003, {}), HasSubstr("check host and port"));
    EXPECT_THAT(mysql_connect_advice(2005, {}), HasSubstr("correct its name"));
    EXPECT_THAT(mysql_connect_advice(1045, {}), HasSubstr("user or password"));
    EXPECT_THAT(mysql_connect_advice(1044, {}), HasSubstr("no rights there"));
    EXPECT_THAT(
        mysql_connect_advice(1045, "Access denied for user 'a'@'b' (using password: NO)"),
        HasSubstr("none was found")
    );
    EXPECT_THAT(mysql_connect_advice(1049, {}), HasSubstr("create it first"));
    EXPECT_THAT(mysql_connect_advice(1130, {}), HasSubstr("grant the user its address"));
    EXPECT_THAT(mysql_connect_advice(1040, {}), HasSubstr("max_connections"));
    EXPECT_THAT(mysql_connect_advice(2026, {}), HasSubstr("TLS"));
    EXPECT_THAT(mysql_connect_advice(3159, {}), HasSubstr("ssl=require"));
    EXPECT_THAT(mysql_connect_advice(2027, {}), HasSubstr("not a MySQL or MariaDB server"));
    EXPECT_THAT(mysql_connect_advice(1064, {}), testing::IsEmpty());
}

TEST(MysqlErrorText, Is_one_line) {
    EXPECT_EQ(
        mysql_error_text("SELECT", "syntax near '\n FROM'", 1064),
        "SELECT: syntax near '  FROM' (1064)"
    );
}

TEST(MysqlErrorText, Says_what_is_wrong_with_a_value_before_the_servers_words) {
    EXPECT_EQ(
        mysql_error_text("SELECT", "Illegal mix of collations", 1267),
        "SELECT: an id here has ASCII characters only, and what was given has others: Illegal mix "
        "of collations (1267)"
    );
    EXPECT_EQ(
        mysql_error_text("INSERT", "Incorrect datetime value: '1970'", 1292),
        "INSERT: a time lies outside of what its column holds, or is none: Incorrect datetime "
        "value: '1970' (1292)"
    );
    for (const int code : {1366, 3988}) {
        EXPECT_THAT(
            mysql_error_text("INSERT", "x", code),
            testing::StartsWith(
                "INSERT: a character has no place in the character set of its column: x ("
            )
        );
    }
}

TEST(MysqlErrorText, Is_never_empty) {
    EXPECT_EQ(
        mysql_error_text("SELECT", "", 2013), "SELECT: the client library gives no reason (2013)"
    );
}

TEST(MysqlVersion, Is_read_from_what_servers_say) {
    EXPECT_THAT(
        parse_mysql_version("10.11.19-MariaDB-0+deb12u1"), Optional(MysqlVersion{true, 10, 11, 19})
    );
    EXPECT_THAT(
        parse_mysql_version("5.5.5-10.6.12-MariaDB-log"), Optional(MysqlVersion{true, 10, 6, 12})
    );
    EXPECT_THAT(parse_mysql_version("8.0.36-28.1"), Optional(MysqlVersion{false, 8, 0, 36}));
    EXPECT_THAT(parse_mysql_version("9.7.4"), Optional(MysqlVersion{false, 9, 7, 4}));
    EXPECT_THAT(parse_mysql_version("8.0.11-TiDB-v7.5.0"), Optional(MysqlVersion{false, 8, 0, 11}));
}

TEST(MysqlVersion, Of_another_engine_is_known_by_its_name) {
    for (const std::string_view own :
         {"9.7.4",
          "8.0.46-0ubuntu0.22.04.1",
          "8.0.36-28.1",
          "8.4.2-log",
          "5.5.5-10.6.12-MariaDB-log",
          "10.11.19-MariaDB-0+deb12u1"}) {
        EXPECT_TRUE(is_mysqls_own_version(own)) << own;
    }
    for (const std::string_view other :
         {"8.0.30-Vitess", "8.4.6-Vitess", "8.0.11-TiDB-v7.5.0", "5.7.25-OceanBase-v4.2", "8.0"}) {
        EXPECT_FALSE(is_mysqls_own_version(other)) << other;
    }
}

TEST(MysqlVersion, Is_not_read_from_other_texts) {
    for (const std::string_view text : {"", "MariaDB", "10", "10.6", "10.6.", "a.b.c"}) {
        EXPECT_EQ(parse_mysql_version(text), std::nullopt) << text;
    }
}

TEST(MysqlVersion, With_skip_locked_is_served) {
    for (const std::string_view text :
         {"10.6.0-MariaDB",
          "10.11.19-MariaDB",
          "11.4.2-MariaDB",
          "12.0.1-MariaDB",
          "8.0.1",
          "8.4.0",
          "9.7.4"}) {
        EXPECT_EQ(mysql_version_refusal(text), std::nullopt) << text;
    }
}

TEST(MysqlVersion, Without_skip_locked_is_refused_in_one_sentence) {
    EXPECT_THAT(
        mysql_version_refusal("10.5.29-MariaDB-ubu2004"),
        Optional(std::string("the server is MariaDB 10.5.29, which is too old: MariaDB 10.6 or "
                             "MySQL 8.0.1 are the oldest that work"))
    );
    EXPECT_THAT(mysql_version_refusal("5.7.44-log"), Optional(HasSubstr("MySQL 5.7.44")));
    EXPECT_THAT(mysql_version_refusal("8.0.0-dmr"), Optional(HasSubstr("too old")));
    EXPECT_THAT(mysql_version_refusal("8.0.11-TiDB-v8.5.6"), Optional(HasSubstr("locks no rows")));
    EXPECT_THAT(mysql_version_refusal("unknown"), Optional(HasSubstr("\"unknown\"")));
}

struct PostgresqlCase {
    std::string_view name;
    std::string_view sqlstate;
    DbErrorKind expected = DbErrorKind::other;
};

constexpr std::array kPostgresqlCases{
    PostgresqlCase{"deadlock", "40P01", DbErrorKind::conflict},
    PostgresqlCase{"serialization failure", "40001", DbErrorKind::conflict},
    PostgresqlCase{"not supported", "0A000", DbErrorKind::other},
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

TEST(PostgresqlVersion, From_13_on_is_served) {
    for (const int number : {130000, 130023, 150018, 180001}) {
        EXPECT_EQ(postgresql_version_refusal(number), std::nullopt) << number;
    }
}

TEST(PostgresqlVersion, Of_another_engine_has_a_name_or_a_third_number) {
    for (const std::string_view own :
         {"18.6", "13.16", "19beta1", "19devel", "15.18 (Debian 15.18-0+deb12u1)"}) {
        EXPECT_TRUE(is_postgresqls_own_version(own)) << own;
    }
    for (const std::string_view other : {"11.2-YB-2.19.0.0-b0", "13.0.0", "CockroachDB", ""}) {
        EXPECT_FALSE(is_postgresqls_own_version(other)) << other;
    }
}

TEST(PostgresqlVersion, Before_13_is_refused_in_one_sentence) {
    EXPECT_EQ(
        postgresql_version_refusal(120022),
        "the server is PostgreSQL 12.22, which is too old: 13 is the oldest that works"
    );
    EXPECT_THAT(
        postgresql_version_refusal(90624),
        testing::Optional(testing::HasSubstr("PostgreSQL 9.6.24"))
    );
}

}  // namespace

}  // namespace jobstrand::persistence
