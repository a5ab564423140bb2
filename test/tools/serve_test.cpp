#include "persistence/drivers/database.hpp"
#include "persistence/drivers/database_url.hpp"
#include "test/fixtures/signal.hpp"
#include "test/tools/cli_fixture.hpp"
#include "test/tools/service_process.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace jobstrand::test {
namespace {

using cli::ExitCode;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// The real program, on the database of the test.
class Serve : public CliTest {
protected:
    /// The settings of every service here, and the command of the tests: `hold` tells through a
    /// fifo that it runs and waits for another to go on.
    std::string settings(const std::string& more = "") {
        for (const char* name : {"up", "go"}) {
            EXPECT_EQ(::mkfifo(path_of(name).c_str(), 0600), 0);
        }
        return file(
            "jobstrand.toml",
            "db = \"" + url() + "\"\ncorePoolSize = 1\nmaxPoolSize = 1\nlogLevel = \"info\"\n" +
                more + "[commands.hold]\nprogram = \"/bin/sh\"\nargs = [\"-c\", \"echo up > " +
                path_of("up") + "; cat " + path_of("go") + "\"]\n"
        );
    }

    /// Adds a job that holds the only worker, and waits until it runs.
    std::string add_running() {
        const std::string id =
            add({"--type", "command", "--payload", R"({"command":"hold"})", "--retries", "2"});
        std::string line;
        std::ifstream up(path_of("up"));
        std::getline(up, line);
        EXPECT_EQ(line, "up");
        return id;
    }

    void let_go() { std::ofstream(path_of("go")) << "go\n"; }
};

TEST_F(Serve, It_runs_jobs_and_ends_with_0_when_it_is_told_to) {
    ServiceProcess service({"serve", "--config", settings()}, {});
    ASSERT_TRUE(service.says("ready"));
    add({"--type", "log", "--payload", R"({"hello":"world"})"});
    ASSERT_TRUE(service.says("log job"));
    service.send(SIGTERM);
    EXPECT_EQ(service.exit_code(), 0) << service.output();
    EXPECT_THAT(service.output(), HasSubstr("stopped\n"));
    EXPECT_EQ(places(), "");
}

TEST_F(Serve, It_makes_its_tables_when_it_starts) {
    std::ofstream(path_of("new.db")).flush();
    const std::string url = "sqlite:" + path_of("new.db");
    ServiceProcess service({"serve", "--db", url}, {});
    ASSERT_TRUE(service.says("tables created"));
    ASSERT_TRUE(service.says("ready"));
    EXPECT_EQ(run_bare({"schema", "check", "--db", url}).code, ExitCode::done);
    service.send(SIGINT);
    EXPECT_EQ(service.exit_code(), 0) << service.output();
}

TEST_F(Serve, A_database_that_is_not_there_may_be_a_misspelt_path) {
    const std::string url = "sqlite:" + path_of("jobz.db");
    ServiceProcess service({"serve", "--db", url}, {});
    EXPECT_EQ(service.exit_code(), 1);
    EXPECT_THAT(
        service.output(),
        AllOf(HasSubstr("there is no database"), HasSubstr("`jobstrand schema create --db " + url))
    );
    EXPECT_THAT(service.output(), Not(HasSubstr("ready")));
    EXPECT_FALSE(std::filesystem::exists(path_of("jobz.db")));
}

TEST_F(Serve, Told_to_it_makes_the_database) {
    const std::string url = "sqlite:" + path_of("new.db");
    const std::string config = file("create.toml", "create = true\ndb = \"" + url + "\"\n");
    EXPECT_EQ(run_bare({"job", "ls", "--config", config}).code, ExitCode::failed);
    EXPECT_FALSE(std::filesystem::exists(path_of("new.db")));
    ServiceProcess service({"serve", "--config", config}, {});
    ASSERT_TRUE(service.says("ready"));
    EXPECT_EQ(run_bare({"schema", "check", "--db", url}).code, ExitCode::done);
    service.send(SIGINT);
    EXPECT_EQ(service.exit_code(), 0) << service.output();
}

TEST_F(Serve, Told_to_make_no_tables_it_makes_no_database) {
    const std::string config = file("no.toml", "create = true\ndatabaseSchemaUpdate = false\n");
    ServiceProcess service(
        {"serve", "--config", config, "--db", "sqlite:" + path_of("new.db")}, {}
    );
    EXPECT_EQ(service.exit_code(), 1);
    EXPECT_FALSE(std::filesystem::exists(path_of("new.db")));
}

/// What another program has put under our names into a database, and what `serve` says to it.
struct OthersTable {
    std::string sql;
    std::string said;
};

TEST_F(Serve, Tables_of_others_stay_as_they_are_until_the_operator_says_otherwise) {
    const std::vector<OthersTable> cases{
        {"CREATE TABLE ACT_RU_JOB (ID_ varchar(64) PRIMARY KEY, HANDLER_TYPE_ varchar(255), "
         "SCOPE_TYPE_ varchar(255))",
         "the tables are Flowable's"},
        {"CREATE TABLE ACT_RU_JOB (ID_ varchar(64) PRIMARY KEY, HANDLER_TYPE_ varchar(255), "
         "DEPLOYMENT_ID_ varchar(64))",
         "there is a table ACT_RU_JOB that is not Jobstrand's"},
        {"CREATE TABLE JS_CALENDAR (DAY_ date)",
         "there is a table JS_CALENDAR that is not Jobstrand's"},
    };
    for (const OthersTable& one : cases) {
        std::filesystem::remove(path_of("theirs.db"));
        const std::string url = "sqlite:" + path_of("theirs.db");
        const auto opened = persistence::parse_database_url(url).value();
        const auto pool = persistence::open_database(opened, {.create_if_missing = true});
        const auto connection = pool->lease(persistence::SessionPool::Access::write);
        connection->run_script(one.sql);
        const auto schema_now = [&connection] {
            std::string all;
            connection->query(
                {.sql = "SELECT group_concat(sql) FROM sqlite_master", .columns = 1},
                {},
                [&all](const persistence::Row& row) { all = row.text(0); }
            );
            return all;
        };
        const std::string before = schema_now();
        ServiceProcess service({"serve", "--db", url}, {});
        EXPECT_EQ(service.exit_code(), 1);
        EXPECT_THAT(
            service.output(),
            AllOf(
                HasSubstr(one.said),
                HasSubstr("schema upgrade"),
                Not(HasSubstr("ready")),
                Not(HasSubstr("tables created"))
            )
        );
        EXPECT_EQ(run_bare({"schema", "create", "--db", url}).code, ExitCode::failed);
        EXPECT_EQ(schema_now(), before);
    }
}

TEST_F(Serve, Commands_that_this_machine_cannot_run_are_told_at_the_start) {
    const std::string config =
        file("commands.toml", "[commands.lost]\nprogram = \"" + path_of("nowhere") + "\"\n");
    ServiceProcess service({"serve", "--config", config, "--db", url()}, {});
    ASSERT_TRUE(service.says("these jobs are not taken here"));
    ASSERT_TRUE(service.says("ready"));
    service.send(SIGTERM);
    EXPECT_EQ(service.exit_code(), 0) << service.output();
}

TEST_F(Serve, Without_leave_to_make_tables_it_does_not_start) {
    const std::string config = file("no-update.toml", "databaseSchemaUpdate = false\n");
    ServiceProcess service(
        {"serve", "--config", config, "--db", "sqlite:" + path_of("new.db")}, {}
    );
    EXPECT_EQ(service.exit_code(), 1);
    EXPECT_THAT(service.output(), HasSubstr("jobstrand schema create --db"));
}

// R018 R052
TEST_F(Serve, Acquisition_by_priority_without_its_index_is_refused_with_the_command_that_helps) {
    const std::string config = file("priority.toml", "jobExecutorAcquireByPriority = true\n");
    ServiceProcess service({"serve", "--config", config, "--db", url()}, {});
    EXPECT_EQ(service.exit_code(), 1);
    EXPECT_THAT(
        service.output(), HasSubstr("`jobstrand schema index priority --create --db " + url() + "`")
    );
    EXPECT_EQ(run({"job", "ls", "--config", config}).code, ExitCode::done);
}

// R051
TEST_F(Serve, Another_order_without_its_index_is_refused_and_with_it_the_service_starts) {
    const std::string config = file("order.toml", "preferTimerJobs = true\n");
    ServiceProcess refused({"serve", "--config", config, "--db", url()}, {});
    EXPECT_EQ(refused.exit_code(), 1);
    EXPECT_THAT(refused.output(), HasSubstr("`jobstrand schema index due --create"));
    ASSERT_EQ(run({"schema", "index", "due", "--create"}).code, ExitCode::done);
    ServiceProcess service({"serve", "--config", config, "--db", url()}, {});
    EXPECT_TRUE(service.says("ready"));
}

TEST_F(Serve, The_first_signal_lets_running_jobs_finish_and_frees_the_others) {
    ServiceProcess service({"serve", "--config", settings()}, {});
    ASSERT_TRUE(service.says("ready"));
    add_running();
    const std::string waiting = add();
    service.send(SIGTERM);
    EXPECT_TRUE(eventually([&] { return field(waiting, "lockOwner") == "null"; }));
    let_go();
    EXPECT_EQ(service.exit_code(), 0) << service.output();
    EXPECT_EQ(places(), "executable=1");
    EXPECT_EQ(field(waiting, "retries"), "3");
}

TEST_F(Serve, The_second_signal_stops_running_jobs_and_no_retry_is_used) {
    ServiceProcess service({"serve", "--config", settings()}, {});
    ASSERT_TRUE(service.says("ready"));
    const std::string id = add_running();
    service.send(SIGTERM);
    ASSERT_TRUE(service.says("stopping"));
    service.send(SIGTERM);
    EXPECT_EQ(service.exit_code(), 0) << service.output();
    EXPECT_EQ(field(id, "retries"), "2");
    EXPECT_EQ(field(id, "exceptionMessage"), "null");
    EXPECT_EQ(field(id, "lockOwner"), "null");
}

TEST_F(Serve, Jobs_that_outlast_the_wait_are_stopped) {
    ServiceProcess service({"serve", "--config", settings("awaitTerminationPeriod = 0\n")}, {});
    ASSERT_TRUE(service.says("ready"));
    const std::string id = add_running();
    service.send(SIGTERM);
    EXPECT_EQ(service.exit_code(), 0) << service.output();
    EXPECT_EQ(field(id, "retries"), "2");
}

// R005
TEST_F(Serve, Told_not_to_it_runs_no_jobs_but_stays) {
    const std::string config = settings("asyncExecutorActivate = false\n");
    for (const std::vector<std::string>& call :
         {std::vector<std::string>{"serve", "--config", config},
          {"serve", "--db", url(), "--no-executor"}}) {
        ServiceProcess service(call, {});
        ASSERT_TRUE(service.says("the executor is off"));
        add();
        service.send(SIGTERM);
        EXPECT_EQ(service.exit_code(), 0) << service.output();
    }
    EXPECT_EQ(places(), "executable=2");
}

TEST_F(Serve, Its_log_can_be_read_by_programs) {
    ServiceProcess service({"serve", "--config", settings("logFormat = \"json\"\n")}, {});
    ASSERT_TRUE(service.says("ready"));
    add({"--type", "log", "--payload", "\"line\\nbreak\""});
    ASSERT_TRUE(service.says("log job"));
    service.send(SIGTERM);
    EXPECT_EQ(service.exit_code(), 0) << service.output();
    std::istringstream lines(service.output());
    for (std::string line; std::getline(lines, line);) {
        EXPECT_TRUE(nlohmann::json::accept(line)) << line;
    }
}

TEST_F(Serve, It_goes_on_when_nobody_reads_its_log) {
    const std::string config = settings();
    ServiceProcess service({"serve", "--config", config}, {});
    ASSERT_TRUE(service.says("ready"));
    service.stop_listening();
    add({"--type", "log", "--payload", "1"});
    EXPECT_TRUE(eventually([this] { return places().empty(); }));
    service.send(SIGTERM);
    EXPECT_EQ(service.exit_code(), 0) << service.output();
}

TEST_F(Serve, What_the_environment_of_the_service_says_applies) {
    const std::string config = settings("create = true\n");
    ServiceProcess service(
        {"serve"}, {"JOBSTRAND_CONFIG=" + config, "JOBSTRAND_DB=sqlite:" + path_of("other.db")}
    );
    ASSERT_TRUE(service.says("ready"));
    EXPECT_THAT(service.output(), HasSubstr("other.db"));
    service.send(SIGTERM);
    EXPECT_EQ(service.exit_code(), 0) << service.output();
}

}  // namespace
}  // namespace jobstrand::test
