#include "persistence/migration/schema_check.hpp"
#include "persistence/migration/schema_migration.hpp"
#include "persistence/migration/table_changes.hpp"
#include "schema/tables.hpp"
#include "test/persistence/adapter_test.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace jobstrand::test {

namespace {

using persistence::require_write_rights;

class WriteRights : public AdapterTest {
protected:
    void prepare() override { persistence::upgrade_schema(*connection_); }
};

ON_EVERY_DATABASE(WriteRights);

TEST_P(WriteRights, Are_there_for_whoever_has_made_the_tables) {
    execute("INSERT INTO ACT_RU_JOB (ID_) VALUES ('a')");
    EXPECT_NO_THROW(require_write_rights(*connection_));
    EXPECT_EQ(text_of("SELECT REV_ FROM ACT_RU_JOB"), "1");
}

/// A user who has been granted some rights only.
class UserRights : public WriteRights {
protected:
    void prepare() override {
        WriteRights::prepare();
        create_reader();
    }

    void create_reader() {
        connection_->run_script("DROP USER IF EXISTS reader");
        connection_->run_script(
            GetParam() == "mysql" ? "CREATE USER reader IDENTIFIED BY 'reader'"
                                  : "CREATE USER reader PASSWORD 'reader'"
        );
    }

    void grant(std::string_view rights, std::string_view table = {}) {
        const std::string tables = table.empty() ? all_tables() : std::string(table);
        connection_->run_script(fmt::format("GRANT {} ON {} TO reader", rights, tables));
    }

    [[nodiscard]] std::string all_tables() const {
        return GetParam() == "mysql" ? fmt::format("`{}`.*", url_.database)
                                     : "ALL TABLES IN SCHEMA public";
    }

    [[nodiscard]] std::unique_ptr<persistence::Connection> connect_as_reader() const {
        persistence::DatabaseUrl url = url_;
        url.user = "reader";
        url.password = "reader";
        return open_connection(url);
    }
};

ON_EVERY_SERVER(UserRights);

TEST_P(UserRights, That_are_missing_are_told_as_the_grant_that_gives_them) {
    grant("SELECT");
    const auto reader = connect_as_reader();
    const auto error = error_of([&] { require_write_rights(*reader); });
    EXPECT_EQ(error.kind(), DbErrorKind::access_denied);
    const std::string who = GetParam() == "mysql" ? "'reader'@'%'" : "reader";
    EXPECT_THAT(
        error.what(),
        AllOf(
            HasSubstr("this user lacks INSERT, UPDATE, DELETE on ACT_RU_JOB, ACT_RU_TIMER_JOB, "),
            HasSubstr(fmt::format("GRANT INSERT, UPDATE, DELETE ON {} TO {}", all_tables(), who)),
            Not(HasSubstr("ACT_GE_PROPERTY"))
        )
    );
    grant_as_told(error);
    EXPECT_NO_THROW(require_write_rights(*connect_as_reader()));
}

TEST_P(UserRights, On_one_table_are_looked_at_too) {
    grant("SELECT");
    for (const std::string_view table :
         {"ACT_RU_JOB",
          "ACT_RU_TIMER_JOB",
          "ACT_RU_SUSPENDED_JOB",
          "ACT_RU_DEADLETTER_JOB",
          "ACT_RU_EXTERNAL_JOB",
          "ACT_GE_BYTEARRAY",
          "JS_SUSPENSION",
          "JS_SERIES",
          "JS_CALENDAR",
          "JS_NODE",
          "JS_CLAIM",
          "JS_LOCK",
          "JS_SERVED",
          "JS_SCOPE",
          "JS_RUN",
          "JS_RATE",
          "JS_ASKED",
          "JS_THROUGHPUT",
          "JS_RUN_NEWS",
          "JS_ENDED_RUN",
          "JS_EXCLUSIVE",
          "JS_WAITING",
          "JS_UNIQUE",
          "JS_LIMIT",
          "JS_LIMITED",
          "JS_SLOT",
          "JS_LIMIT_WAITING",
          "JS_AUDIT",
          "JS_REQUEST",
          "JS_BATCH",
          "ACT_HI_JOB_LOG",
          "ACT_RU_INCIDENT",
          "ACT_HI_INCIDENT",
          "ACT_RU_JOBDEF"}) {
        const auto before = error_of([this] { require_write_rights(*connect_as_reader()); });
        EXPECT_THAT(before.what(), HasSubstr(std::string(table)));
        grant("INSERT, UPDATE, DELETE", table);
    }
    EXPECT_NO_THROW(require_write_rights(*connect_as_reader()));
}

TEST_P(UserRights, To_change_tables_are_told_as_the_grant_that_gives_them) {
    grant("SELECT");
    const auto create = [](persistence::Connection& connection) {
        return persistence::create_index(connection, schema::kPriorityIndex);
    };
    const auto reader = connect_as_reader();
    const auto error = error_of([&] { create(*reader); });
    EXPECT_EQ(error.kind(), DbErrorKind::access_denied);
    ASSERT_THAT(
        error.what(), HasSubstr(GetParam() == "mysql" ? "CREATE, ALTER, INDEX ON" : "GRANT tester")
    );
    grant_as_told(error);
    EXPECT_TRUE(create(*connect_as_reader()));
}

/// In a database without tables.
class CreationRights : public UserRights {
protected:
    void prepare() override {
        create_reader();
        // Who may do nothing at all does not even get in there.
        if (GetParam() == "mysql") {
            grant("SELECT");
        }
    }
};

ON_EVERY_SERVER(CreationRights);

TEST_P(CreationRights, That_are_missing_are_told_as_the_grant_that_gives_them) {
    const auto reader = connect_as_reader();
    const auto error = error_of([&] { persistence::upgrade_schema(*reader); });
    EXPECT_EQ(error.kind(), DbErrorKind::access_denied);
    grant_as_told(error);
    EXPECT_NO_THROW(persistence::upgrade_schema(*connect_as_reader()));
}

}  // namespace

}  // namespace jobstrand::test
