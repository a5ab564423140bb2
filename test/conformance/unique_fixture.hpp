#pragma once

#include "executor/enqueue/job_producer.hpp"
#include "persistence/unique_keys.hpp"
#include "test/conformance/store_test.hpp"
#include "test/fixtures/recording_intake.hpp"

#include <string>
#include <utility>
#include <vector>

namespace jobstrand::test {

using executor::UniqueJob;
using schema::Enqueued;
using schema::KeyRule;
using schema::OnDuplicate;

constexpr KeyRule kReject{};
constexpr KeyRule kKeep{.on_duplicate = OnDuplicate::keep};
constexpr KeyRule kReplace{.on_duplicate = OnDuplicate::replace};

/// Jobs with unique keys, enqueued as every node does it.
class UniqueTest : public StoreTest {
protected:
    UniqueTest() { intake_.free_places = 10; }

    std::vector<Enqueued> enqueue(std::vector<UniqueJob> jobs) {
        return producer_.enqueue_unique(std::move(jobs));
    }
    Enqueued enqueue(Job job, KeyRule rule = {}) {
        return enqueue({{.job = std::move(job), .rule = rule}}).front();
    }

    /// What the refusal says; empty: it was not refused.
    std::string refusal_of(std::vector<UniqueJob> jobs) {
        try {
            (void)enqueue(std::move(jobs));
            return {};
        } catch (const persistence::KeyHeld& held) {
            return held.what();
        }
    }
    std::string refusal_of(Job job, KeyRule rule = {}) {
        return refusal_of({{.job = std::move(job), .rule = rule}});
    }

    /// Who has the key; empty: nobody.
    std::string owner_of(std::string_view key) {
        const auto owner = store_.jobs().key_owner(key);
        return owner ? owner->job : "";
    }

    /// Acquires the job by its id and writes what became of its run.
    void run(std::string_view id, bool succeeds, schema::JobFailure failure = {.message = "no"}) {
        const auto acquired = acquire_one(id);
        ASSERT_EQ(acquired.answer, JobAnswer::done) << id;
        const Outcome outcome = succeeds ? completed_outcome(acquired.job)
                                         : failed_outcome(acquired.job, std::move(failure));
        expect_done(outcome);
    }
    void complete(std::string_view id) { run(id, true); }
    void fail(std::string_view id) { run(id, false); }
    void make_dead(std::string_view id) { run(id, false, {.message = "no", .retryable = false}); }

    using StoreTest::requeue;

    JobAnswer requeue(const std::string& id) {
        return store_.jobs().requeue(std::vector{id}, 1, {}, clock_.now()).front();
    }

    RecordingIntake intake_;
    executor::WakeUps wake_ups_;
    executor::JobProducer producer_{
        {.store = store_.enqueuer(), .intake = intake_, .clock = clock_, .wake_ups = wake_ups_},
        {}};
};

}  // namespace jobstrand::test
