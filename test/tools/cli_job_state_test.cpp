#include "test/fixtures/open_store.hpp"
#include "test/fixtures/signal.hpp"
#include "test/tools/cli_fixture.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace jobstrand::test {

namespace {

using nlohmann::json;
using testing::HasSubstr;
using namespace std::chrono_literals;

class CliJobState : public CliTest {
protected:
    json state(const std::string& id, const std::string& name) {
        return json::parse(field(id, name));
    }
};

TEST_F(CliJobState, A_running_job_says_where_and_how_long_its_lock_lasts) {
    const std::string id = add();
    ASSERT_EQ(
        engine()
            .executor_store()
            .acquire(
                {.owner = engine().lock_owner(),
                 .until = engine().clock().now() + std::chrono::hours(1)},
                std::vector<std::string>{"noop"},
                1
            )
            .size(),
        1U
    );
    EXPECT_EQ(state(id, "runsOn")["process"], ::getpid());
    const std::int64_t left = state(id, "lockLeftMs");
    EXPECT_GT(left, 0);
    EXPECT_LE(left, 3'600'000);
    EXPECT_THAT(ok({"job", "show", id}), HasSubstr("process " + std::to_string(::getpid())));
}

TEST_F(CliJobState, A_job_that_runs_says_what_its_run_has_told) {
    const std::string id = add();
    lock(id);
    const schema::Job job = OpenStore(url())->jobs().find(id)->job;
    persistence::ToldRun run{
        .job = id,
        .revision = job.revision,
        .owner = job.lock_owner,
        .told = std::chrono::sys_days{std::chrono::year{2026} / 11 / 20},
        .news = {.progress = 0.4, .note = "page 4", .lines = "one\ntwo\x1b[31m\n"}};
    engine().run_news_store().write_news({&run, 1}, {});
    const json news = state(id, "news");
    EXPECT_EQ(news["progress"], 0.4);
    EXPECT_EQ(news["note"], "page 4");
    EXPECT_EQ(news["told"], "2026-11-20T00:00:00.000Z");
    EXPECT_EQ(news["lines"], json({"one", "two\x1b[31m"}));
    const std::string shown = ok({"job", "show", id});
    EXPECT_THAT(shown, HasSubstr("40 %: page 4"));
    EXPECT_THAT(shown, testing::Not(HasSubstr("\x1b[31m")));
    run.revision += 1;
    engine().run_news_store().write_news({&run, 1}, {});
    EXPECT_THAT(ok({"job", "show", id}), testing::Not(HasSubstr("40 %"))) << "of another run";
}

TEST_F(CliJobState, A_waiting_exclusive_job_says_for_whom) {
    const auto take = [&](const std::string& owner) {
        (void)engine().executor_store().acquire(
            {.owner = owner, .until = engine().clock().now() + std::chrono::hours(1)},
            std::vector<std::string>{"noop"},
            1
        );
    };
    add({"--type", "noop", "--instance", "order-17"});
    take("web-1:4711:000000000000000000000000000000ab");
    const std::string second = add({"--type", "noop", "--instance", "order-17"});
    take("web-2:12:000000000000000000000000000000cd");
    EXPECT_EQ(
        state(second, "waitsFor"),
        json::parse(
            R"({"instance":"order-17","lockOwner":"web-1:4711:000000000000000000000000000000ab"})"
        )
    );
    EXPECT_EQ(field(second, "runsOn"), "null");
    EXPECT_EQ(field(second, "lockLeftMs"), "null");
    EXPECT_THAT(
        ok({"job", "show", second}),
        HasSubstr("an exclusive job of instance order-17, held by "
                  "web-1:4711:000000000000000000000000000000ab")
    );
}

TEST_F(CliJobState, What_external_workers_end_counts_at_the_node_that_was_told) {
    engine().start();
    add({"--type", "pay", "--external"});
    add({"--type", "pay", "--external"});
    executor::WorkerBroker& workers = engine().workers();
    const std::vector<schema::Job> jobs =
        workers.acquire({.worker = "w1", .topics = {"pay"}, .lock = 1h, .jobs = 2});
    ASSERT_EQ(jobs.size(), 2U);
    const std::vector<executor::WorkResult> results{
        {.job = {.id = jobs[0].id}, .what = executor::WorkCompleted{}},
        {.job = {.id = jobs[1].id}, .what = executor::WorkFailed{{.message = "no"}}}};
    (void)workers.finish("w1", results);
    EXPECT_TRUE(eventually([&] {
        const json top = json::parse(ok({"top", "--once", "-o", "json"}));
        return top["runsLastMinute"] == 2 && top["failedLastMinute"] == 1 &&
               top["external"].size() == 1 && top["external"][0]["lastWorker"] == "w1";
    }));
}

TEST_F(CliJobState, The_manual_shows_commands_that_work) {
    lock(add({"--type", "import"}));
    ok({"instance", "suspend", "order-17"});
    EXPECT_GE(run_document("docs/cli.md", "## Seeing"), 3);
    EXPECT_GE(run_document("docs/cli.md", "## Cancelling"), 1);
    EXPECT_EQ(places(), "dead=1");
}

}  // namespace

}  // namespace jobstrand::test
