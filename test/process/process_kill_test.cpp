#include "schema/clock.hpp"
#include "test/process/service_fixture.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <csignal>
#include <map>
#include <random>
#include <set>

namespace jobstrand {

namespace {

using schema::JobPlace;
using schema::TimePoint;
using test::ServiceTest;
using testing::HasSubstr;
using namespace std::chrono_literals;

// I2 I5 R001 R103: nothing is lost, and a crash uses no retry.
TEST_F(ServiceTest, Ten_thousand_jobs_survive_five_kills_of_the_service) {
    constexpr int jobs = 10'000;
    lock_ms = 1000;
    configure("logLevel = \"warn\"\nasyncExecutorThreadPoolQueueSize = 200\nmaxLostStarts = 1000\n"
    );
    add_jobs(jobs, R"({"handlerType":"noop"})");
    ASSERT_EQ(count(JobPlace::executable), jobs);

    for (int kills = 1; kills <= 5; ++kills) {
        const auto service = a_service();
        const std::int64_t goal = jobs - kills * jobs / 6;
        ASSERT_TRUE(test::eventually([&] { return count(JobPlace::executable) <= goal; }));
        service->kill();
        for (const schema::Job& job : store->jobs().list(JobPlace::executable, {}, "", jobs)) {
            ASSERT_EQ(job.retries, 3);
            ASSERT_EQ(job.attempts, 0);
        }
        EXPECT_EQ(count(JobPlace::timer), 0);
        EXPECT_EQ(count(JobPlace::dead_letter), 0);
    }
    EXPECT_GT(count(JobPlace::executable), 0);

    const auto service = a_service();
    EXPECT_TRUE(all_done(60s));
}

// A start that was lost is counted if its job was running, and whoever is suspected waits and
// starts alone: only a job that ends its process is found to do so.
TEST_F(ServiceTest, Kills_from_outside_make_no_job_a_dead_letter) {
    constexpr std::size_t jobs = 400;
    constexpr std::size_t kills = 9;
    lock_ms = 3000;
    configure(
        "nodeLease = \"PT2S\"\nasyncExecutorCorePoolSize = 4\nasyncExecutorMaxPoolSize = 4\n" +
        a_command("work", "sleep 0.1\n" + echo("$JOBSTRAND_JOB_ID", "ran"))
    );
    add_jobs(jobs, job_of("work"));
    std::vector<std::unique_ptr<test::BackgroundProcess>> services;
    for (int i = 0; i < 3; ++i) {
        services.push_back(a_service());
    }
    for (std::size_t kill = 1; kill <= kills; ++kill) {
        ASSERT_TRUE(test::eventually([&] { return lines_of("ran").size() >= kill * 30; }));
        auto& service = services[kill % services.size()];
        service->kill();
        service = a_service();
    }
    EXPECT_TRUE(test::eventually([&] { return count_all() == count(JobPlace::dead_letter); }, 180s)
    );
    EXPECT_EQ(count(JobPlace::dead_letter), 0);
    const std::vector<std::string> ran = lines_of("ran");
    EXPECT_EQ(std::set<std::string>(ran.begin(), ran.end()).size(), jobs);
}

// Every id is written by a program of its own: at least once each, and more than once only if it
// ran at a kill.
TEST_F(
    ServiceTest,
    Every_command_job_runs_although_the_service_is_killed_and_repeats_only_after_a_kill
) {
    constexpr int jobs = 300;
    constexpr int kills = 3;
    lock_ms = 1000;
    configure(
        "asyncExecutorCorePoolSize = 4\nasyncExecutorMaxPoolSize = 4\nmaxLostStarts = 1000\n" +
        a_command("append", echo("$JOBSTRAND_JOB_ID", "ran"))
    );
    add_jobs(jobs, job_of("append"));
    std::set<std::string> ids;
    for (const schema::Job& job : store->jobs().list(JobPlace::executable, {}, "", jobs)) {
        ids.insert(job.id);
    }
    ASSERT_EQ(ids.size(), jobs);

    for (std::size_t kill = 1; kill <= kills; ++kill) {
        const auto service = a_service();
        ASSERT_TRUE(test::eventually([&] { return lines_of("ran").size() >= kill * jobs / 4; }));
        service->kill();
    }
    const auto service = a_service();
    ASSERT_TRUE(all_done(60s));

    std::map<std::string, std::size_t> runs;
    for (const std::string& id : lines_of("ran")) {
        ++runs[id];
    }
    EXPECT_EQ(runs.size(), ids.size());
    for (const auto& [id, times] : runs) {
        EXPECT_TRUE(ids.contains(id));
        EXPECT_LE(times, 1 + kills);
    }
}

// What the node keeps of such a job goes down with it, and its lock ends.
TEST_F(ServiceTest, A_job_whose_outcome_was_refused_runs_again_when_its_service_was_killed) {
    lock_ms = 1000;
    configure(a_command("append", echo("ran", "ran")));
    const auto database =
        persistence::open_database(persistence::parse_database_url(url()).value(), {});
    const auto run = [&](std::string_view sql) {
        database->lease(persistence::SessionPool::Access::write)->run_script(sql);
    };
    run("CREATE TRIGGER NO_END BEFORE DELETE ON ACT_RU_JOB "
        "BEGIN SELECT RAISE(ABORT, 'no'); END");
    add_command("append");
    {
        const auto service = a_service();
        ASSERT_TRUE(service->wait_for_log("the database refuses what became of a job"));
        service->kill();
    }
    run("DROP TRIGGER NO_END");
    EXPECT_EQ(count(JobPlace::executable), 1);
    EXPECT_EQ(lines_of("ran").size(), 1U);
    const auto service = a_service();
    EXPECT_TRUE(all_done(60s));
    EXPECT_EQ(lines_of("ran").size(), 2U);
}

/// Jobs that end the service that runs them, and their neighbours.
class CrashLoopTest : public ServiceTest {
protected:
    CrashLoopTest() {
        lock_ms = 300;  // A job that two processes died of is left alone for ten lock times.
        configure(
            a_command("crash", echo("crash", "crashed") + "kill -9 $PPID") +
            a_command("append", echo("$JOBSTRAND_JOB_ID $JOBSTRAND_ATTEMPT", "ran") + "sleep 0.02")
        );
    }

    /// Adds jobs that run these commands, in this order.
    void add(const std::vector<std::string>& commands) {
        std::string lines;
        for (const std::string& command : commands) {
            lines += job_of(command) + "\n";
        }
        expect_success({"job", "add", "--from", "-"}, lines);
    }

    /// Starts the service again whenever it has died, until no job waits any more.
    void run_until_no_job_waits() {
        const auto is_over = [&] { return count(JobPlace::executable) == 0; };
        for (deaths = 0; deaths < 20; ++deaths) {
            const auto service = a_service();
            const bool has_ended =
                test::eventually([&] { return is_over() || service->wait(0ms).has_value(); });
            ASSERT_TRUE(has_ended);
            if (is_over()) {
                expect_stop(*service);  // It writes its last lines.
                return;
            }
        }
        FAIL() << "the service dies for ever";
    }

    /// How many jobs have appended their line, each on its first attempt: a crash is no attempt.
    /// On a slow machine a lock this short ends while its job runs, which then runs twice.
    [[nodiscard]] std::size_t appended_on_first_attempt() const {
        std::set<std::string> jobs;
        for (const std::string& line : lines_of("ran")) {
            EXPECT_TRUE(line.ends_with(" 1")) << line;
            jobs.insert(line);
        }
        return jobs.size();
    }

    [[nodiscard]] std::ptrdiff_t lines_that_alert() const {
        return std::ranges::count_if(lines_of("service.log"), [](const std::string& line) {
            return line.find("ERROR a job ends every process that runs it") != std::string::npos;
        });
    }

    int deaths = 0;
};

TEST_F(CrashLoopTest, A_job_that_kills_the_service_is_a_dead_letter_after_three_starts) {
    add({"crash"});
    run_until_no_job_waits();
    EXPECT_EQ(lines_of("crashed").size(), 3U);
    EXPECT_EQ(deaths, 3);
    ASSERT_EQ(count(JobPlace::dead_letter), 1);
    EXPECT_THAT(
        a_dead_job().exception_message, HasSubstr("the process that held it ended 3 times")
    );
    EXPECT_EQ(lines_that_alert(), 1);
}

TEST_F(CrashLoopTest, Its_neighbours_all_run_and_keep_their_retries) {
    std::vector<std::string> commands(60, "append");
    commands[20] = "crash";
    add(commands);
    run_until_no_job_waits();
    EXPECT_LE(lines_of("crashed").size(), 3U);
    EXPECT_EQ(count(JobPlace::dead_letter), 1);
    EXPECT_EQ(count_all(), 1);
    EXPECT_EQ(appended_on_first_attempt(), 59U);
}

TEST_F(CrashLoopTest, Several_of_them_are_each_found_out) {
    std::vector<std::string> commands(30, "append");
    commands[5] = commands[6] = commands[25] = "crash";
    add(commands);
    run_until_no_job_waits();
    EXPECT_EQ(count(JobPlace::dead_letter), 3);
    EXPECT_EQ(count_all(), 3);
    EXPECT_LE(lines_of("crashed").size(), 9U);
}

TEST_F(CrashLoopTest, A_kill_while_a_job_waited_in_the_queue_makes_no_difference_to_it) {
    std::ofstream(path("config.toml"), std::ios::app)
        << a_command("hold", echo("up", "up") + "test -f \"" + path("go") + "\" || exec sleep 20");
    add({"append"});
    {
        const auto service = a_service();
        ASSERT_TRUE(all_done());
        std::vector<std::string> commands(20, "append");
        std::fill_n(commands.begin(), 8, "hold");
        add(commands);
        ASSERT_TRUE(test::eventually([&] { return lines_of("up").size() == 8; }));
        ASSERT_TRUE(test::eventually([&] {
            return count(JobPlace::executable, {.locked = true}) == 20;
        })) << "after a short run the queue is filled";
        service->kill();
    }
    let_go();
    const auto service = a_service();
    ASSERT_TRUE(all_done(60s));
    EXPECT_EQ(appended_on_first_attempt(), 13U);
}

// R063 R068 R157 R158
TEST_F(ServiceTest, Jobs_that_always_fail_run_three_times_then_are_repaired_and_requeued) {
    constexpr int jobs = 100;
    configure(a_command(
        "fragile",
        echo("$JOBSTRAND_JOB_ID", "ran") + "test -f \"" + path("repaired") + "\" && exit 0\n" +
            "echo 'the disk is on fire'\nexit 3"
    ));
    add_jobs(
        jobs, R"({"handlerType":"command","payload":{"command":"fragile"},"retryCycle":"R3/PT1S"})"
    );
    const auto service = a_service();
    ASSERT_TRUE(test::eventually([&] { return count(JobPlace::dead_letter) == jobs; }, 60s));

    std::map<std::string, int> runs;
    for (const std::string& id : lines_of("ran")) {
        ++runs[id];
    }
    EXPECT_EQ(runs.size(), jobs);
    for (const auto& [id, times] : runs) {
        EXPECT_EQ(times, 3) << id;
    }
    for (const schema::Job& job : store->jobs().list(JobPlace::dead_letter, {}, "", jobs)) {
        EXPECT_NE(job.exception_message.find("exit code 3"), std::string::npos);
        EXPECT_NE(
            store->jobs().exception_details(job).find("the disk is on fire"), std::string::npos
        );
    }
    const std::string some_id = runs.begin()->first;
    EXPECT_NE(
        expect_success({"dead", "show", some_id}).find("the disk is on fire"), std::string::npos
    );

    std::ofstream(path("repaired")) << "yes";
    expect_success({"dead", "requeue", "--all", "--retries", "1"});
    EXPECT_TRUE(all_done(60s));
    EXPECT_EQ(lines_of("ran").size(), 4U * jobs);
}

/// A service that runs a program which must not run twice at once: it says so when it does.
class ProgramKills : public ServiceTest {
protected:
    ProgramKills() {
        lock_ms = 1000;
        const std::string folder = directory.path();
        const std::string alone = a_command(
            "alone",
            "exec 9>" + folder + "/alone.lock\n" +
                "flock -n 9 || echo $JOBSTRAND_FENCING_TOKEN >>" + folder + "/overlaps\n" +
                "sleep 600 9>&9 &\n" +  // A child, which holds the lock as well.
                "echo $! >>" + folder + "/children\n" + "echo $$ >>" + folder + "/programs\n" +
                "[ -e " + folder + "/enough ] || wait\n"
        );
        // Here it is not the job that kills the service.
        configure("maxLostStarts = 1000\n" + alone + "timeLimit = \"PT10M\"\n");
        add_command("alone");
    }

    [[nodiscard]] static bool is_gone(const std::string& pid) {
        return !test::is_running(std::stoi(pid));
    }
};

// I3, on one machine: also when the service dies by SIGKILL.
TEST_F(ProgramKills, No_two_runs_of_a_program_overlap_whatever_kills_the_service) {
    for (std::size_t kill = 1; kill <= 5; ++kill) {
        const auto service = a_service();
        ASSERT_TRUE(test::eventually([&] { return lines_of("programs").size() >= kill; }, 30s));
        service->kill();
    }
    std::ofstream(path("enough")) << "now\n";
    const auto service = a_service();
    ASSERT_TRUE(all_done(30s));
    EXPECT_EQ(lines_of("programs").size(), 6U);
    EXPECT_TRUE(lines_of("overlaps").empty());
}

TEST_F(ProgramKills, A_killed_service_takes_its_programs_and_their_children_with_it) {
    const auto service = a_service();
    ASSERT_TRUE(test::eventually([&] { return lines_of("programs").size() == 1; }));
    EXPECT_FALSE(is_gone(lines_of("children").front()));
    service->kill();
    for (const char* name : {"programs", "children"}) {
        EXPECT_TRUE(test::eventually([&] { return is_gone(lines_of(name).front()); })) << name;
    }
    EXPECT_EQ(count(JobPlace::executable), 1) << "it runs again when its lock expires";
}

TEST_F(ProgramKills, A_service_that_is_forced_to_stop_leaves_no_program_behind) {
    const auto service = a_service();
    ASSERT_TRUE(test::eventually([&] { return lines_of("programs").size() == 1; }));
    service->send(SIGTERM);
    ASSERT_TRUE(service->wait_for_log("stopping"));
    expect_stop(*service);
    EXPECT_TRUE(test::eventually([&] { return is_gone(lines_of("children").front()); }));
    EXPECT_EQ(count(JobPlace::timer), 1) << "interrupted, without a retry";
}

constexpr schema::Duration kPeriod = 20ms;
constexpr int kLimited = 300;

/// Series whose turns come every 20 ms. Nobody serves the handler type `pile`, so that its fired
/// turns stay where they can be counted.
class SeriesKills : public ServiceTest {
protected:
    void start(schema::Series series, const std::string& handler_type) {
        schema::Job turn;
        turn.id = series.key;
        turn.handler_type = handler_type;
        (void)store->enqueuer().create(
            {{.series = std::move(series), .first_turn = std::move(turn)}}, clock_.now()
        );
    }

    [[nodiscard]] schema::Series series(const std::string& key) const {
        return store->series().find_series(key).value().series;
    }

    /// The due dates of the turns that have fired; none twice.
    [[nodiscard]] std::set<TimePoint> fired_turns(const std::string& key) const {
        std::set<TimePoint> due;
        for (const schema::Job& job : store->jobs().list(JobPlace::executable, {}, "", 100'000)) {
            if (job.series == key && job.handler_type == "pile") {
                EXPECT_TRUE(due.insert(job.due_date.value()).second) << key;
            }
        }
        return due;
    }

    /// How many jobs carry each series on.
    [[nodiscard]] std::map<std::string, int> carrying_turns() const {
        std::map<std::string, int> count;
        for (const JobPlace place : schema::kJobPlaces) {
            for (const schema::Job& job : store->jobs().list(place, {}, "", 100'000)) {
                if (!job.repeat.empty()) {
                    ++count[job.series];
                }
            }
        }
        return count;
    }

    schema::SystemClock clock_;
};

// I1, I2, R121, R122, R125: whatever instant the process dies at.
TEST_F(SeriesKills, No_kill_of_the_service_loses_or_doubles_a_turn) {
    lock_ms = 1000;
    configure("defaultTimerJobAcquireWaitTime = 20\nmaxLostStarts = 1000\n");
    start({.key = "endless", .repeat = "R/PT0.02S"}, "pile");
    start({.key = "limited", .repeat = "R" + std::to_string(kLimited) + "/PT0.02S"}, "pile");
    start({.key = "one by one", .repeat = "R/PT0.02S", .overlap = false}, "noop");

    std::mt19937 random(20'260'101);
    std::uniform_int_distribution<std::int64_t> turns(1, 15);
    for (int kill = 0; kill < 15; ++kill) {
        const std::int64_t goal = series("endless").fire_count + turns(random);
        const auto service = a_service();
        ASSERT_TRUE(test::eventually([&] { return series("endless").fire_count >= goal; }, 30s));
        service->kill();
        const auto carried = carrying_turns();
        EXPECT_EQ(carried.at("endless"), 1);
        EXPECT_EQ(carried.at("one by one"), 1);
    }
    const std::int64_t one_by_one = series("one by one").fire_count;
    const auto service = a_service();
    ASSERT_TRUE(
        test::eventually([&] { return series("limited").state == schema::SeriesState::ended; }, 60s)
    );
    ASSERT_TRUE(
        test::eventually([&] { return series("one by one").fire_count > one_by_one + 5; }, 30s)
    );
    service->kill();

    const std::set<TimePoint> limited = fired_turns("limited");
    const TimePoint begin = series("limited").start.value();
    ASSERT_EQ(limited.size(), kLimited);
    EXPECT_EQ(*limited.begin(), begin + kPeriod);
    EXPECT_EQ(*limited.rbegin(), begin + kLimited * kPeriod);
    const std::set<TimePoint> endless = fired_turns("endless");
    EXPECT_EQ(endless.size(), static_cast<std::size_t>(series("endless").fire_count));
    for (const TimePoint due : endless) {
        EXPECT_EQ((due - series("endless").start.value()) % kPeriod, 0ms);
    }
}

}  // namespace

}  // namespace jobstrand
