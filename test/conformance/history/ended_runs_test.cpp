#include "persistence/run_store.hpp"
#include "test/conformance/store_test.hpp"

#include <algorithm>

namespace jobstrand::test {

namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

/// The last runs that succeeded, as nodes tell of them.
class EndedRuns : public StoreTest {
protected:
    FinishedRun a_run(std::string job, std::string type) {
        clock_.tick(1s);
        return {.ended = clock_.now(), .job = std::move(job), .handler_type = std::move(type)};
    }

    /// Of one type, each a second after the other.
    void add_runs(const std::string& type, int count) {
        std::vector<FinishedRun> runs;
        for (int i = 0; i < count; ++i) {
            runs.push_back(a_run(type + std::to_string(i), type));
        }
        store_.runs().add_runs(runs);
    }

    std::vector<std::string> jobs(const FinishedRunQuery& filter = {}) {
        return jobs_of(store_.runs().ended_runs(filter, {}, 100));
    }

    static std::vector<std::string> jobs_of(const std::vector<FinishedRun>& runs) {
        std::vector<std::string> jobs;
        std::ranges::transform(runs, std::back_inserter(jobs), &FinishedRun::job);
        return jobs;
    }
};

INSTANTIATE_TEST_SUITE_P(
    OnEveryDatabase,
    EndedRuns,
    testing::ValuesIn(databases_under_test()),
    name_of_database
);

TEST_P(EndedRuns, Are_kept_with_all_that_is_known_of_them) {
    FinishedRun full = a_run("full", "mail");
    full.tenant_id = "tenant";
    full.process_instance_id = "instance";
    full.node = "node-1";
    full.attempt = 3;
    full.waited = 0ms;
    full.duration = 35ms;
    full.message = "sent";
    FinishedRun empty = a_run("empty", "mail");
    store_.runs().add_runs(std::vector{full, empty});
    const auto runs = store_.runs().ended_runs({}, {}, 100);
    ASSERT_THAT(runs, SizeIs(2));
    empty.id = runs[0].id;
    full.id = runs[1].id;
    EXPECT_EQ(runs[0], empty);
    EXPECT_EQ(runs[1], full);
}

TEST_P(EndedRuns, Are_listed_the_latest_first_and_by_what_is_asked_for) {
    FinishedRun other = a_run("a", "pdf");
    other.tenant_id = "t";
    FinishedRun third = a_run("a", "sms");
    third.process_instance_id = "i";
    store_.runs().add_runs(std::vector{a_run("b", "mail"), other, third});
    add_runs("mail", 3);
    EXPECT_THAT(jobs(), ElementsAre("mail2", "mail1", "mail0", "a", "a", "b"));
    EXPECT_THAT(jobs({.job = "a"}), ElementsAre("a", "a"));
    EXPECT_THAT(jobs({.handler_types = {"pdf"}}), ElementsAre("a"));
    EXPECT_THAT(
        jobs({.handler_types = {"pdf", "mail"}}), ElementsAre("mail2", "mail1", "mail0", "a", "b")
    );
    EXPECT_THAT(jobs({.tenant_ids = {"t"}}), ElementsAre("a"));
    EXPECT_THAT(jobs({.process_instance_ids = {"i", "j"}}), ElementsAre("a"));
    EXPECT_THAT(jobs({.job = "a", .handler_types = {"mail"}}), IsEmpty());
    const FinishedRunQuery mail{.handler_types = {"mail"}};
    const auto page = store_.runs().ended_runs(mail, {}, 2);
    EXPECT_THAT(jobs_of(page), ElementsAre("mail2", "mail1"));
    EXPECT_THAT(
        jobs_of(store_.runs().ended_runs(mail, page.back().id, 2)), ElementsAre("mail0", "b")
    );
}

TEST_P(EndedRuns, Are_trimmed_to_so_many_of_each_type_page_by_page) {
    add_runs("mail", 7);
    add_runs("", 3);
    add_runs("pdf", 2);
    auto cleaning = store_.runs().clean_runs({.of_type = 2, .page = 3});
    EXPECT_EQ(cleaning.removed, 3 + 1);
    EXPECT_TRUE(cleaning.is_more);
    cleaning = store_.runs().clean_runs({.of_type = 2, .page = 3});
    EXPECT_EQ(cleaning.removed, 2);
    EXPECT_FALSE(cleaning.is_more);
    EXPECT_THAT(jobs(), ElementsAre("pdf1", "pdf0", "2", "1", "mail6", "mail5"));
    EXPECT_EQ(store_.runs().clean_runs({.of_type = 2}).removed, 0);
}

TEST_P(EndedRuns, Are_forgotten_for_their_age) {
    add_runs("mail", 3);
    const auto second = store_.runs().ended_runs({}, {}, 100).at(1).ended;
    EXPECT_EQ(store_.runs().clean_runs({}).removed, 0);
    EXPECT_EQ(store_.runs().clean_runs({.before = second}).removed, 1);
    EXPECT_THAT(jobs(), ElementsAre("mail2", "mail1"));
}

}  // namespace

}  // namespace jobstrand::test
