#include "persistence/sql/dialect.hpp"
#include "persistence/sql/sql_transaction.hpp"
#include "schema/clock.hpp"
#include "test/conformance/store_test.hpp"
#include "test/fixtures/signal.hpp"

#include <atomic>
#include <future>
#include <set>
#include <stdexcept>

namespace jobstrand::test {

namespace {

using persistence::NamedLock;

class Locks : public StoreTest {
protected:
    std::vector<std::string>
    extend(std::string_view owner, schema::Duration by, std::vector<Fence> fences) {
        return store_.executor().extend_locks({.owner = owner, .until = clock_.now() + by}, fences);
    }

    bool is_held(std::string_view owner, const Fence& fence) {
        bool held = false;
        in_transaction([&](Transaction& transaction) {
            held = store_.executor().is_held(transaction, owner, fence);
        });
        return held;
    }
};

ON_EVERY_DATABASE(Locks);

TEST_P(Locks, A_renewal_moves_the_expiry_and_keeps_the_revision) {
    const Job held = insert_and_acquire(a_job("a"));
    EXPECT_THAT(extend("node-1", 10min, {{"a", held.revision}}), IsEmpty());
    EXPECT_EQ(job("a").lock_expiration, clock_.now() + 10min);
    EXPECT_EQ(job("a").revision, held.revision);
}

/// A claim that waited for too long before its commit: what it holds would be somebody else's soon.
class LateClaims : public Locks {
protected:
    LockClaim late(std::string_view owner) {
        LockClaim claim = claim_of(owner);
        claim.is_late = [] { return true; };
        return claim;
    }

    template <typename Claiming>
    static void expect_nothing_claimed(Claiming claiming) {
        EXPECT_THROW((void)claiming(), persistence::NothingClaimed);
    }
};

ON_EVERY_DATABASE(LateClaims);

TEST_P(LateClaims, Leave_jobs_free_however_they_are_locked) {
    insert(many_jobs("j", 40));
    for (const std::size_t pages_from : {std::size_t{0}, std::size_t{16}}) {
        expect_nothing_claimed([&] {
            LockClaim claim = late("node-1");
            claim.pages_from = pages_from;
            return store_.executor().acquire(claim, noop_, 40);
        });
    }
    EXPECT_EQ(count_rows("JS_CLAIM WHERE ID_ > 0"), 0);
    EXPECT_EQ(count_rows("ACT_RU_JOB WHERE LOCK_OWNER_ IS NULL AND REV_ = 1"), 40);
}

TEST_P(LateClaims, Leave_due_timers_where_they_are) {
    insert(JobPlace::timer, a_job("a").due_at(clock_.now() - 1s));
    expect_nothing_claimed([&] {
        return store_.timers().move_due_timers(clock_.now(), 10, late("node-1"), noop_);
    });
    EXPECT_EQ(place_of("a"), "timer");
}

TEST_P(LateClaims, Leave_a_group_with_its_holder) {
    const Job held = insert_and_acquire(a_job("a").of_instance("i"));
    insert(a_job("b").of_instance("i"));
    EXPECT_THAT(acquire(10, "node-2"), IsEmpty());
    expect_done(completed_outcome(held));
    const persistence::GroupEnd end = end_of("i", 1);
    expect_nothing_claimed([&] {
        return store_.executor().pass_on(late("node-1"), noop_, 1000, std::span(&end, 1));
    });
    EXPECT_EQ(count_rows("JS_WAITING"), 1);
    EXPECT_THAT(pass_on("node-1", end).jobs, SizeIs(1));
}

// As that of one that waited, behind one that began after it.
TEST_P(Locks, A_renewal_never_ends_a_lock_before_its_time) {
    const Job held = insert_and_acquire(a_job("a"));
    EXPECT_THAT(extend("node-1", 10min, {{"a", held.revision}}), IsEmpty());
    EXPECT_THAT(extend("node-1", 1min, {{"a", held.revision}}), IsEmpty());
    EXPECT_EQ(job("a").lock_expiration, clock_.now() + 10min);
}

TEST_P(Locks, A_renewal_names_the_jobs_whose_lock_is_lost) {
    insert(many_jobs("j", 5));
    const std::vector<Job> jobs = acquire();
    std::vector<Fence> fences = fences_of(jobs);
    fences[1].revision += 1;
    fences[3].id = "gone";
    EXPECT_THAT(extend("node-1", 10min, fences), ElementsAre("j001", "gone"));
    EXPECT_EQ(job("j000").lock_expiration, clock_.now() + 10min);
    EXPECT_EQ(job("j004").lock_expiration, clock_.now() + 10min);
}

TEST_P(Locks, A_renewal_leaves_the_jobs_of_others_and_ours_with_another_revision_alone) {
    const Job held = insert_and_acquire(a_job("a"), "node-1");
    EXPECT_THAT(extend("node-2", 10min, {{"a", held.revision}}), ElementsAre("a"));
    EXPECT_THAT(extend("node-1", 10min, {{"a", held.revision - 1}}), ElementsAre("a"));
    EXPECT_EQ(job("a"), held);
}

TEST_P(Locks, Renewing_nothing_loses_nothing) {
    EXPECT_THAT(extend("node-1", 10min, {}), IsEmpty());
}

TEST_P(Locks, A_fence_holds_while_owner_and_revision_match) {
    const Job held = insert_and_acquire(a_job("a"), "node-1");
    EXPECT_TRUE(is_held("node-1", {"a", held.revision}));
    EXPECT_FALSE(is_held("node-1", {"a", held.revision - 1}));
    EXPECT_FALSE(is_held("node-2", {"a", held.revision}));
    EXPECT_FALSE(is_held("node-1", {"b", held.revision}));
}

// R156
TEST_P(Locks, A_released_job_is_free_with_its_retries_and_a_raised_revision) {
    const Job held = insert_and_acquire(a_job("a").with_retries(2));
    store_.executor().release("node-1", fences_of({held}));
    const Job released = job("a");
    EXPECT_TRUE(released.lock_owner.empty());
    EXPECT_EQ(released.lock_expiration, std::nullopt);
    EXPECT_EQ(released.retries, 2);
    EXPECT_EQ(released.attempts, held.attempts);
    EXPECT_EQ(released.revision, held.revision + 1);
    EXPECT_THAT(ids_of(acquire()), ElementsAre("a"));
}

TEST_P(Locks, A_release_leaves_jobs_alone_that_are_no_longer_ours) {
    const Job held = insert_and_acquire(a_job("a"), "node-1");
    store_.executor().release("node-2", fences_of({held}));
    store_.executor().release("node-1", std::vector<Fence>{{"a", held.revision + 1}, {"gone", 1}});
    EXPECT_EQ(job("a"), held);
}

class ExpiredLockReset : public StoreTest {
protected:
    Job locked(std::string id, schema::TimePoint until) {
        return a_job(std::move(id)).due_at(clock_.now()).locked_by("dead-node", until);
    }

    persistence::LockReset
    reset(JobPlace place, std::string_view after = {}, std::size_t rows = 100) {
        return store_.executor().reset_expired_locks(
            place, {.now = clock_.now(), .after = after, .rows = rows, .page = 2}
        );
    }
};

ON_EVERY_DATABASE(ExpiredLockReset);

// R175
TEST_P(ExpiredLockReset, Expired_locks_of_all_places_are_cleared_without_using_a_retry) {
    const std::vector<JobPlace> places{
        JobPlace::executable, JobPlace::timer, JobPlace::external_worker};
    for (const JobPlace place : places) {
        insert(place, locked(std::string(schema::name_of(place)), clock_.now() - 1ms));
    }
    for (const JobPlace place : places) {
        EXPECT_EQ(reset(place).freed, 1);
        const Job freed = job(schema::name_of(place));
        EXPECT_TRUE(freed.lock_owner.empty());
        EXPECT_EQ(freed.lock_expiration, std::nullopt);
        EXPECT_EQ(freed.retries, 3);
        EXPECT_EQ(freed.revision, 2);
    }
}

TEST_P(ExpiredLockReset, A_lock_that_ends_now_or_later_stays) {
    insert({locked("a", clock_.now()), locked("b", clock_.now() + 1ms)});
    EXPECT_EQ(reset(JobPlace::executable).freed, 0);
    EXPECT_EQ(job("a").lock_owner, "dead-node");
    EXPECT_EQ(job("b").lock_owner, "dead-node");
}

// R176
TEST_P(ExpiredLockReset, All_that_is_expired_in_a_part_is_freed_page_by_page) {
    for (const std::string id : {"a", "b", "c", "d", "e"}) {
        insert(locked(id, clock_.now() - 1h));
    }
    EXPECT_EQ(reset(JobPlace::executable).freed, 5);
    EXPECT_EQ(reset(JobPlace::executable).freed, 0);
}

TEST_P(ExpiredLockReset, Looks_at_one_part_of_a_long_table_and_says_where_it_ended) {
    insert(many_jobs("free", 3));
    insert(locked("x", clock_.now() - 1h));
    insert(locked("y", clock_.now() - 1h));
    const auto first = reset(JobPlace::executable, "", 4);
    EXPECT_EQ(first.freed, 1);
    EXPECT_EQ(first.end, "x");
    EXPECT_EQ(job("y").lock_owner, "dead-node");
    const auto second = reset(JobPlace::executable, first.end, 4);
    EXPECT_EQ(second.freed, 1);
    EXPECT_EQ(second.end, "");
}

TEST_P(ExpiredLockReset, Of_a_backlog_of_timers_the_first_due_ones_are_looked_at) {
    Job late = locked("late", clock_.now() - 1h);
    late.due_date = clock_.now() - 1s;
    insert(JobPlace::timer, late);
    for (Job& waiting : many_jobs("waiting", 3)) {
        waiting.due_date = clock_.now() - 1min;
        insert(JobPlace::timer, waiting);
    }
    EXPECT_EQ(reset(JobPlace::timer, "", 3).freed, 0);
    EXPECT_EQ(reset(JobPlace::timer, "", 4).freed, 1);
}

TEST_P(ExpiredLockReset, An_empty_table_has_nothing_behind) {
    EXPECT_EQ(reset(JobPlace::executable).end, "");
    EXPECT_EQ(reset(JobPlace::timer).end, "");
}

TEST_P(ExpiredLockReset, A_lock_that_is_renewed_after_the_page_was_read_stays) {
    const Job held = insert_and_acquire(a_job("a"));
    clock_.tick(1h);
    FaultPlan no_faults;
    Node holder(*database_, no_faults);
    faults_.interleave(FaultPoint::begin, 0, [&] {
        const auto lost =
            holder.store().executor().extend_locks(claim_of("node-1"), fences_of({held}));
        EXPECT_THAT(lost, IsEmpty());
    });
    EXPECT_EQ(reset(JobPlace::executable).freed, 0);
    EXPECT_EQ(job("a").lock_owner, "node-1");
    EXPECT_EQ(job("a").revision, held.revision);
}

TEST_P(ExpiredLockReset, The_former_holder_has_lost_its_fence) {
    const Job held = insert_and_acquire(a_job("a"));
    clock_.tick(1h);
    ASSERT_EQ(reset(JobPlace::executable).freed, 1);
    EXPECT_THAT(apply({completed_outcome(held)}), ElementsAre(OutcomeAnswer::lost_lock));
    EXPECT_EQ(place_of("a"), "executable");
}

// The answer to its commit was lost, and nobody could ask in time.
TEST_P(Locks, What_a_claim_has_locked_is_known_by_the_end_of_the_claim) {
    insert(many_jobs("j", 4));
    LockClaim first = claim_of("node-1");
    first.pages_from = 0;
    const LockClaim second{
        .owner = "node-1", .until = first.until + 1ms, .now = first.now, .pages_from = 0};
    (void)store_.executor().acquire(first, noop_, 2);
    const std::vector<Job> lost = store_.executor().acquire(second, noop_, 2);
    EXPECT_EQ(store_.executor().take_up(second), lost);
    EXPECT_THAT(
        store_.executor().take_up({.owner = "node-2", .until = second.until, .now = clock_.now()}),
        IsEmpty()
    );
    EXPECT_THAT(
        store_.executor().take_up(
            {.owner = "node-1", .until = second.until + 1ms, .now = clock_.now()}
        ),
        IsEmpty()
    );
}

/// Locks of an app's own, which are over by the clock of the database.
class NamedLocks : public StoreTest {
protected:
    [[nodiscard]] NamedLock acquire(std::string_view owner, std::string_view name = "books") {
        return store_.named_locks().acquire({name, owner, 1min}, clock_.now());
    }

    [[nodiscard]] bool renew(std::string_view owner) {
        return store_.named_locks().renew({"books", owner, 1min}, clock_.now()).has_value();
    }

    bool release(std::string_view owner) {
        return store_.named_locks().release("books", owner, clock_.now());
    }

    [[nodiscard]] std::vector<std::string>
    held(std::string_view behind = {}, std::size_t limit = 9) {
        std::vector<std::string> names;
        for (const NamedLock& lock : store_.named_locks().list(behind, limit, clock_.now())) {
            names.push_back(lock.name + " " + lock.owner);
        }
        return names;
    }
};

ON_EVERY_DATABASE(NamedLocks);

TEST_P(NamedLocks, One_owner_has_it_and_others_hear_who_and_until_when) {
    const NamedLock first = acquire("a");
    EXPECT_EQ(first.owner, "a");
    EXPECT_GE(first.since, clock_.now()) << "the wait for the row counts";
    EXPECT_EQ(first.until - first.since, 1min);
    clock_.tick(30s);
    EXPECT_EQ(acquire("b"), first);
    EXPECT_EQ(acquire("b", "other").owner, "b");
    EXPECT_THAT(held(), ElementsAre("books a", "other b"));
}

TEST_P(NamedLocks, Its_end_frees_it_and_whoever_had_it_has_lost_it) {
    const NamedLock first = acquire("a");
    clock_.tick(2min);
    EXPECT_THAT(held(), IsEmpty());
    EXPECT_FALSE(renew("a"));
    EXPECT_FALSE(release("a"));
    const NamedLock second = acquire("b");
    EXPECT_EQ(second.owner, "b");
    EXPECT_GT(second.token, first.token);
    EXPECT_FALSE(renew("a"));
    EXPECT_FALSE(release("a"));
    EXPECT_THAT(held(), ElementsAre("books b"));
}

TEST_P(NamedLocks, Its_owner_renews_it_and_acquires_it_again_with_the_same_token) {
    const NamedLock first = acquire("a");
    clock_.tick(40s);
    EXPECT_TRUE(renew("a"));
    EXPECT_FALSE(renew("b"));
    clock_.tick(40s);
    const NamedLock again = acquire("a");
    EXPECT_EQ(again.token, first.token);
    EXPECT_EQ(again.since, first.since);
    EXPECT_GE(again.until, clock_.now() + 1min);
    EXPECT_EQ(acquire("b").owner, "a");
}

TEST_P(NamedLocks, A_released_one_is_free_at_once_and_each_token_is_larger_than_the_last) {
    std::int64_t last = 0;
    for (const schema::Duration passes : {0ms, 0ms, 1ms, 0ms, 60000ms, 0ms}) {
        clock_.tick(passes);
        const NamedLock lock = acquire("a");
        EXPECT_GT(lock.token, last);
        last = lock.token;
        EXPECT_TRUE(release("a"));
        EXPECT_FALSE(release("a"));
        EXPECT_THAT(held(), IsEmpty());
    }
}

TEST_P(NamedLocks, Names_and_owners_are_told_apart_by_case_and_letters_of_all_kinds) {
    for (const std::string_view name :
         {"books",
          "Books",
          "Bücher",
          "B\xC3\xBC"
          "cher\xF0\x9F\x93\x9A"}) {
        EXPECT_EQ(acquire(name, name).owner, name);
    }
    EXPECT_EQ(acquire("BOOKS").owner, "books");
    EXPECT_EQ(held("", 2).size(), 2U);
    EXPECT_EQ(held(held("", 2)[1].substr(0, held("", 2)[1].find(' ')), 9).size(), 2U);
}

TEST_P(NamedLocks, What_no_lock_can_have_is_refused) {
    const auto refused = [this](std::string_view name, std::string_view owner, auto time) {
        EXPECT_THROW(
            (void)store_.named_locks().acquire({name, owner, time}, clock_.now()),
            std::invalid_argument
        ) << name
          << " " << owner;
    };
    refused("", "a", 1min);
    refused("books", "", 1min);
    refused("books ", "a", 1min);
    refused(std::string(65, 'x'), "a", 1min);
    refused("books", std::string(256, 'x'), 1min);
    refused("books", "a", 0min);
    refused("books", "a", 31 * 24h);
}

TEST_P(NamedLocks, Names_that_nobody_has_used_for_a_day_are_forgotten) {
    EXPECT_EQ(acquire("a").owner, "a");
    clock_.tick(2min);
    EXPECT_EQ(acquire("a", "second").owner, "a");
    EXPECT_EQ(count_rows("JS_LOCK"), 2);
    clock_.tick(25h);
    EXPECT_EQ(acquire("a", "third").owner, "a");
    EXPECT_EQ(count_rows("JS_LOCK"), 1);
}

TEST_P(NamedLocks, Of_many_who_want_it_at_the_same_time_exactly_one_has_it) {
    constexpr int kOwners = 4;
    constexpr std::size_t kTurns = 15;
    std::atomic<int> inside = 0;
    std::vector<std::future<std::vector<std::int64_t>>> ends;
    for (int i = 0; i < kOwners; ++i) {
        ends.push_back(std::async(std::launch::async, [&, owner = "owner-" + std::to_string(i)] {
            Node node(*database_, faults_);
            std::vector<std::int64_t> tokens;
            while (tokens.size() < kTurns) {
                const NamedLock lock =
                    node.store().named_locks().acquire({"books", owner, 1min}, clock_.now());
                if (lock.owner == owner) {
                    EXPECT_EQ(++inside, 1);
                    tokens.push_back(lock.token);
                    --inside;
                    EXPECT_TRUE(node.store().named_locks().release("books", owner, clock_.now()));
                }
            }
            return tokens;
        }));
    }
    std::set<std::int64_t> tokens;
    for (auto& end : ends) {
        for (const std::int64_t token : end.get()) {
            EXPECT_TRUE(tokens.insert(token).second) << "two have had the same token";
        }
    }
    EXPECT_EQ(tokens.size(), kOwners * kTurns);
}

class ItsClock : public StoreTest {};

ON_EVERY_DATABASE(ItsClock);

// I6
TEST_P(ItsClock, Is_read_in_utc_and_to_the_millisecond) {
    const auto shown = store_.database_now();
    if (!connection_->dialect().has_own_clock()) {
        EXPECT_EQ(shown, std::nullopt);
        return;
    }
    ASSERT_TRUE(shown);
    // The server may run on another machine; a wrong zone would be a quarter of an hour off.
    EXPECT_LT(std::chrono::abs(*shown - schema::SystemClock().now()), 1min);
    EXPECT_TRUE(eventually([&] { return store_.database_now()->time_since_epoch() % 1s != 0ms; }));
}

}  // namespace

}  // namespace jobstrand::test
