#include "executor/executor_settings.hpp"
#include "executor/job_acquirer.hpp"
#include "executor/loop/wake_ups.hpp"
#include "persistence/migration/table_changes.hpp"
#include "test/conformance/store_test.hpp"
#include "test/fixtures/at_once.hpp"
#include "test/fixtures/recording_intake.hpp"

#include <fmt/format.h>

#include <atomic>
#include <future>
#include <map>
#include <mutex>
#include <thread>

namespace jobstrand::test {

namespace {

constexpr std::size_t kInstances = 10;
constexpr std::size_t kJobs = 300;

/// Several nodes that take exclusive jobs of few instances at the same time.
class ExclusiveConcurrency : public StoreTest {
protected:
    ExclusiveConcurrency() {
        for (int i = 0; i < 4; ++i) {
            nodes_.push_back(std::make_unique<Node>(*database_, faults_));
        }
    }

    void insert_jobs() {
        std::vector<Job> jobs = many_jobs("j", kJobs);
        for (std::size_t i = 0; i < jobs.size(); ++i) {
            jobs[i].process_instance_id = fmt::format("i{}", i % kInstances);
        }
        insert(jobs);
    }

    /// From here on the node may run jobs of the instance; two at once fail the case.
    void enter(const std::string& instance, const std::string& node) {
        const std::lock_guard lock(mutex_);
        const auto entered = inside_.emplace(instance, node);
        EXPECT_TRUE(entered.second)
            << node << " meets " << entered.first->second << " in " << instance;
    }

    void leave(const std::string& instance) {
        const std::lock_guard lock(mutex_);
        inside_.erase(instance);
    }

    /// Runs what was taken, group by group, and passes each group on.
    void run_all(persistence::SqlStore& store, const std::string& node, std::vector<Job> jobs) {
        while (!jobs.empty()) {
            std::map<std::string, std::int64_t> claimed;
            std::vector<Outcome> outcomes;
            for (const Job& job : jobs) {
                if (++claimed[job.process_instance_id] == 1) {
                    enter(job.process_instance_id, node);
                }
                outcomes.push_back(completed_outcome(job));
            }
            std::vector<persistence::GroupEnd> ends;
            for (const auto& [instance, count] : claimed) {
                ends.push_back({.group = instance, .claimed = count, .began = claim_of(node).until}
                );
            }
            for (const OutcomeAnswer answer : store.executor().apply(node, outcomes)) {
                EXPECT_EQ(answer, OutcomeAnswer::done);
                ++completed_;
            }
            for (const auto& [instance, count] : claimed) {
                leave(instance);
            }
            auto passed = store.executor().pass_on(claim_of(node), noop_, 1'000'000, ends);
            EXPECT_TRUE(passed.busy.empty());
            jobs = std::move(passed.jobs);
        }
    }

    /// All nodes at once, each with so many further jobs of the instances a page.
    void drain(std::size_t further) {
        at_once(nodes_.size(), [this, further](std::size_t i) {
            const std::string node = fmt::format("node-{}", i);
            persistence::SqlStore& store = nodes_[i]->store();
            PageLimit limit(7 + i);
            limit.same_instance = further;
            while (completed_ < kJobs && !HasFailure()) {
                run_all(store, node, store.executor().acquire(claim_of(node), noop_, limit));
            }
        });
    }

    void expect_that_all_is_done() {
        EXPECT_EQ(completed_, kJobs);
        EXPECT_EQ(count_rows("ACT_RU_JOB"), 0);
        EXPECT_EQ(count_rows("JS_EXCLUSIVE"), 0);
        EXPECT_EQ(count_rows("JS_WAITING"), 0);
    }

    std::vector<std::unique_ptr<Node>> nodes_;
    std::atomic<std::size_t> completed_{0};
    std::mutex mutex_;
    std::map<std::string, std::string> inside_;  ///< Guarded by mutex_: who runs which instance.
};

ON_EVERY_DATABASE(ExclusiveConcurrency);

// R086 R088 R098: exact, and nothing that waits is forgotten.
TEST_P(ExclusiveConcurrency, No_two_nodes_ever_hold_jobs_of_one_instance) {
    insert_jobs();
    drain(0);
    expect_that_all_is_done();
}

// R087
TEST_P(ExclusiveConcurrency, Nor_do_they_where_each_takes_the_further_jobs_of_an_instance_along) {
    (void)persistence::create_index(*connection_, schema::kInstanceIndex);
    insert_jobs();
    drain(20);
    expect_that_all_is_done();
    (void)persistence::drop_index(*connection_, schema::kInstanceIndex);
}

/// For more than one thread, with room for all.
class SharedIntake final : public RecordingIntake {
public:
    explicit SharedIntake(persistence::ServedJobs served) {
        served_jobs = std::move(served);
        free_places = 100'000;
    }

    void accept(std::vector<Job> jobs, schema::SteadyPoint now) override {
        const std::lock_guard lock(mutex_);
        RecordingIntake::accept(std::move(jobs), now);
    }

    [[nodiscard]] std::vector<Job> all() const {
        const std::lock_guard lock(mutex_);
        return accepted;
    }

private:
    mutable std::mutex mutex_;  ///< Guards what was accepted.
};

/// A node that claims two pages at a time, in which instances take turns.
class PagesAtATimeConcurrency : public StoreTest {
protected:
    void SetUp() override {
        StoreTest::SetUp();
        if (!connection_) {
            return;
        }
        (void)persistence::create_index(*connection_, schema::kInstanceIndex);
        std::vector<Job> jobs = many_jobs("j", kAll);
        for (std::size_t i = 0; i < kAll; ++i) {
            jobs[i].process_instance_id = fmt::format("i{}", i % kInstancesInTurn);
        }
        insert(jobs);
    }

    void TearDown() override {
        if (connection_) {
            (void)persistence::drop_index(*connection_, schema::kInstanceIndex);
        }
    }

    void claim_all() {
        auto second = std::async(std::launch::async, [this] {
            while (!are_all_taken()) {
                (void)beside_.run_once();
                std::this_thread::yield();
            }
        });
        while (!are_all_taken()) {
            (void)acquirer_.run_once();
        }
        second.get();
    }

    static constexpr std::size_t kAll = 4000;
    static constexpr std::size_t kInstancesInTurn = 400;

    SharedIntake intake_{noop_};

private:
    bool are_all_taken() const { return HasFailure() || intake_.all().size() >= kAll; }

    // Each claim has a connection of its own.
    Node node_of_two_{
        *database_,
        faults_,
        schema::ExclusiveOver::instance,
        {},
        {},
        {.writers = 3, .readers = 0}};
    executor::WakeUps wake_ups_;
    schema::SystemClock system_clock_;
    executor::JobAcquirer acquirer_{
        node_of_two_.store().executor(),
        intake_,
        system_clock_,
        wake_ups_,
        {.max_pool_size = 2, .acquire_page = 100, .instances_together = true}};
    executor::Activity& beside_{acquirer_.add_beside()};
};

ON_EVERY_SERVER(PagesAtATimeConcurrency);

// R087
TEST_P(PagesAtATimeConcurrency, Hand_over_the_jobs_of_an_instance_in_their_order) {
    claim_all();
    std::map<std::string, std::string> last;
    for (const Job& job : intake_.all()) {
        std::string& former = last[job.process_instance_id];
        EXPECT_LT(former, job.id) << "of instance " << job.process_instance_id;
        former = job.id;
    }
    EXPECT_EQ(intake_.all().size(), kAll);
    EXPECT_EQ(last.size(), kInstancesInTurn);
}

std::vector<DatabaseUnderTest> postgresql_servers() {
    std::vector<DatabaseUnderTest> servers = servers_under_test();
    std::erase_if(servers, [](const DatabaseUnderTest& one) {
        return one.driver->dialect.name != "postgresql";
    });
    return servers;
}

/// What two claims do to each other at one moment. `a1` and `a3` are jobs of an instance, `a2` is
/// one of another.
class ClaimsBesideClaims : public StoreTest {
protected:
    void SetUp() override {
        StoreTest::SetUp();
        if (connection_) {
            insert(a_job("a1").of_instance("i"));
            insert(a_job("a2").of_instance("k"));
            insert(a_job("a3").of_instance("i"));
        }
    }

    // Claims by the page begin with their gate, where the moment would be another one.
    [[nodiscard]] LockClaim by_row(std::string_view owner) const {
        LockClaim claim = claim_of(owner);
        claim.pages_from = 0;
        return claim;
    }

    [[nodiscard]] std::vector<std::string> acquire_ids(std::string_view owner, PageLimit limit) {
        limit.seen = &seen_;
        return ids_of(store_.executor().acquire(by_row(owner), noop_, limit));
    }

    [[nodiscard]] std::vector<std::string> acquire_beside(std::string_view owner) {
        return ids_of(beside_.store().executor().acquire(by_row(owner), noop_, 10));
    }

    persistence::SeenRows seen_;

private:
    FaultPlan no_faults_;

protected:
    Node beside_{*database_, no_faults_};
};

ON_EVERY_SERVER(ClaimsBesideClaims);

TEST_P(ClaimsBesideClaims, A_page_goes_on_without_the_group_that_another_node_takes_meanwhile) {
    faults_.interleave(FaultPoint::execute, 0, [&] {
        EXPECT_THAT(acquire_beside("node-2"), ElementsAre("a3"));
    });
    EXPECT_THAT(acquire_ids("node-1", 2), ElementsAre("a2"));
    EXPECT_TRUE(schema::waits_for_exclusive(job("a1")));
    EXPECT_EQ(count_rows("JS_WAITING"), 1);
}

/// The same where a lock that keeps a row is another one than a lock that changes it.
using ClaimsBesideOutcomes = ClaimsBesideClaims;

INSTANTIATE_TEST_SUITE_P(
    OnPostgresql,
    ClaimsBesideOutcomes,
    testing::ValuesIn(postgresql_servers()),
    name_of_database
);

TEST_P(ClaimsBesideOutcomes, A_job_of_a_group_that_is_taken_and_freed_meanwhile_waits_for_nothing) {
    faults_.interleave(FaultPoint::execute, 0, [&] {
        EXPECT_THAT(acquire_beside("node-2"), ElementsAre("a3"));
        faults_.interleave(FaultPoint::query, 0, [&] {
            execute("DELETE FROM JS_EXCLUSIVE WHERE LOCK_OWNER_ = 'node-2'");
        });
    });
    EXPECT_THAT(acquire_ids("node-1", 2), ElementsAre("a2"));
    EXPECT_EQ(seen_.first_left, "a1");
    EXPECT_EQ(count_rows("JS_WAITING"), 0);
    EXPECT_THAT(acquire_ids("node-1", 2), ElementsAre("a1"));
}

// Who decides about a group waits for rows of jobs, so a claim that has locked some must not wait
// for the group.
TEST_P(ClaimsBesideOutcomes, A_claim_passes_over_a_group_that_is_being_decided_about) {
    ASSERT_THAT(acquire_ids("node-2", 1), ElementsAre("a1"));
    Transaction deciding(*connection_);
    deciding.execute("UPDATE JS_EXCLUSIVE SET CLAIMED_ = CLAIMED_ WHERE ID_ = 'i'");
    EXPECT_THAT(acquire_ids("node-1", 10), ElementsAre("a2"));
    EXPECT_EQ(seen_.first_left, "a3");
    deciding.rollback();
    EXPECT_THAT(acquire_ids("node-1", 10), IsEmpty());
    EXPECT_TRUE(schema::waits_for_exclusive(job("a3")));
}

TEST_P(ClaimsBesideOutcomes, A_claim_in_an_order_that_leaves_all_comes_back) {
    ASSERT_THAT(acquire_ids("node-2", 2), ElementsAre("a1", "a2"));
    Transaction deciding(*connection_);
    deciding.execute("UPDATE JS_EXCLUSIVE SET CLAIMED_ = CLAIMED_ WHERE ID_ = 'i'");
    EXPECT_THAT(
        store_.executor().acquire_in_order(
            by_row("node-1"), noop_, {.by_priority = true}, PageLimit(10)
        ),
        IsEmpty()
    );
    deciding.rollback();
    EXPECT_EQ(job("a3").lock_owner, "");
}

// Else the two would wait for each other where the claim has read a row that the outcome deletes.
TEST_P(ClaimsBesideOutcomes, A_claim_of_further_jobs_waits_for_no_outcome_of_their_group) {
    const std::vector<Job> held = store_.executor().acquire(by_row("node-1"), noop_, 2);
    ASSERT_THAT(ids_of(held), ElementsAre("a1", "a2"));
    faults_.interleave(FaultPoint::execute, 0, [&] {
        EXPECT_THAT(acquire_beside("node-1"), ElementsAre("a3"));
    });
    EXPECT_THAT(
        apply({completed_outcome(held[0]), completed_outcome(held[1])}), Each(OutcomeAnswer::done)
    );
    EXPECT_EQ(count_rows("ACT_RU_JOB"), 1);
}

}  // namespace

}  // namespace jobstrand::test
