#include "persistence/migration/schema_migration.hpp"
#include "test/fixtures/background_process.hpp"
#include "test/fixtures/database_servers.hpp"
#include "test/fixtures/server_database.hpp"
#include "test/fixtures/temporary_directory.hpp"
#include "test/tools/service_process.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::test {

namespace {

using persistence::DatabaseUrl;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// The real program on a database server, as a user of that server sees it.
class OnServer : public testing::TestWithParam<std::string_view> {
protected:
    void SetUp() override {
        const bool is_mysql = GetParam() == "mysql";
        const auto missing =
            is_mysql ? MariaDbServer::what_is_missing() : PostgresqlServer::what_is_missing();
        if (missing) {
            GTEST_SKIP() << *missing;
        }
        DatabaseServer& server = is_mysql ? static_cast<DatabaseServer&>(shared_mariadb_server())
                                          : shared_postgresql_server();
        database_.emplace(server.url());
        connection_ = open_connection(database_->url());
    }

    [[nodiscard]] std::string url() const { return url_text(database_->url()); }

    [[nodiscard]] ProgramResult program(std::vector<std::string> words) const {
        words.insert(words.begin(), JOBSTRAND_PROGRAM);
        words.insert(words.end(), {"--db", url()});
        return run_program(words);
    }

    /// The URL of a user who may read everything and change nothing.
    [[nodiscard]] std::string url_of_reader() const {
        const bool is_mysql = GetParam() == "mysql";
        connection_->run_script("DROP USER IF EXISTS watcher");
        connection_->run_script(
            fmt::format("CREATE USER watcher {} 'watcher'", is_mysql ? "IDENTIFIED BY" : "PASSWORD")
        );
        connection_->run_script(
            is_mysql ? fmt::format("GRANT SELECT ON {}.* TO watcher", database_->url().database)
                     : "GRANT SELECT ON ALL TABLES IN SCHEMA public TO watcher"
        );
        DatabaseUrl url = database_->url();
        url.user = "watcher";
        url.password = "watcher";
        return url_text(url);
    }

    std::optional<ServerDatabase> database_;
    std::unique_ptr<persistence::Connection> connection_;
};

INSTANTIATE_TEST_SUITE_P(
    OnEveryServer,
    OnServer,
    testing::Values("mysql", "postgresql"),
    [](const auto& one) { return std::string(one.param); }
);

TEST_P(OnServer, A_service_that_may_not_write_is_not_ready_but_names_the_grant) {
    persistence::upgrade_schema(*connection_);
    const std::string reader = url_of_reader();
    ServiceProcess refused({"serve", "--db", reader}, {});
    EXPECT_EQ(refused.exit_code(), 1);
    EXPECT_THAT(
        refused.output(),
        AllOf(
            HasSubstr("this user lacks INSERT, UPDATE, DELETE on ACT_RU_JOB"),
            HasSubstr("GRANT INSERT, UPDATE, DELETE ON "),
            Not(HasSubstr("ready"))
        )
    );
    const std::size_t grant = refused.output().find("GRANT INSERT");
    connection_->run_script(
        refused.output().substr(grant, refused.output().find('\n', grant) - grant)
    );
    ServiceProcess service({"serve", "--db", reader}, {});
    EXPECT_TRUE(service.says("ready"));
    service.send(SIGTERM);
    EXPECT_EQ(service.exit_code(), 0) << service.output();
}

TEST_P(OnServer, A_command_that_lacks_a_right_names_the_grant) {
    persistence::upgrade_schema(*connection_);
    const std::vector<std::string> add{
        JOBSTRAND_PROGRAM, "job", "add", "--type", "log", "--db", url_of_reader()};
    const ProgramResult refused = run_program(add);
    EXPECT_EQ(refused.exit_code, 1);
    const std::size_t grant = refused.err.find("GRANT ");
    ASSERT_NE(grant, std::string::npos) << refused.err;
    EXPECT_THAT(refused.err, HasSubstr("this user lacks INSERT, UPDATE, DELETE on ACT_RU_JOB"));
    connection_->run_script(refused.err.substr(grant, refused.err.find('\n', grant) - grant));
    EXPECT_EQ(run_program(add).exit_code, 0);
}

TEST_P(OnServer, A_password_from_beside_the_url_is_shown_nowhere) {
    DatabaseUrl without = database_->url();
    without.password.clear();
    const TemporaryDirectory folder;
    const std::string password = (folder.path() / "password").string();
    std::ofstream(password) << database_->url().password << '\n';
    std::filesystem::permissions(password, std::filesystem::perms(0600));
    for (const std::string& source :
         {"passwordFile = '" + password + "'", "passwordCommand = '/bin/cat " + password + "'"}) {
        const std::string config = (folder.path() / "jobstrand.toml").string();
        std::ofstream(config) << fmt::format(
            "db = '{}://{}@{}:{}/{}'\n{}\n",
            GetParam(),
            without.user,
            without.host,
            without.port,
            without.database,
            source
        );
        ServiceProcess service({"serve", "--config", config}, {});
        EXPECT_TRUE(service.says("ready"));
        const ProgramResult added =
            run_program({JOBSTRAND_PROGRAM, "job", "add", "--type", "log", "--config", config});
        EXPECT_EQ(added.exit_code, 0) << added.err;
        service.send(SIGTERM);
        EXPECT_EQ(service.exit_code(), 0) << service.output();
        const ProgramResult shown =
            run_program({JOBSTRAND_PROGRAM, "config", "show", "--config", config});
        EXPECT_THAT(
            shown.out,
            HasSubstr(
                source.starts_with("passwordFile") ? "password_file=" : "password_command=/bin/cat"
            )
        );
        for (const std::string& text : {service.output(), added.out, added.err, shown.out}) {
            EXPECT_THAT(text, Not(HasSubstr(database_->url().password)));
        }
    }
}

TEST_P(OnServer, A_service_leaves_tables_of_others_alone) {
    connection_->run_script("CREATE TABLE JS_SERIES (TITLE_ varchar(255))");
    ServiceProcess service({"serve", "--db", url()}, {});
    EXPECT_EQ(service.exit_code(), 1);
    EXPECT_THAT(
        service.output(),
        AllOf(
            HasSubstr("there is a table JS_SERIES that is not Jobstrand's"),
            HasSubstr("schema upgrade"),
            Not(HasSubstr("ready"))
        )
    );
    EXPECT_EQ(program({"stats"}).exit_code, 1);
    EXPECT_EQ(persistence::schema_version(*connection_), std::nullopt);
}

TEST_P(OnServer, The_check_tells_programs_what_is_wrong_and_how_to_mend_it) {
    persistence::upgrade_schema(*connection_);
    EXPECT_EQ(program({"schema", "check"}).exit_code, 0);
    connection_->run_script("ALTER TABLE ACT_RU_JOB DROP COLUMN CATEGORY_");
    connection_->run_script("ALTER TABLE ACT_RU_JOB ADD COLUMN CATEGORY_ varchar(10)");
    const ProgramResult found = program({"schema", "check", "-o", "json"});
    EXPECT_EQ(found.exit_code, 6);
    const auto first = nlohmann::json::parse(found.out).at(0);
    EXPECT_EQ(first.at("table"), "ACT_RU_JOB");
    EXPECT_EQ(first.at("remark"), false);
    EXPECT_THAT(first.at("description").get<std::string>(), HasSubstr("too narrow"));
    connection_->run_script(first.at("mend").at(0).get<std::string>());
    EXPECT_EQ(program({"schema", "check"}).exit_code, 0);
}

TEST_P(OnServer, Due_dates_behind_2038_come_by_command) {
    persistence::upgrade_schema(*connection_);
    const std::vector<std::string> add{
        "job", "add", "--type", "noop", "--due", "2040-01-01T00:00:00Z"};
    EXPECT_EQ(program(add).exit_code == 0, GetParam() == "postgresql");
    const ProgramResult upgraded = program({"schema", "upgrade", "--datetime"});
    EXPECT_EQ(upgraded.exit_code, 0) << upgraded.err;
    EXPECT_THAT(
        upgraded.out,
        HasSubstr(GetParam() == "mysql" ? "a type that lasts now" : "a type that lasts already")
    );
    EXPECT_EQ(program(add).exit_code, 0);
    EXPECT_THAT(program({"timer", "ls", "-o", "json"}).out, HasSubstr("2040-01-01T00:00:00.000Z"));
    EXPECT_EQ(program({"schema", "check"}).exit_code, 0);
}

}  // namespace

}  // namespace jobstrand::test
