#include "persistence/mysql_errors.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace jobstrand::persistence {

namespace {

struct Case {
    std::string_view name;
    int code = 0;
    DbErrorKind expected = DbErrorKind::other;
    std::string_view message = {};
};

class MysqlErrorKind : public testing::TestWithParam<Case> {};

constexpr std::string_view kReadOnlyServer =
    "The MariaDB server is running with the --read-only option so it cannot execute this statement";

INSTANTIATE_TEST_SUITE_P(
    ,
    MysqlErrorKind,
    testing::Values(
        Case{"deadlock", 1213, DbErrorKind::conflict},
        Case{"snapshot_too_old", 1020, DbErrorKind::conflict},
        Case{"table_altered_meanwhile", 1412, DbErrorKind::conflict},
        Case{"prepared_for_another_table", 1615, DbErrorKind::conflict},
        Case{"lost_certification_of_group_replication", 3101, DbErrorKind::conflict},
        Case{"lock_wait_timeout", 1205, DbErrorKind::busy},
        Case{"nowait", 3572, DbErrorKind::busy},
        Case{"statement_timeout_of_mariadb", 1969, DbErrorKind::busy},
        Case{"statement_timeout_of_mysql", 3024, DbErrorKind::busy},
        Case{"query_killed", 1317, DbErrorKind::busy},
        Case{"too_many_connections", 1040, DbErrorKind::busy},
        Case{"too_many_connections_of_the_user", 1203, DbErrorKind::busy},
        Case{"too_many_prepared_statements", 1461, DbErrorKind::busy},
        Case{"server_gone", 2006, DbErrorKind::connection_lost},
        Case{"lost_during_query", 2013, DbErrorKind::connection_lost},
        Case{"lost_with_reason", 2055, DbErrorKind::connection_lost},
        Case{"shutdown_in_progress", 1053, DbErrorKind::connection_lost},
        Case{"killed_on_mariadb", 1927, DbErrorKind::connection_lost},
        Case{"killed_on_mysql", 3169, DbErrorKind::connection_lost},
        Case{"idle_for_too_long", 4031, DbErrorKind::connection_lost},
        Case{"galera_node_without_cluster", 1047, DbErrorKind::connection_lost},
        Case{"galera_commit_without_answer", 1180, DbErrorKind::in_doubt},
        Case{"duplicate", 1062, DbErrorKind::duplicate_key},
        Case{"duplicate_with_key_name", 1586, DbErrorKind::duplicate_key},
        Case{"text_too_long", 1406, DbErrorKind::too_long},
        Case{"number_too_large", 1264, DbErrorKind::too_long},
        Case{"time_out_of_range", 1292, DbErrorKind::too_long},
        Case{"character_outside_of_utf8mb3", 1366, DbErrorKind::too_long},
        Case{"packet_too_large", 1153, DbErrorKind::too_long},
        Case{"read_only_server", 1290, DbErrorKind::read_only, kReadOnlyServer},
        Case{"another_option", 1290, DbErrorKind::other, "running with --skip-grant-tables"},
        Case{"read_only_transaction", 1792, DbErrorKind::read_only},
        Case{"read_only_engine", 1836, DbErrorKind::read_only},
        Case{"disk_full", 1021, DbErrorKind::storage_full},
        Case{"table_full", 1114, DbErrorKind::storage_full},
        Case{"disk_full_of_mysql", 3675, DbErrorKind::storage_full},
        Case{
            "disk_full_in_words",
            1026,
            DbErrorKind::storage_full,
            "(\"No space left on device\")"},
        Case{"wrong_password", 1045, DbErrorKind::access_denied},
        Case{"no_rights_on_database", 1044, DbErrorKind::access_denied},
        Case{"no_rights_on_table", 1142, DbErrorKind::access_denied},
        Case{"no_special_right", 1227, DbErrorKind::access_denied},
        Case{"tls_required", 3159, DbErrorKind::access_denied},
        Case{"unknown_database", 1049, DbErrorKind::unreachable},
        Case{"unknown_host", 2005, DbErrorKind::unreachable},
        Case{"no_tls", 2026, DbErrorKind::unreachable},
        Case{"no_such_table", 1146, DbErrorKind::schema_missing},
        Case{"no_such_column", 1054, DbErrorKind::schema_missing},
        Case{"syntax", 1064, DbErrorKind::other},
        Case{"statement_binary_log", 1665, DbErrorKind::other},
        Case{"error_of_the_driver_itself", 0, DbErrorKind::other}
    ),
    [](const auto& info) { return std::string(info.param.name); }
);

TEST_P(MysqlErrorKind, Is_told_by_the_code) {
    EXPECT_EQ(
        name_of(classify_mysql(GetParam().code, GetParam().message)), name_of(GetParam().expected)
    );
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
    };
    for (const Case& one : cases) {
        EXPECT_EQ(name_of(classify_mysql_commit(one.code, one.message)), name_of(one.expected))
            << one.name;
    }
}

TEST(MysqlConnectError, A_server_that_does_not_answer_is_unreachable) {
    for (const int code : {2002, 2003, 2005, 2006, 2013, 1053, 1047, 1049}) {
        EXPECT_EQ(name_of(classify_mysql_connect(code, {})), "unreachable") << code;
    }
    EXPECT_EQ(name_of(classify_mysql_connect(2027, {})), "not_a_database");
    EXPECT_EQ(name_of(classify_mysql_connect(1045, {})), "access_denied");
    EXPECT_EQ(name_of(classify_mysql_connect(1040, {})), "busy");
}

TEST(MysqlConnectError, Comes_with_advice_for_every_ordinary_mistake) {
    using testing::HasSubstr;
    EXPECT_THAT(mysql_connect_advice(2003, {}), HasSubstr("check host and port"));
    EXPECT_THAT(mysql_connect_advice(2005, {}), HasSubstr("correct its name"));
    EXPECT_THAT(mysql_connect_advice(1045, {}), HasSubstr("user or password"));
    EXPECT_THAT(mysql_connect_advice(1044, {}), HasSubstr("GRANT"));
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

}  // namespace

}  // namespace jobstrand::persistence
