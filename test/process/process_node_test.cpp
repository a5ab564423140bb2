#include "persistence/drivers/database_url.hpp"
#include "persistence/sql/db_error.hpp"
#include "test/fixtures/background_process.hpp"
#include "test/fixtures/server_database.hpp"
#include "test/fixtures/temporary_directory.hpp"
#include "test/process/binaries.hpp"
#include "test/process/service_fixture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <memory>
#include <sstream>
#include <vector>

namespace jobstrand {

namespace {

using schema::JobPlace;
using test::ServiceTest;
using testing::HasSubstr;
using namespace std::chrono_literals;

/// Services that die, stop for a while, and are drained. Locks last far longer than each test, so
/// that only a lease can end them.
class NodeTest : public ServiceTest {
protected:
    NodeTest() { configure_nodes("nodeLease = 600\n"); }

    void configure_nodes(const std::string& more) const {
        std::ofstream(path("config.toml"))
            << "db = \"" << url() << "\"\nasyncExecutorAsyncJobLockTimeInMillis = 600000\n"
            << more
            << a_command("hold", echo("started", "started") + wait_to_go() + echo("ran", "ran"));
    }

    void add_hold() { add_command("hold"); }

    /// Not while it writes: then it would keep all others from the file.
    void freeze(const test::BackgroundProcess& node) const {
        ASSERT_TRUE(test::eventually([&] {
            node.freeze();
            if (others_can_write()) {
                return true;
            }
            node.send(SIGCONT);
            return false;
        }));
    }

    [[nodiscard]] std::size_t starts() const { return lines_of("started").size(); }

    [[nodiscard]] bool others_can_write() const {
        try {
            const auto other = test::open_connection(
                persistence::parse_database_url(url() + "?busy_timeout=PT0.2S").value()
            );
            other->run_script("BEGIN IMMEDIATE; ROLLBACK");
            return true;
        } catch (const persistence::DbError&) {
            return false;
        }
    }

    [[nodiscard]] std::string only_node() { return expect_success({"node", "ls", "-o", "name"}); }
};

TEST_F(NodeTest, A_killed_node_s_job_runs_elsewhere_when_its_lease_is_over) {
    add_hold();
    const auto killed = a_service();
    ASSERT_TRUE(test::eventually([&] { return starts() == 1; }));
    killed->kill();
    const auto other = a_service();
    ASSERT_TRUE(test::eventually([&] { return starts() == 2; }));
    let_go();
    EXPECT_TRUE(all_done());
    EXPECT_THAT(other->log(), HasSubstr("a node has not renewed its lease"));
}

TEST_F(NodeTest, Others_see_since_when_a_job_runs_and_how_many_were_run) {
    add_hold();
    const auto service = a_service();
    std::string id = expect_success({"job", "ls", "-o", "name"});
    id.pop_back();
    ASSERT_TRUE(test::eventually([&] {
        return expect_success({"job", "show", id, "-o", "json"}).find("\"runningSince\":\"20") !=
               std::string::npos;
    }));
    let_go();
    EXPECT_TRUE(test::eventually([&] {
        return expect_success({"stats", "--by-type", "-o", "json"}).find("\"runsLastMinute\":1") !=
               std::string::npos;
    }));
}

TEST_F(NodeTest, A_restart_under_its_own_name_has_its_jobs_long_before_its_lease_is_over) {
    configure_nodes("nodeLease = 600000\nlockOwner = \"node-1\"\n");
    add_hold();
    const auto killed = a_service();
    ASSERT_TRUE(test::eventually([&] { return starts() == 1; }));
    killed->kill();
    const auto restarted = a_service();
    ASSERT_TRUE(test::eventually([&] { return starts() == 2; }));
    let_go();
    EXPECT_TRUE(all_done());
}

// I3
TEST_F(NodeTest, A_frozen_node_that_thaws_writes_nothing_and_goes_on_with_other_jobs) {
    add_hold();
    const auto frozen =
        std::make_unique<test::BackgroundProcess>(command({"serve"}), path("frozen.log"));
    ASSERT_TRUE(test::eventually([&] { return starts() == 1; }));
    freeze(*frozen);
    {
        const auto other = a_service();
        ASSERT_TRUE(test::eventually([&] { return starts() == 2; })) << other->log();
        frozen->send(SIGCONT);
        ASSERT_TRUE(frozen->wait_for_log("this node's lease was over"));
        ASSERT_TRUE(frozen->wait_for_log("lock lost"));
        let_go();
        EXPECT_TRUE(all_done());
        expect_stop(*other);
    }
    add_hold();
    EXPECT_TRUE(all_done());
}

TEST_F(NodeTest, A_drained_node_ends_what_it_holds_and_takes_nothing_until_it_is_resumed) {
    add_hold();
    const auto service = a_service();
    ASSERT_TRUE(test::eventually([&] { return starts() == 1; }));
    std::string node = only_node();
    node.pop_back();
    expect_success({"node", "drain", node});
    ASSERT_TRUE(service->wait_for_log("this node is drained"));
    add_hold();
    let_go();
    expect_success({"node", "drain", node, "--wait"});
    EXPECT_EQ(count_all(), 1);
    EXPECT_EQ(starts(), 1U);
    EXPECT_THAT(expect_success({"node", "ls", "-o", "json"}), HasSubstr(R"("state":"draining")"));
    EXPECT_THAT(expect_success({"stats", "-o", "json"}), HasSubstr(R"("handlerType":"command")"))
        << "nobody serves the job that waits";
    expect_success({"node", "resume", node});
    EXPECT_TRUE(all_done());
}

TEST_F(NodeTest, A_node_that_stops_is_not_listed_any_more) {
    const auto service = a_service();
    ASSERT_TRUE(test::eventually([&] { return !only_node().empty(); }));
    expect_stop(*service);
    EXPECT_EQ(only_node(), "");
}

TEST_F(NodeTest, A_node_that_is_not_there_cannot_be_drained) {
    const test::ProgramResult result = cli({"node", "drain", "nobody", "--wait"});
    EXPECT_EQ(result.exit_code, 4);
    EXPECT_THAT(result.err, HasSubstr("there is no living node nobody: `jobstrand node ls`"));
}

/// Jobs that the service at hand cannot run (I7).
class UnservedTest : public ServiceTest {
protected:
    static constexpr int kJobs = 1000;

    /// All jobs have been looked at, and are free again.
    [[nodiscard]] bool all_wait(const std::string& needs) {
        return test::eventually([&] {
            const auto jobs = store->jobs().list(JobPlace::executable, {}, "", 2 * kJobs);
            return std::ranges::all_of(jobs, [&](const schema::Job& job) {
                return job.needs == needs && job.lock_owner.empty();
            });
        });
    }

    void expect_unharmed() {
        for (const schema::Job& job : store->jobs().list(JobPlace::executable, {}, "", 2 * kJobs)) {
            ASSERT_EQ(job.retries, 3);
            ASSERT_EQ(job.attempts, 0);
            ASSERT_EQ(job.exception_message, "");
        }
        EXPECT_EQ(count(JobPlace::executable), kJobs);
        EXPECT_EQ(count_all(), kJobs);
    }
};

TEST_F(UnservedTest, Command_jobs_wait_for_a_node_that_has_their_command) {
    const std::string quick = "[commands.quick]\nprogram = \"/bin/true\"\n";
    configure(quick);
    add_jobs(kJobs, job_of("quick"));
    const std::string id = store->jobs().list(JobPlace::executable, {}, "", 1).front().id;

    configure("[commands.other]\nprogram = \"/bin/false\"\n");
    {
        const auto without = a_service();
        ASSERT_TRUE(all_wait("[commands.quick]"));
        ASSERT_TRUE(without->wait_for_log("nobody here serves this kind of job"));
        EXPECT_THAT(without->log(), HasSubstr("handler_type=command needs=[commands.quick] jobs="));
        EXPECT_THAT(
            cli({"stats"}).err,
            HasSubstr("nobody serves command that needs [commands.quick]: 1000 jobs wait")
        );
        EXPECT_THAT(
            expect_success({"job", "show", id, "-o", "json"}),
            HasSubstr(R"("nobodyServes":"[commands.quick]")")
        );
        expect_unharmed();
    }
    configure(quick);
    const auto with = a_service();
    EXPECT_TRUE(all_done(120s));
    EXPECT_EQ(with->log().find("dead"), std::string::npos);
}

TEST_F(UnservedTest, Jobs_of_a_misspelt_handler_type_wait_and_are_named) {
    add_jobs(kJobs, R"({"handlerType":"emial"})");
    const auto service = a_service();
    ASSERT_TRUE(service->wait_for_log("nobody here serves this kind of job"));
    EXPECT_THAT(service->log(), HasSubstr("handler_type=emial jobs=1000"));
    EXPECT_THAT(cli({"stats"}).err, HasSubstr("nobody serves emial: 1000 jobs wait"));
    expect_unharmed();
}

TEST_F(UnservedTest, A_payload_that_names_no_command_fails_because_no_configuration_helps) {
    expect_success({"job", "add", "--type", "command", "--payload", R"({"order":17})"});
    const auto service = a_service();
    ASSERT_TRUE(test::eventually([&] { return count(JobPlace::dead_letter) == 1; }));
    EXPECT_THAT(a_dead_job().exception_message, HasSubstr("needs \"command\": \"NAME\""));
}

constexpr int kAllowed = 5;
constexpr int kLimitedJobs = 24;

/// Four services on one database, and jobs of which five may run at the same time.
class LimitTest : public ServiceTest {
protected:
    LimitTest() {
        std::ofstream(path("config.toml"))
            << "db = \"" << url() << "\"\n"
            << a_command("step", echo("begin", "steps") + wait_to_go() + echo("end", "steps"));
    }

    void add_steps() {
        for (int i = 0; i < kLimitedJobs; ++i) {
            add_command("step");
        }
    }

    /// How many ran at the same time at most.
    [[nodiscard]] int most_at_once() {
        int running = 0;
        int most = 0;
        for (const std::string& line : lines_of("steps")) {
            running += line == "begin" ? 1 : -1;
            most = std::max(most, running);
        }
        return most;
    }
};

// B7
TEST_F(LimitTest, Four_services_never_run_more_than_it_allows_and_all_run_in_the_end) {
    expect_success({"limit", "set", "type:command", "--concurrent", std::to_string(kAllowed)});
    add_steps();
    std::vector<decltype(a_service())> services;
    for (int i = 0; i < 4; ++i) {
        services.push_back(a_service());
    }
    ASSERT_TRUE(test::eventually([&] { return lines_of("steps").size() == kAllowed; }));
    EXPECT_THAT(expect_success({"limit", "ls", "-o", "json"}), HasSubstr("\"running\":5"));
    let_go();
    EXPECT_TRUE(all_done());
    EXPECT_EQ(lines_of("steps").size(), 2 * kLimitedJobs);
    EXPECT_EQ(most_at_once(), kAllowed);
}

class SeriesTest : public ServiceTest {
protected:
    SeriesTest() {
        configure(
            "defaultTimerJobAcquireWaitTime = 50\ndefaultAsyncJobAcquireWaitTime = 50\n" +
            a_command("tick", echo("tick", "ran"))
        );
    }

    [[nodiscard]] std::size_t runs() const { return lines_of("ran").size(); }

    /// Waits until `more` turns have run from now on.
    [[nodiscard]] bool run_again(std::size_t more) const {
        const std::size_t goal = runs() + more;
        return test::eventually([&] { return runs() >= goal; }, 60s);
    }

    [[nodiscard]] bool nothing_runs() const {
        return test::eventually([&] { return count(JobPlace::executable) == 0; });
    }
};

// R110 R113 R144: another process begins, pauses, resumes and ends what the service runs.
TEST_F(SeriesTest, A_series_is_begun_paused_resumed_and_ended_beside_a_running_service) {
    const auto service = a_service();
    ASSERT_TRUE(service->wait_for_log("ready"));
    add_command("tick", {"--series", "ticks", "--repeat", "R/PT0.2S"});
    ASSERT_TRUE(run_again(3));

    expect_success({"series", "pause", "ticks"});
    ASSERT_TRUE(nothing_runs());
    const std::size_t paused_after = runs();
    EXPECT_EQ(count(JobPlace::suspended), 1);
    EXPECT_EQ(count(JobPlace::timer), 0);
    // A series that goes on beside it shows that time has passed in which the paused one could run.
    expect_success({"job", "add", "--type", "noop", "--id", "beside", "--repeat", "R5/PT0.2S"});
    ASSERT_TRUE(test::eventually([&] {
        return expect_success({"series", "show", "beside", "-o", "json"}).find("\"ended\"") !=
               std::string::npos;
    }));
    EXPECT_EQ(runs(), paused_after);

    expect_success({"series", "resume", "ticks"});
    ASSERT_TRUE(run_again(2));

    expect_success({"series", "end", "ticks"});
    ASSERT_TRUE(nothing_runs());
    EXPECT_EQ(count_all(), 0);
    EXPECT_EQ(cli({"series", "pause", "ticks"}).exit_code, 5);
    expect_success({"series", "rm", "ticks"});
    EXPECT_EQ(cli({"series", "show", "ticks"}).exit_code, 4);
}

/// Jobs that fail while a file is missing, and a service that runs them.
class ProbeTest : public ServiceTest {
protected:
    ProbeTest() {
        configure(a_command("call", "test -f \"" + path("back") + "\""));
        for (int i = 0; i < 5; ++i) {
            add_command("call", {"--retries", "1"});
        }
        service_ = a_service();
        EXPECT_TRUE(test::eventually([&] { return count(JobPlace::dead_letter) == 5; }));
        const std::string groups = expect_success({"dead", "groups", "-o", "name"});
        group_ = groups.substr(0, groups.find('\n'));
    }

    std::unique_ptr<test::BackgroundProcess> service_;
    std::string group_;
};

// B12: a downstream service was away.
TEST_F(ProbeTest, One_is_tried_and_the_others_follow_when_it_has_succeeded) {
    const std::vector<std::string> requeue{
        "dead", "requeue", "--group", group_, "--probe", "--probe-wait", "30s"};
    const test::ProgramResult too_early = cli(requeue);
    EXPECT_EQ(too_early.exit_code, 1);
    EXPECT_THAT(too_early.err, HasSubstr("failed again and stands in place dead"));
    EXPECT_EQ(count(JobPlace::dead_letter), 5);
    std::ofstream(path("back")) << "yes\n";
    EXPECT_THAT(expect_success(requeue), HasSubstr("4"));
    EXPECT_TRUE(all_done());
}

/// The example app on a database of its own.
class ExampleAppTest : public testing::Test {
protected:
    test::ProgramResult app(const std::vector<std::string>& words) {
        std::vector<std::string> command{
            test::kOrderServiceBinary, "sqlite:" + (directory_.path() / "orders.db").string()};
        command.insert(command.end(), words.begin(), words.end());
        return test::run_program(command);
    }

    /// Runs until the given step kills it; the orders that it confirmed are added to `confirmed`.
    /// false: it has fewer steps and ended by itself.
    bool dies_at(int step, std::vector<std::string> words) {
        words.insert(words.end(), {"--die-at", std::to_string(step)});
        const test::ProgramResult result = app(words);
        std::istringstream lines(result.out);
        for (std::string id; std::getline(lines, id);) {
            ++confirmed;
        }
        EXPECT_TRUE(result.exit_code == 0 || result.exit_code == 128 + SIGKILL) << result.err;
        return result.exit_code != 0;
    }

    std::map<std::string, int> report() {
        std::map<std::string, int> numbers;
        std::istringstream lines(app({"report"}).out);
        for (std::string line; std::getline(lines, line);) {
            const std::size_t space = line.rfind(' ');
            numbers[line.substr(0, space)] = std::stoi(line.substr(space + 1));
        }
        return numbers;
    }

    int confirmed = 0;

private:
    test::TemporaryDirectory directory_;
};

// I2 B10
TEST_F(
    ExampleAppTest,
    Killed_at_every_step_it_keeps_each_confirmed_order_and_invoices_each_order_once
) {
    int step = 1;
    while (dies_at(step, {"place", "2"})) {
        ++step;
    }
    EXPECT_GE(step, 8);
    const int orders = report()["orders"];
    EXPECT_GE(orders, confirmed);
    EXPECT_EQ(report()["open jobs"], orders);

    step = 1;
    while (dies_at(step, {"work"})) {
        ++step;
    }
    EXPECT_GE(step, 3);
    auto numbers = report();
    EXPECT_EQ(numbers["orders"], orders);
    EXPECT_EQ(numbers["invoices"], orders);
    EXPECT_EQ(numbers["invoiced orders"], orders);
    EXPECT_EQ(numbers["open jobs"], 0);
}

}  // namespace

}  // namespace jobstrand
