#include "persistence/drivers/mysql/mysql_database.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace jobstrand::persistence {

namespace {

using testing::HasSubstr;
using testing::Optional;

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

}  // namespace

}  // namespace jobstrand::persistence
