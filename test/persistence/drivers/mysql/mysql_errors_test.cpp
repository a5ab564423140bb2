#include "persistence/drivers/mysql/mysql_errors.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace jobstrand::persistence {

namespace {

struct Case {
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
    Case{"deadlock", 1213, DbErrorKind::conflict},
    Case{"snapshot too old", 1020, DbErrorKind::conflict},
    Case{"table altered meanwhile", 1412, DbErrorKind::conflict},
    Case{"prepared for another table", 1615, DbErrorKind::conflict},
    Case{"lost certification of group replication", 3101, DbErrorKind::conflict},
    Case{"lock wait timeout", 1205, DbErrorKind::busy},
    Case{"nowait", 3572, DbErrorKind::busy},
    Case{"statement timeout of mariadb", 1969, DbErrorKind::busy},
    Case{"statement timeout of mysql", 3024, DbErrorKind::busy},
    Case{"query killed", 1317, DbErrorKind::busy},
    Case{"too many connections", 1040, DbErrorKind::busy},
    Case{"too many connections of the user", 1203, DbErrorKind::busy},
    Case{"too many prepared statements", 1461, DbErrorKind::busy},
    Case{"a way to log in that was not allowed", 5010, DbErrorKind::access_denied},
    Case{"server gone", 2006, DbErrorKind::connection_lost},
    Case{"lost during query", 2013, DbErrorKind::connection_lost},
    Case{"lost with reason", 2055, DbErrorKind::connection_lost},
    Case{"shutdown in progress", 1053, DbErrorKind::connection_lost},
    Case{"killed on mariadb", 1927, DbErrorKind::connection_lost},
    Case{"killed on mysql", 3169, DbErrorKind::connection_lost},
    Case{"idle for too long", 4031, DbErrorKind::connection_lost},
    Case{"galera node without cluster", 1047, DbErrorKind::connection_lost},
    Case{"galera commit without answer", 1180, DbErrorKind::in_doubt},
    Case{"duplicate", 1062, DbErrorKind::duplicate_key},
    Case{"duplicate with key name", 1586, DbErrorKind::duplicate_key},
    Case{"column exists", 1060, DbErrorKind::duplicate_key},
    Case{"index exists", 1061, DbErrorKind::duplicate_key},
    Case{"text too long", 1406, DbErrorKind::too_long},
    Case{"number too large", 1264, DbErrorKind::too_long},
    Case{"time out of range", 1292, DbErrorKind::too_long},
    Case{"id outside of ascii", 1267, DbErrorKind::too_long},
    Case{"character outside of utf8mb3", 1366, DbErrorKind::too_long},
    Case{"character outside of utf8mb3 on mysql", 3988, DbErrorKind::too_long},
    Case{"packet too large", 1153, DbErrorKind::too_long},
    Case{"parameter too large", 1105, DbErrorKind::too_long, kLargeParameter},
    Case{"unknown error", 1105, DbErrorKind::other, "Unknown error"},
    Case{"vitess without a primary", 1105, DbErrorKind::connection_lost, kNoTablet},
    Case{
        "vitess in a reparent",
        1105,
        DbErrorKind::connection_lost,
        "vttablet: rpc error: code = Code(17) desc = operation not allowed in state SHUTTING_DOWN"},
    Case{
        "vitess that has buffered for too long",
        1105,
        DbErrorKind::connection_lost,
        "primary is not serving, there may be a reparent operation in progress"},
    Case{
        "vitess whose tablet went down in a transaction",
        1105,
        DbErrorKind::connection_lost,
        "VT15001: transaction error, issue ROLLBACK and retry the transaction"},
    Case{
        "vitess without a tablet",
        1105,
        DbErrorKind::connection_lost,
        "vttablet: rpc error: code = Unavailable desc = connection refused"},
    Case{"vitess and a statement", 1235, DbErrorKind::other, "VT12001: unsupported"},
    Case{"read only server", 1290, DbErrorKind::read_only, kReadOnlyServer},
    Case{"another option", 1290, DbErrorKind::other, "running with --skip-grant-tables"},
    Case{"read only transaction", 1792, DbErrorKind::read_only},
    Case{"read only engine", 1836, DbErrorKind::read_only},
    Case{"disk full", 1021, DbErrorKind::storage_full},
    Case{"table full", 1114, DbErrorKind::storage_full},
    Case{"disk full of mysql", 3675, DbErrorKind::storage_full},
    Case{"disk full in words", 1026, DbErrorKind::storage_full, "(\"No space left on device\")"},
    Case{"wrong password", 1045, DbErrorKind::access_denied},
    Case{"no rights on database", 1044, DbErrorKind::access_denied},
    Case{"no rights on table", 1142, DbErrorKind::access_denied},
    Case{"no special right", 1227, DbErrorKind::access_denied},
    Case{"tls required", 3159, DbErrorKind::access_denied},
    Case{"unknown database", 1049, DbErrorKind::unreachable},
    Case{"unknown host", 2005, DbErrorKind::unreachable},
    Case{"lost tls", 2026, DbErrorKind::connection_lost},
    Case{"no such table", 1146, DbErrorKind::schema_missing},
    Case{"no such column", 1054, DbErrorKind::schema_missing},
    Case{"syntax", 1064, DbErrorKind::other},
    Case{"statement binary log", 1665, DbErrorKind::other},
    Case{"error of the driver itself", 0, DbErrorKind::other},
};

TEST(MysqlErrorKind, Is_told_by_the_code) {
    for (const Case& one : kCases) {
        EXPECT_EQ(name_of(classify_mysql(one.code, one.message)), name_of(one.expected))
            << one.name;
    }
}

TEST(MysqlCommitError, Is_in_doubt_unless_the_server_says_that_it_rolled_back) {
    const std::vector<Case> cases{
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
    for (const Case& one : cases) {
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

}  // namespace

}  // namespace jobstrand::persistence
