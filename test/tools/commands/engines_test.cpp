#include "test/fixtures/signal.hpp"
#include "test/tools/cli_fixture.hpp"
#include "test/tools/service_process.hpp"

#include <gmock/gmock.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>

namespace jobstrand::test {
namespace {

using cli::ExitCode;
using testing::HasSubstr;

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
    EXPECT_THAT(run_bare({"job", "ls", "--config", path}).err, HasSubstr("no database"));
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
