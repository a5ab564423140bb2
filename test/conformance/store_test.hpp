#pragma once

#include "persistence/sql/session_pool.hpp"
#include "persistence/store/sql_store.hpp"
#include "schema/clock.hpp"
#include "schema/log.hpp"
#include "test/conformance/databases.hpp"
#include "test/fixtures/error_of.hpp"
#include "test/fixtures/faulty_connection.hpp"
#include "test/fixtures/job_builder.hpp"
#include "timers/series/series_planner.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::test {

using namespace std::chrono_literals;

using persistence::CalendarAnswer;
using persistence::DbError;
using persistence::DbErrorKind;
using persistence::Fence;
using persistence::JobAnswer;
using persistence::JobFilter;
using persistence::LockClaim;
using persistence::Outcome;
using persistence::OutcomeAnswer;
using persistence::PageLimit;
using persistence::SeriesAnswer;
using persistence::SessionPool;
using persistence::SuspensionScope;
using persistence::Transaction;
using persistence::Value;
using schema::Job;
using schema::JobPlace;
using schema::PlacedJob;
using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;
using testing::StartsWith;
using testing::UnorderedElementsAre;

/// A store with connections of its own, as every node has.
class Node {
public:
    Node(
        TestDatabase& database,
        FaultPlan& faults,
        schema::ExclusiveOver exclusive_over = schema::ExclusiveOver::instance,
        schema::HistoryRules history = {},
        OnIncident on_incident = {},
        SessionPool::Size connections = {}
    );

    persistence::SqlStore& store() { return store_; }

private:
    schema::SilentLog log_;
    SessionPool pool_;
    const timers::SeriesPlanner schedule_;
    persistence::SqlStore store_;
};

/// A store on an empty database of the kind that the case runs on, with a clock that stands still.
class StoreTest : public testing::TestWithParam<DatabaseUnderTest> {
protected:
    StoreTest();
    void SetUp() override;

    /// Inserts jobs into one place and returns them as they were stored.
    std::vector<Job> insert(JobPlace place, std::vector<Job> jobs);
    Job insert(JobPlace place, Job job);

    /// The same with executable jobs.
    std::vector<Job> insert(std::vector<Job> jobs);
    Job insert(Job job);

    /// Inserts an executable job and acquires it for `owner`.
    Job insert_and_acquire(Job job, std::string_view owner = "node-1");

    /// Inserts executable jobs with these ids.
    void insert_of(const std::string& instance, const std::vector<std::string>& ids);

    [[nodiscard]] JobBuilder a_timer(std::string id, schema::Duration due_in = 0ms) const;

    /// Acquires jobs of the handler type "noop" for five minutes.
    [[nodiscard]] std::vector<Job>
    acquire(std::size_t limit = 100, std::string_view owner = "node-1");
    /// By the page, if JOBSTRAND_TEST_LOCKS says `page`.
    [[nodiscard]] LockClaim claim_of(std::string_view owner) const;

    /// Acquires an executable job by its id.
    persistence::AcquiredJob acquire_one(std::string_view id, std::string_view owner = "node-1");

    /// Moves due timers; those of the handler type "noop" arrive locked.
    persistence::DueTimers move_due(PageLimit limit = 100, std::string_view owner = "node-1");

    /// Moves due timers, which arrive free.
    persistence::DueTimers move_due_free(PageLimit limit = 100);

    /// Frees the jobs of a place whose locks have run out; returns how many.
    std::int64_t reset_locks(JobPlace place = JobPlace::executable);

    std::vector<OutcomeAnswer>
    apply(const std::vector<Outcome>& outcomes, std::string_view owner = "node-1");

    /// Writes it for node-1, which must have the job.
    void expect_done(const Outcome& outcome);

    /// The end of jobs of a group that were claimed at this time.
    [[nodiscard]] persistence::GroupEnd end_of(std::string group, std::int64_t claimed) const;

    /// Passes the group on, of which so many bytes of payload may be taken.
    persistence::GroupsPassedOn pass_on(
        std::string_view owner,
        const persistence::GroupEnd& end,
        std::size_t bytes = 1'000'000
    );

    /// What the state machine says about a run that fails now.
    [[nodiscard]] Outcome
    failed_outcome(const Job& job, schema::JobFailure failure = {.message = "no"}) const;

    /// Ends them by their lock owners, which must have them.
    void complete(const std::vector<Job>& jobs);

    /// Work that nobody could ask for, if the answer of its commit were lost.
    void in_transaction(const std::function<void(Transaction&)>& work);

    // What operators do, now.
    std::int64_t suspend(SuspensionScope scope, std::string_view id);
    std::int64_t activate(SuspensionScope scope, std::string_view id);
    std::vector<JobAnswer> remove(JobPlace place, const std::vector<std::string>& ids);
    std::vector<JobAnswer> requeue(
        const std::vector<std::string>& ids,
        int retries,
        const persistence::DueDates& due_dates = {}
    );
    JobAnswer fire_timer(std::string_view id);
    JobAnswer reschedule_timer(std::string_view id, schema::TimePoint due_date);
    JobAnswer change(JobPlace place, std::string_view id, const persistence::JobChanges& changes);

    /// A node of this name that lives for so long.
    void register_node(
        const std::string& name,
        const persistence::ServedJobs& served,
        schema::Duration lease = 10s
    );

    /// A store of another node, on the same database, that keeps the past by these rules.
    [[nodiscard]] Node node_with(schema::HistoryRules history, OnIncident on_incident = {});

    /// What the job log says of it.
    [[nodiscard]] std::vector<schema::JobEvent> events_of(std::string_view id);

    /// The name of the place in which the job stands; "nowhere".
    [[nodiscard]] std::string place_of(std::string_view id);

    [[nodiscard]] std::vector<std::string> places_of(const std::vector<std::string_view>& ids);

    /// The job, which must be there.
    [[nodiscard]] Job job(std::string_view id);

    [[nodiscard]] std::int64_t count_rows(std::string_view table);
    std::int64_t execute(std::string_view sql, std::vector<Value> parameters = {});

    FaultPlan faults_;
    schema::ManualClock clock_;
    const std::vector<std::string> noop_{"noop"};
    const std::unique_ptr<TestDatabase> database_;
    const std::unique_ptr<persistence::Connection> connection_;

private:
    Node node_;

protected:
    persistence::SqlStore& store_ = node_.store();
};

[[nodiscard]] std::vector<std::string> ids_of(const std::vector<Job>& jobs);
[[nodiscard]] std::vector<Fence> fences_of(const std::vector<Job>& jobs);

/// `{prefix}000`, `{prefix}001`, ..., like this one but for their ids.
[[nodiscard]] std::vector<Job>
many_jobs(std::string_view prefix, std::size_t count, const JobBuilder& like = a_job(""));

/// A job in which every column has a value of its own.
[[nodiscard]] Job full_job(std::string id);

[[nodiscard]] Outcome outcome_of(const Job& job, schema::Transition transition);

[[nodiscard]] Outcome completed_outcome(const Job& job);

/// For INSTANTIATE_TEST_SUITE_P.
[[nodiscard]] std::string name_of_database(const testing::TestParamInfo<DatabaseUnderTest>& info);

/// Each case of the suite is run on every database that this machine can offer.
#define ON_EVERY_DATABASE(Suite)                                                            \
    INSTANTIATE_TEST_SUITE_P(                                                               \
        OnEveryDatabase, Suite, testing::ValuesIn(databases_under_test()), name_of_database \
    )

/// The same where one transaction need not wait for all others, and where values have no types.
#define ON_EVERY_SERVER(Suite)                                                          \
    INSTANTIATE_TEST_SUITE_P(                                                           \
        OnEveryServer, Suite, testing::ValuesIn(servers_under_test()), name_of_database \
    )
#define ON_SQLITE(Suite)                                                         \
    INSTANTIATE_TEST_SUITE_P(                                                    \
        OnSqlite, Suite, testing::ValuesIn(in_files("sqlite")), name_of_database \
    )

}  // namespace jobstrand::test
