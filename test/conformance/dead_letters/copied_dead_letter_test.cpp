#include "test/conformance/store_test.hpp"

#include <algorithm>

namespace jobstrand::test {

namespace {

using persistence::SuspensionScope;
using schema::JobEvent;
using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

/// Dead letters that are requeued: the server copies those that need no look.
class CopiedDeadLetters : public StoreTest {
protected:
    auto requeue(std::vector<std::string> ids, std::optional<schema::TimePoint> due = {}) {
        return store_.jobs().requeue(ids, 7, due, clock_.now());
    }

    std::vector<JobEvent> events_of(const std::string& id) {
        std::vector<JobEvent> events;
        for (const persistence::JobLogLine& line : store_.history().job_log({.job = id}, {}, 100)) {
            events.push_back(line.event);
        }
        return events;
    }

    /// Runs the job, which fails for the last time.
    void make_dead(const std::string& id) {
        const Job held = insert_and_acquire(a_job(id));
        const std::vector outcome{
            failed_outcome(held, {.message = "no network", .retryable = false}, clock_.now())};
        ASSERT_THAT(store_.executor().apply("node-1", outcome), ElementsAre(OutcomeAnswer::done));
    }
};

INSTANTIATE_TEST_SUITE_P(
    OnEveryDatabase,
    CopiedDeadLetters,
    testing::ValuesIn(databases_under_test()),
    name_of_database
);

TEST_P(CopiedDeadLetters, Keep_every_column_but_retries_due_date_and_revision) {
    Job dead = full_job("a");
    dead.series = "";
    dead.repeat = "";
    Job expected = insert(JobPlace::dead_letter, dead);
    const Job other = insert(JobPlace::dead_letter, a_job("b"));
    ASSERT_THAT(requeue({"a", "b"}, clock_.now() + 1h), Each(JobAnswer::done));
    expected.revision += 1;
    expected.retries = 7;
    expected.due_date = clock_.now() + 1h;
    expected.failed_time = {};
    ASSERT_EQ(place_of("a"), "timer");
    EXPECT_EQ(job("a"), expected);
    EXPECT_EQ(job("b").revision, other.revision + 1);
    EXPECT_EQ(count_rows("ACT_RU_DEADLETTER_JOB"), 0);
}

TEST_P(CopiedDeadLetters, Go_each_to_their_own_place) {
    Job external = a_job("external");
    external.type = schema::kExternalWorkerType;
    Job suspended = a_job("suspended");
    suspended.tenant_id = "acme";
    insert(JobPlace::dead_letter, std::vector<Job>{a_job("a"), a_job("b"), external, suspended});
    store_.jobs().suspend(SuspensionScope::tenant, "acme", clock_.now());
    ASSERT_THAT(requeue({"a", "b", "external", "suspended"}), Each(JobAnswer::done));
    EXPECT_EQ(place_of("a"), "executable");
    EXPECT_EQ(place_of("b"), "executable");
    EXPECT_EQ(place_of("external"), "external");
    EXPECT_EQ(place_of("suspended"), "suspended");
    for (const char* const id : {"a", "b", "external"}) {
        EXPECT_EQ(job(id).retries, 7) << id;
        EXPECT_EQ(job(id).due_date, clock_.now()) << id;
    }
    store_.jobs().activate(SuspensionScope::tenant, "acme", clock_.now());
    EXPECT_EQ(place_of("suspended"), "executable");
    EXPECT_EQ(job("suspended").retries, 7);
}

TEST_P(CopiedDeadLetters, Are_told_of_and_their_incidents_end) {
    Node full(
        *database_,
        faults_,
        schema::ExclusiveOver::instance,
        schema::HistoryRules{.job_log = schema::JobLogLevel::full}
    );
    make_dead("a");
    make_dead("b");
    EXPECT_THAT(store_.history().incidents({.is_open = true}, {}, 100), SizeIs(2));
    const std::vector<std::string> ids{"a", "b"};
    ASSERT_THAT(full.store().jobs().requeue(ids, 1, {}, clock_.now()), Each(JobAnswer::done));
    EXPECT_THAT(store_.history().incidents({.is_open = true}, {}, 100), IsEmpty());
    for (const std::string& id : ids) {
        EXPECT_THAT(events_of(id), testing::Contains(JobEvent::requeued)) << id;
        EXPECT_EQ(job(id).exception_message, "no network") << id;
    }
}

TEST_P(CopiedDeadLetters, What_a_plain_insert_leaves_out_does_not_stop_them) {
    insert(JobPlace::dead_letter, std::vector<Job>{a_job("a"), a_job("b")});
    execute("UPDATE ACT_RU_DEADLETTER_JOB SET REV_ = NULL, TENANT_ID_ = NULL WHERE ID_ = 'a'");
    ASSERT_THAT(requeue({"a", "b"}), Each(JobAnswer::done));
    EXPECT_THAT(ids_of(acquire()), ElementsAre("a", "b"));
}

}  // namespace
}  // namespace jobstrand::test
