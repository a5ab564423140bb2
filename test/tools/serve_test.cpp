#include "persistence/drivers/database.hpp"
#include "persistence/drivers/database_url.hpp"
#include "test/fixtures/signal.hpp"
#include "test/tools/cli_fixture.hpp"
#include "test/tools/service_process.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace jobstrand::test {

namespace {

using cli::ExitCode;
using nlohmann::json;
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

/// Bulk operations whose process ends in the middle.
class BatchProcess : public CliTest {
protected:
    static constexpr int kJobs = 3'000;

    void SetUp() override {
        std::string lines;
        for (int i = 0; i < kJobs; ++i) {
            lines += fmt::format("{{\"id\":\"job-{:05}\",\"handlerType\":\"noop\"}}\n", i);
        }
        ok({"job", "add", "--from", "-"}, lines);
        ok({"job", "set", "--all", "--retries", "0"});
    }

    /// Ends the command by a signal when it has said how far it is.
    void requeue_until(int signal, int exit_code) {
        ServiceProcess command({"dead", "requeue", "--all", "--rate", "500", "--db", url()}, {});
        ASSERT_TRUE(command.says("requeued ")) << command.output();
        ASSERT_TRUE(command.says("s left\n")) << command.output();
        command.send(signal);
        EXPECT_EQ(command.exit_code(), exit_code) << command.output();
        output_ = command.output();
    }

    /// The one that was begun last.
    json latest() { return json::parse(ok({"batch", "ls", "--limit", "1", "-o", "json"})).at(0); }

    /// Somebody lets it go faster, and goes on.
    void expect_the_rest_to_be_done() {
        const json begun = latest();
        const int before = begun.at("done");
        EXPECT_EQ(begun.at("state"), "running");
        EXPECT_GT(before, 0);
        EXPECT_LT(before, kJobs);
        execute("UPDATE JS_BATCH SET RATE_ = 0");
        const json rest =
            json::parse(ok({"batch", "resume", begun.at("id").get<std::string>(), "-o", "json"}));
        EXPECT_EQ(rest.at("requeued"), kJobs);
        EXPECT_EQ(places(), fmt::format("executable={}", kJobs));
    }

    std::string output_;
};

TEST_F(BatchProcess, An_interrupted_one_says_how_to_go_on_and_no_job_is_requeued_twice) {
    requeue_until(SIGINT, 3);
    EXPECT_THAT(output_, HasSubstr("interrupted: "));
    EXPECT_THAT(
        output_,
        HasSubstr(
            "go on with `jobstrand batch resume " + latest().at("id").get<std::string>() + "`"
        )
    );
    expect_the_rest_to_be_done();
}

TEST_F(BatchProcess, One_whose_process_is_killed_is_gone_on_with) {
    requeue_until(SIGKILL, -1);
    expect_the_rest_to_be_done();
}

TEST_F(BatchProcess, A_service_carries_out_what_is_for_the_background) {
    const json begun = json::parse(ok({"dead", "requeue", "--all", "--background", "-o", "json"}));
    EXPECT_EQ(begun.at("total"), kJobs);
    ServiceProcess service({"serve", "--db", url()}, {});
    ASSERT_TRUE(service.says("ready")) << service.output();
    EXPECT_TRUE(eventually([this] { return places().empty(); }));
    service.send(SIGTERM);
    EXPECT_EQ(service.exit_code(), 0) << service.output();
    EXPECT_EQ(latest().at("state"), "done");
    EXPECT_EQ(latest().at("done"), kJobs);
}

/// One service with several databases (R094 to R097).
class EnginesOfOneService : public CliTest {
protected:
    /// Two engines, and none at the top of the file.
    std::string config(const std::string& top = "", const std::string& of_billing = "") {
        for (const char* name : {"orders.db", "billing.db"}) {
            std::ofstream(path_of(name), std::ios::app).flush();
        }
        return file(
            "engines.toml",
            "logLevel = \"info\"\n" + top +
                "[engines.orders]\ndb = \"sqlite:" + path_of("orders.db") +
                "\"\n[engines.billing]\ndb = \"sqlite:" + path_of("billing.db") + "\"\n" +
                of_billing
        );
    }

    /// In whichever order: the engines start side by side.
    static bool
    says_both(ServiceProcess& service, const std::string& one, const std::string& other) {
        const auto has_said = [&](const std::string& text) {
            return service.output().find(text) != std::string::npos || service.says(text);
        };
        return has_said(one) && has_said(other);
    }

    CliResult on(const std::string& engine, std::vector<std::string> words) {
        words.insert(words.end(), {"--config", path_of("engines.toml"), "--engine", engine});
        return run_bare(words);
    }
};

TEST_F(EnginesOfOneService, Each_runs_the_jobs_of_its_database) {
    ServiceProcess service({"serve", "--config", config()}, {});
    ASSERT_TRUE(says_both(service, "orders: ready", "billing: ready")) << service.output();
    for (const std::string engine : {"orders", "billing"}) {
        const std::string payload = R"({"of":")" + engine + "\"}";
        ASSERT_EQ(
            on(engine, {"job", "add", "--type", "log", "--payload", payload}).code, ExitCode::done
        );
        EXPECT_TRUE(service.says(engine + ": log job")) << service.output();
    }
    service.send(SIGTERM);
    EXPECT_EQ(service.exit_code(), 0) << service.output();
}

TEST_F(EnginesOfOneService, One_whose_database_is_away_delays_no_other_and_is_tried_again) {
    const std::string path = config();
    std::filesystem::remove(path_of("billing.db"));
    std::filesystem::create_directory(path_of("billing.db"));
    ServiceProcess service({"serve", "--config", path}, {});
    ASSERT_TRUE(says_both(service, "billing: this engine could not be started", "orders: ready"))
        << service.output();
    ASSERT_EQ(on("orders", {"job", "add", "--type", "log"}).code, ExitCode::done);
    EXPECT_TRUE(service.says("orders: log job")) << service.output();
    std::filesystem::remove(path_of("billing.db"));
    std::ofstream(path_of("billing.db")).flush();
    EXPECT_TRUE(service.says("billing: ready")) << service.output();
    service.send(SIGTERM);
    EXPECT_EQ(service.exit_code(), 0) << service.output();
}

TEST_F(EnginesOfOneService, One_at_the_top_of_the_file_runs_beside_them) {
    ServiceProcess service({"serve", "--config", config("db = \"" + url() + "\"\n")}, {});
    ASSERT_TRUE(service.says("orders: ready"));
    add({"--type", "log", "--payload", R"({"of":"the first"})"});
    EXPECT_TRUE(service.says("the first")) << service.output();
    service.send(SIGTERM);
    EXPECT_EQ(service.exit_code(), 0) << service.output();
}

TEST_F(EnginesOfOneService, A_command_is_about_the_one_that_it_names) {
    const std::string path = config();
    EXPECT_EQ(on("orders", {"schema", "create"}).code, ExitCode::done);
    EXPECT_EQ(on("orders", {"job", "ls"}).code, ExitCode::done);
    EXPECT_THAT(
        on("order", {"job", "ls"}).err,
        HasSubstr("there is no engine order in the configuration file; it has billing, orders")
    );
    EXPECT_THAT(
        run_bare({"job", "ls", "--config", path}).err,
        HasSubstr("no database: pass --engine NAME, or --engine all; the configuration file has "
                  "billing, orders")
    );
}

TEST_F(EnginesOfOneService, What_one_does_not_say_is_as_at_the_top) {
    const std::string path = config("corePoolSize = 2\nmaxPoolSize = 6\n", "maxPoolSize = 3\n");
    EXPECT_THAT(on("orders", {"config", "show"}).out, HasSubstr("maxPoolSize = 6\n"));
    EXPECT_THAT(on("billing", {"config", "show"}).out, HasSubstr("maxPoolSize = 3\n"));
    EXPECT_THAT(on("billing", {"config", "show"}).out, HasSubstr("corePoolSize = 2\n"));
}

TEST_F(EnginesOfOneService, Instances_move_to_where_the_rule_says_that_they_belong) {
    config("spreadOver = [\"orders\", \"billing\"]\n");
    for (const std::string engine : {"orders", "billing"}) {
        ASSERT_EQ(on(engine, {"schema", "create"}).code, ExitCode::done);
    }
    for (const std::string instance : {"1", "2", "3", "4"}) {
        EXPECT_EQ(
            on("orders", {"job", "add", "--type", "log", "--instance", instance}).code,
            ExitCode::done
        );
    }
    const CliResult shown = on("orders", {"instance", "move", "--all", "--dry-run", "-o", "csv"});
    EXPECT_THAT(shown.out, HasSubstr("3,billing\r\n"));
    EXPECT_THAT(shown.err, HasSubstr("would be moved; nothing was"));
    EXPECT_EQ(on("orders", {"instance", "move", "--all"}).code, ExitCode::refused);
    const CliResult moved = on("orders", {"instance", "move", "--all", "--yes", "-o", "csv"});
    EXPECT_EQ(moved.code, ExitCode::done) << moved.err;
    EXPECT_THAT(moved.out, HasSubstr("3,billing,1\r\n"));
    EXPECT_THAT(on("orders", {"instance", "ls", "-o", "name"}).out, "1\n2\n4\n");
    EXPECT_THAT(on("billing", {"instance", "ls", "-o", "name"}).out, "3\n");
    EXPECT_THAT(
        on("billing", {"audit", "ls", "-o", "csv"}).out,
        HasSubstr("instance move,from engine orders,,done,1")
    );
    EXPECT_THAT(on("orders", {"instance", "move", "1"}).err, HasSubstr("1 belongs where it is"));
    EXPECT_EQ(on("orders", {"instance", "move", "3"}).code, ExitCode::not_found);
    const CliResult against = on("orders", {"instance", "move", "1", "9", "--to", "billing"});
    EXPECT_EQ(against.code, ExitCode::partly_done);
    EXPECT_THAT(
        against.err,
        HasSubstr("new jobs of instance 1 are stored in orders all the same, by spreadOver\n"
                  "jobstrand: instance 9 has no jobs here\n")
    );
}

TEST_F(EnginesOfOneService, An_instance_is_not_moved_into_the_database_that_it_is_in) {
    config("", "[engines.again]\ndb = \"sqlite:" + path_of("orders.db") + "\"\n");
    ASSERT_EQ(on("orders", {"schema", "create"}).code, ExitCode::done);
    ASSERT_EQ(
        on("orders", {"job", "add", "--type", "log", "--instance", "p"}).code, ExitCode::done
    );
    const auto move_to = [&](const std::string& engine) {
        return on("orders", {"instance", "move", "p", "--to", engine});
    };
    EXPECT_THAT(move_to("again").err, HasSubstr("engines orders and again have the same database"));
    EXPECT_THAT(
        move_to("orders").err, HasSubstr("--to names the engine that the instances are in")
    );
    EXPECT_THAT(move_to("").err, HasSubstr("--to"));
    EXPECT_THAT(on("orders", {"instance", "move", "p"}).err, HasSubstr("say where they go"));
    EXPECT_THAT(on("orders", {"instance", "ls", "-o", "csv"}).out, HasSubstr("p,false"));
}

TEST_F(EnginesOfOneService, Mistakes_are_told_with_their_names) {
    const std::string path = file(
        "engines.toml", "[engines.a]\nqueueSize = 0\n[engines.b]\ndb = \"sqlite:b.db\"\nfoo = 1\n"
    );
    const std::string told = run_bare({"config", "check", "--config", path}).err;
    EXPECT_THAT(told, HasSubstr("engines.toml:1: [engines.a] needs db"));
    EXPECT_THAT(told, HasSubstr("engines.toml:2: [engines.a] queueSize = 0"));
    EXPECT_THAT(told, HasSubstr("engines.toml:5: [engines.b] there is no setting foo"));
    const std::string few = config("maxPoolSize = 2\n");
    EXPECT_THAT(
        run_bare({"serve", "--config", few}).err,
        HasSubstr("maxPoolSize is 2, but 3 engines share these threads, and each needs one")
    );
}

}  // namespace

}  // namespace jobstrand::test
