#include "test/process/service_fixture.hpp"

#include <map>
#include <set>

namespace jobstrand {
namespace {

using namespace std::chrono_literals;
using schema::JobPlace;
using test::ServiceTest;

std::string jobs_as_lines(int count, const std::string& job) {
    std::string lines;
    for (int i = 0; i < count; ++i) {
        lines += job + "\n";
    }
    return lines;
}

// I2 I5 R001 R103: nothing is lost, and a crash uses no retry.
TEST_F(ServiceTest, Ten_thousand_jobs_survive_five_kills_of_the_service) {
    constexpr int jobs = 10'000;
    lock_ms = 1000;
    configure("logLevel = \"warn\"\nasyncExecutorThreadPoolQueueSize = 200\nmaxLostStarts = 1000\n"
    );
    expect_success({"job", "add", "--from", "-"}, jobs_as_lines(jobs, R"({"handlerType":"noop"})"));
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
    EXPECT_TRUE(test::eventually([&] { return count_all() == 0; }, 60s));
}

// A start that was lost is counted if its job was running, and whoever is suspected waits and
// starts alone: only a job that ends its process is found to do so.
TEST_F(ServiceTest, Kills_from_outside_make_no_job_a_dead_letter) {
    constexpr std::size_t jobs = 400;
    constexpr std::size_t kills = 9;
    lock_ms = 3000;
    const std::string script =
        a_script("work", "sleep 0.1\necho \"$JOBSTRAND_JOB_ID\" >> \"" + path("ran") + "\"");
    configure(
        "nodeLease = \"PT2S\"\nasyncExecutorCorePoolSize = 4\nasyncExecutorMaxPoolSize = 4\n"
        "[commands.work]\nprogram = \"" +
        script + "\"\n"
    );
    const std::string job = R"({"handlerType":"command","payload":{"command":"work"}})";
    expect_success({"job", "add", "--from", "-"}, jobs_as_lines(jobs, job));
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
    const std::string script =
        a_script("append", "echo \"$JOBSTRAND_JOB_ID\" >> \"" + path("ran") + "\"");
    configure(
        "asyncExecutorCorePoolSize = 4\nasyncExecutorMaxPoolSize = 4\nmaxLostStarts = 1000\n"
        "[commands.append]\nprogram = \"" +
        script + "\"\n"
    );
    expect_success(
        {"job", "add", "--from", "-"},
        jobs_as_lines(jobs, R"({"handlerType":"command","payload":{"command":"append"}})")
    );
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
    ASSERT_TRUE(test::eventually([&] { return count_all() == 0; }, 60s));

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
    const std::string script = a_script("append", "echo ran >> \"" + path("ran") + "\"");
    configure("[commands.append]\nprogram = \"" + script + "\"\n");
    const auto database =
        persistence::open_database(persistence::parse_database_url(url()).value(), {});
    const auto run = [&](std::string_view sql) {
        database->lease(persistence::SessionPool::Access::write)->run_script(sql);
    };
    run("CREATE TRIGGER NO_END BEFORE DELETE ON ACT_RU_JOB "
        "BEGIN SELECT RAISE(ABORT, 'no'); END");
    expect_success({"job", "add", "--type", "command", "--payload", R"({"command":"append"})"});
    {
        const auto service = a_service();
        ASSERT_TRUE(service->wait_for_log("the database refuses what became of a job"));
        service->kill();
    }
    run("DROP TRIGGER NO_END");
    EXPECT_EQ(count(JobPlace::executable), 1);
    EXPECT_EQ(lines_of("ran").size(), 1U);
    const auto service = a_service();
    EXPECT_TRUE(test::eventually([&] { return count_all() == 0; }, 60s));
    EXPECT_EQ(lines_of("ran").size(), 2U);
}

}  // namespace
}  // namespace jobstrand
