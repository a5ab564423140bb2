#include "persistence/drivers/postgresql/postgresql_database.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace jobstrand::persistence {

namespace {

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
