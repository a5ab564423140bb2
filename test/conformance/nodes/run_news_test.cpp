#include "persistence/run_store.hpp"
#include "test/conformance/workers/worker_fixture.hpp"

namespace jobstrand::test {

namespace {

using persistence::ToldRun;
using testing::ElementsAre;

/// What runs under way tell of themselves.
class RunNewsRows : public WorkerTest {
protected:
    ToldRun a_run(std::string job, int revision = 2) {
        return {
            .job = std::move(job), .revision = revision, .owner = "node-1", .told = clock_.now()};
    }

    std::vector<std::string> told() {
        std::vector<std::string> jobs;
        for (const ToldRun& run : news_.run_news({}, 100)) {
            jobs.push_back(run.job);
        }
        return jobs;
    }

    persistence::RunNewsStore& news_ = store_.run_news();
};

INSTANTIATE_TEST_SUITE_P(
    OnEveryDatabase,
    RunNewsRows,
    testing::ValuesIn(databases_under_test()),
    name_of_database
);

TEST_P(RunNewsRows, Are_read_as_they_were_told_and_told_anew) {
    ToldRun full = a_run("a");
    full.handler_type = "mail";
    full.tenant = "t";
    full.news = {.progress = 0.4, .note = "pâge 4", .lines = "one\ntwö \\x41 'three'\n"};
    news_.write_news(std::vector{full, a_run("b")}, {});
    EXPECT_EQ(news_.run_news(std::vector<std::string>{"a"}, 1), std::vector{full});
    EXPECT_EQ(news_.run_news(std::vector<std::string>{"b"}, 1), std::vector{a_run("b")});
    clock_.tick(1s);
    full.told = clock_.now();
    full.news = {.progress = 1.0, .note = {}, .lines = {}};
    full.revision = 3;
    news_.write_news(std::vector{full}, {});
    EXPECT_EQ(news_.run_news(std::vector<std::string>{"a", "c"}, 9), std::vector{full});
    EXPECT_THAT(told(), ElementsAre("a", "b")) << "the latest first";
    EXPECT_EQ(news_.run_news({}, 1).size(), 1U);
}

TEST_P(RunNewsRows, Go_with_their_run_and_not_with_an_earlier_one) {
    news_.write_news(std::vector{a_run("a"), a_run("b", 7)}, {});
    news_.write_news(std::vector{a_run("c")}, std::vector{a_run("a"), a_run("b", 6), a_run("d")});
    EXPECT_THAT(told(), ElementsAre("c", "b"));
}

TEST_P(RunNewsRows, Are_forgotten_when_nobody_has_the_job_any_more) {
    (void)insert_and_acquire(a_job("node").of_type("noop"));
    give({an_external_job("worker"), an_external_job("x-free")});
    const int revision = take("w-1", 1).at(0).revision;
    ToldRun of_worker = a_run("worker", revision);
    of_worker.owner = "w-1";
    news_.write_news(std::vector{a_run("node"), of_worker, a_run("x-free"), a_run("gone")}, {});
    news_.forget_news(clock_.now());
    EXPECT_EQ(told().size(), 4U) << "they are fresh";
    clock_.tick(1ms);
    news_.forget_news(clock_.now());
    EXPECT_THAT(told(), ElementsAre("worker", "node"));
    of_worker.revision = revision - 1;
    news_.write_news(std::vector{of_worker}, {});
    news_.forget_news(clock_.now() + 1ms);
    EXPECT_THAT(told(), ElementsAre("node")) << "it was an earlier run";
}

}  // namespace

}  // namespace jobstrand::test
