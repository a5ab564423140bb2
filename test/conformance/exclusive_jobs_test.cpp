#include "test/conformance/store_test.hpp"

#include <fmt/format.h>

namespace jobstrand::test {

namespace {

using persistence::GroupEnd;
using persistence::GroupHold;
using persistence::GroupsPassedOn;
using schema::kMostClaimedOfGroup;
using testing::Optional;

constexpr std::size_t kAnyBytes = 1'000'000;

/// Exclusive jobs of one instance: one node holds all of them that anybody holds (I4).
class ExclusiveJobs : public StoreTest {
protected:
    [[nodiscard]] std::vector<std::string>
    taken_by(std::string_view owner, std::size_t limit = 100) {
        return ids_of(acquire(limit, owner));
    }

    [[nodiscard]] bool waits(std::string_view id) { return schema::waits_for_exclusive(job(id)); }

    /// `first` is held by node-1, and `second` waits for it.
    void one_holds_and_one_waits() {
        insert_of("i", {"first"});
        held_ = acquire();
        insert_of("i", {"second"});
        EXPECT_THAT(taken_by("node-2"), IsEmpty());
        EXPECT_TRUE(waits("second"));
    }

    std::vector<Job> held_;
};

ON_EVERY_DATABASE(ExclusiveJobs);

// R082 R086
TEST_P(ExclusiveJobs, Of_one_instance_are_held_by_one_node) {
    insert_of("i", {"a", "b"});
    EXPECT_THAT(taken_by("node-1", 1), ElementsAre("a"));
    EXPECT_THAT(taken_by("node-2"), IsEmpty());
    EXPECT_TRUE(waits("b"));
}

TEST_P(ExclusiveJobs, One_that_waits_names_the_instance_and_its_holder) {
    one_holds_and_one_waits();
    const auto awaited = store_.jobs().awaited_group(job("second"));
    ASSERT_TRUE(awaited);
    EXPECT_EQ(awaited->group, "i");
    EXPECT_EQ(awaited->lock_owner, "node-1");
    EXPECT_FALSE(store_.jobs().awaited_group(job("first"))) << "it waits for nobody";
}

// R087
TEST_P(ExclusiveJobs, Its_holder_may_take_more_of_them) {
    insert_of("i", {"a", "b", "c"});
    EXPECT_THAT(taken_by("node-1", 1), ElementsAre("a"));
    EXPECT_THAT(taken_by("node-1"), ElementsAre("b", "c"));
}

// R091
TEST_P(ExclusiveJobs, Hold_up_no_others) {
    one_holds_and_one_waits();
    insert({a_job("free").of_instance("i").not_exclusive(), a_job("lone")});
    insert_of("other", {"of-another"});
    EXPECT_THAT(taken_by("node-2"), ElementsAre("free", "lone", "of-another"));
}

TEST_P(ExclusiveJobs, Without_an_instance_share_nothing) {
    insert(many_jobs("j", 4));
    EXPECT_THAT(taken_by("node-1", 2), SizeIs(2));
    EXPECT_THAT(taken_by("node-2"), SizeIs(2));
    EXPECT_EQ(count_rows("JS_EXCLUSIVE"), 0);
}

// R089: exclusive is the default, also for who writes NULL.
TEST_P(ExclusiveJobs, Are_those_that_say_nothing_about_it) {
    for (const std::string_view id : {"a", "b"}) {
        execute(
            "INSERT INTO ACT_RU_JOB (ID_, REV_, TYPE_, HANDLER_TYPE_, PROCESS_INSTANCE_ID_, "
            "EXCLUSIVE_) VALUES (?, 1, 'message', 'noop', 'i', NULL)",
            {id}
        );
    }
    EXPECT_THAT(taken_by("node-1", 1), ElementsAre("a"));
    EXPECT_THAT(taken_by("node-2"), IsEmpty());
}

TEST_P(ExclusiveJobs, A_waiting_one_is_met_by_no_further_claim) {
    one_holds_and_one_waits();
    const int revision = job("second").revision;
    EXPECT_FALSE(store_.executor().has_acquirable(noop_));
    EXPECT_THAT(taken_by("node-2"), IsEmpty());
    EXPECT_THAT(taken_by("node-1"), IsEmpty());
    EXPECT_EQ(job("second").revision, revision);
}

TEST_P(ExclusiveJobs, A_page_tells_how_many_of_it_wait) {
    insert_of("i", {"a", "b", "c"});
    EXPECT_THAT(taken_by("node-1", 1), ElementsAre("a"));
    insert_of("k", {"d"});
    persistence::SeenRows seen;
    PageLimit limit(100);
    limit.seen = &seen;
    EXPECT_THAT(
        ids_of(store_.executor().acquire(claim_of("node-2"), noop_, limit)), ElementsAre("d")
    );
    EXPECT_EQ(seen.waiting, 2U);
}

TEST_P(ExclusiveJobs, The_holder_gets_those_that_wait_when_its_own_have_ended) {
    one_holds_and_one_waits();
    complete(held_);
    const GroupsPassedOn passed = pass_on("node-1", end_of("i", 1));
    EXPECT_THAT(ids_of(passed.jobs), ElementsAre("second"));
    EXPECT_EQ(job("second").lock_owner, "node-1");
    EXPECT_EQ(passed.jobs.at(0), job("second"));
    EXPECT_EQ(count_rows("JS_WAITING"), 0);
    complete(passed.jobs);
    EXPECT_THAT(pass_on("node-1", end_of("i", 1)).jobs, IsEmpty());
    EXPECT_EQ(count_rows("JS_EXCLUSIVE"), 0);
}

TEST_P(ExclusiveJobs, A_group_of_which_nothing_waits_is_anybodys) {
    insert_of("i", {"a", "b"});
    const std::vector<Job> held = acquire(1);
    complete(held);
    EXPECT_THAT(pass_on("node-1", end_of("i", 1)).jobs, IsEmpty());
    EXPECT_THAT(taken_by("node-2"), ElementsAre("b"));
}

// The jobs of that claim have not reached the holder's memory yet.
TEST_P(ExclusiveJobs, A_group_is_kept_while_a_claim_of_its_holder_is_under_way) {
    insert_of("i", {"a", "b", "c"});
    complete(acquire(1));
    EXPECT_THAT(taken_by("node-1", 1), ElementsAre("b"));
    const GroupEnd end = end_of("i", 1);
    const GroupsPassedOn passed = pass_on("node-1", end);
    EXPECT_THAT(passed.busy, ElementsAre(end));
    EXPECT_THAT(taken_by("node-2"), IsEmpty());
}

// A node claims in two ways at once, and reckons the earliest of its claims as the first.
TEST_P(ExclusiveJobs, A_claim_may_commit_behind_one_that_began_later) {
    insert_of("i", {"a", "b"});
    const std::vector<Job> later = acquire(1);
    const LockClaim early{.owner = "node-1", .until = claim_of("").until - 1s, .now = clock_.now()};
    const std::vector<Job> joined = store_.executor().acquire(early, noop_, 1);
    EXPECT_THAT(ids_of(joined), ElementsAre("b"));
    complete(later);
    complete(joined);
    const GroupEnd end{.group = "i", .claimed = 2, .began = early.until};
    EXPECT_THAT(pass_on("node-1", end).busy, IsEmpty());
    EXPECT_EQ(count_rows("JS_EXCLUSIVE"), 0);
}

// It was told before an outage in which the lock of the group ended.
TEST_P(ExclusiveJobs, An_end_that_is_told_late_does_not_end_a_later_holding) {
    insert_of("i", {"a", "b"});
    const std::vector<Job> early = acquire(1);
    const GroupEnd end = end_of("i", 1);
    complete(early);
    clock_.tick(1h);
    (void)store_.executor().reset_expired_groups(clock_.now());
    EXPECT_THAT(taken_by("node-1"), ElementsAre("b"));
    EXPECT_THAT(pass_on("node-1", end).busy, ElementsAre(end));
    EXPECT_EQ(count_rows("JS_EXCLUSIVE"), 1);
}

TEST_P(ExclusiveJobs, Nobody_passes_on_what_another_holds) {
    one_holds_and_one_waits();
    const GroupsPassedOn passed = pass_on("node-2", end_of("i", 1));
    EXPECT_THAT(passed.jobs, IsEmpty());
    EXPECT_THAT(passed.busy, IsEmpty());
    EXPECT_EQ(count_rows("JS_EXCLUSIVE"), 1);
}

TEST_P(ExclusiveJobs, Those_that_the_holder_does_not_serve_are_free_when_it_ends) {
    one_holds_and_one_waits();
    complete(held_);
    const GroupEnd end = end_of("i", 1);
    const GroupsPassedOn passed =
        store_.executor().pass_on(claim_of("node-1"), {}, kAnyBytes, std::span(&end, 1));
    EXPECT_THAT(passed.jobs, IsEmpty());
    EXPECT_THAT(passed.rest, ElementsAre(end)) << "more may wait behind them";
    (void)pass_on("node-1", end);
    EXPECT_THAT(taken_by("node-2"), ElementsAre("second"));
}

TEST_P(ExclusiveJobs, A_node_takes_a_bounded_number_of_a_group_at_once) {
    insert(many_jobs(
        "j", static_cast<std::size_t>(kMostClaimedOfGroup) + 50, a_job("").of_instance("i")
    ));
    const std::vector<Job> first = acquire(1000);
    EXPECT_THAT(first, SizeIs(kMostClaimedOfGroup));
    EXPECT_EQ(count_rows("JS_WAITING"), 50);
    complete(first);
    const auto rest = pass_on("node-1", end_of("i", kMostClaimedOfGroup));
    EXPECT_THAT(rest.jobs, SizeIs(50));
    EXPECT_EQ(rest.jobs.front().id, fmt::format("j{:03}", kMostClaimedOfGroup));
}

TEST_P(ExclusiveJobs, Payloads_of_those_that_wait_are_taken_up_to_a_bound) {
    insert_of("i", {"first"});
    const std::vector<Job> held = acquire();
    for (const std::string id : {"b", "c"}) {
        insert(a_job(id).of_instance("i").with_payload(std::string(100, 'p')));
    }
    EXPECT_THAT(taken_by("node-2"), IsEmpty());
    complete(held);
    const GroupEnd end = end_of("i", 1);
    const auto passed = pass_on("node-1", end, 150);
    EXPECT_THAT(ids_of(passed.jobs), ElementsAre("b"));
    EXPECT_TRUE(waits("c"));
    complete(passed.jobs);
    EXPECT_THAT(ids_of(pass_on("node-1", end).jobs), ElementsAre("c"));
}

// R086: a dead node's instances are free with its jobs.
TEST_P(ExclusiveJobs, The_group_of_a_dead_node_is_freed_with_those_that_wait) {
    one_holds_and_one_waits();
    EXPECT_EQ(store_.executor().reset_expired_groups(clock_.now()), 0);
    EXPECT_TRUE(waits("second"));
    clock_.tick(1h);
    EXPECT_EQ(store_.executor().reset_expired_groups(clock_.now()), 1);
    EXPECT_EQ(count_rows("JS_EXCLUSIVE"), 0);
    EXPECT_EQ(count_rows("JS_WAITING"), 0);
    EXPECT_EQ(job("second").lost_starts, 0);
    EXPECT_THAT(taken_by("node-2"), ElementsAre("second"));
}

TEST_P(ExclusiveJobs, No_reset_of_jobs_frees_one_that_waits) {
    one_holds_and_one_waits();
    clock_.tick(1h);
    reset_locks();
    EXPECT_TRUE(waits("second"));
    EXPECT_EQ(job("first").lock_owner, "");
}

// Tables that were restored one by one, or rows that somebody deleted by SQL.
TEST_P(ExclusiveJobs, A_mark_whose_row_is_gone_holds_no_job_for_ever) {
    one_holds_and_one_waits();
    insert(a_job("lonely").of_instance("j"));
    execute(
        "UPDATE ACT_RU_JOB SET LOCK_OWNER_ = ?, LOCK_EXP_TIME_ = '2037-01-01 00:00:00.000' "
        "WHERE ID_ = 'lonely'",
        {schema::kWaitingOwner}
    );
    EXPECT_EQ(reset_locks(), 1);
    EXPECT_TRUE(waits("second"));
    EXPECT_THAT(taken_by("node-2"), ElementsAre("lonely"));
    execute("DELETE FROM JS_WAITING");
    EXPECT_EQ(reset_locks(), 1);
    EXPECT_FALSE(waits("second"));
    EXPECT_THAT(taken_by("node-2"), IsEmpty()) << "its instance is held, and it waits rightly";
    EXPECT_TRUE(waits("second"));
}

TEST_P(ExclusiveJobs, A_renewal_prolongs_the_group_with_its_jobs) {
    one_holds_and_one_waits();
    clock_.tick(1h);
    EXPECT_THAT(store_.executor().extend_locks(claim_of("node-1"), fences_of(held_)), IsEmpty());
    EXPECT_EQ(store_.executor().reset_expired_groups(clock_.now()), 0);
    EXPECT_TRUE(waits("second"));
}

TEST_P(ExclusiveJobs, A_renewal_that_is_late_takes_nothing_back) {
    insert_of("i", {"first"});
    const std::vector<Job> held = acquire();
    const LockClaim late{.owner = "node-1", .until = clock_.now() + 1s, .now = clock_.now()};
    EXPECT_THAT(store_.executor().extend_locks(late, fences_of(held)), IsEmpty());
    clock_.tick(2s);
    EXPECT_EQ(store_.executor().reset_expired_groups(clock_.now()), 0);
    EXPECT_EQ(count_rows("JS_EXCLUSIVE"), 1);
}

TEST_P(ExclusiveJobs, Who_has_lost_the_group_has_lost_its_jobs) {
    one_holds_and_one_waits();
    clock_.tick(1h);
    (void)store_.executor().reset_expired_groups(clock_.now());
    EXPECT_THAT(taken_by("node-2"), ElementsAre("second"));
    const auto expiry = job("first").lock_expiration;
    EXPECT_THAT(
        store_.executor().extend_locks(claim_of("node-1"), fences_of(held_)), ElementsAre("first")
    );
    EXPECT_EQ(job("first").lock_expiration, expiry);
    EXPECT_THAT(apply({completed_outcome(held_.at(0))}), ElementsAre(OutcomeAnswer::lost_lock));
    EXPECT_EQ(place_of("first"), "executable");
}

TEST_P(ExclusiveJobs, A_lost_group_spoils_no_other_outcome_of_the_batch) {
    one_holds_and_one_waits();
    insert_of("k", {"kept"});
    clock_.tick(1h);
    const std::vector<Job> kept = acquire();
    (void)store_.executor().reset_expired_groups(clock_.now());
    EXPECT_THAT(
        apply({completed_outcome(held_.at(0)), completed_outcome(kept.at(0))}),
        ElementsAre(OutcomeAnswer::lost_lock, OutcomeAnswer::done)
    );
}

// R006
TEST_P(ExclusiveJobs, A_run_by_hand_is_one_of_them) {
    insert_of("i", {"a", "b"});
    EXPECT_EQ(acquire_one("a", "hand").answer, JobAnswer::done);
    EXPECT_THAT(taken_by("node-1"), IsEmpty());
    EXPECT_EQ(acquire_one("b", "other").answer, JobAnswer::locked);
    EXPECT_TRUE(waits("b"));
}

TEST_P(ExclusiveJobs, Operators_treat_a_waiting_one_as_held_by_no_node) {
    one_holds_and_one_waits();
    insert_of("i", {"third"});
    EXPECT_THAT(taken_by("node-2"), IsEmpty());
    const std::vector<schema::JobChange> changes{
        schema::MemberChange<std::int64_t>{.member = &Job::priority, .value = 7}};
    EXPECT_EQ(change(JobPlace::executable, "second", changes), JobAnswer::done);
    EXPECT_EQ(job("second").lock_owner, "") << "it may have become another kind of job";
    EXPECT_THAT(remove(JobPlace::executable, {"third"}), ElementsAre(JobAnswer::done));
    complete(held_);
    EXPECT_THAT(pass_on("node-1", end_of("i", 1)).jobs, IsEmpty());
    (void)pass_on("node-1", end_of("i", 1));
    EXPECT_EQ(count_rows("JS_WAITING"), 0);
    EXPECT_THAT(taken_by("node-2"), ElementsAre("second"));
}

TEST_P(ExclusiveJobs, A_waiting_one_is_suspended_with_its_instance) {
    one_holds_and_one_waits();
    suspend(SuspensionScope::instance, "i");
    EXPECT_EQ(place_of("second"), "suspended");
    complete(held_);
    EXPECT_THAT(pass_on("node-1", end_of("i", 1)).jobs, IsEmpty());
    activate(SuspensionScope::instance, "i");
    (void)pass_on("node-1", end_of("i", 1));
    EXPECT_THAT(taken_by("node-2"), ElementsAre("second"));
}

TEST_P(ExclusiveJobs, A_due_timer_of_an_instance_arrives_free_even_for_a_node_with_room) {
    insert(JobPlace::timer, a_job("a").of_instance("i").due_at(clock_.now()));
    const auto due = move_due(10);
    EXPECT_EQ(due.moved, 1U);
    EXPECT_THAT(due.locked, IsEmpty());
    EXPECT_THAT(taken_by("node-2"), ElementsAre("a"));
}

// R092
TEST_P(ExclusiveJobs, Of_two_instances_under_one_root_run_side_by_side) {
    insert(a_job("a").of_instance("i").under_root("r"));
    insert(a_job("b").of_instance("k").under_root("r"));
    EXPECT_THAT(taken_by("node-1", 1), ElementsAre("a"));
    EXPECT_THAT(taken_by("node-2"), ElementsAre("b"));
}

// R093
TEST_P(ExclusiveJobs, Exclude_those_of_the_whole_hierarchy_where_nodes_are_told_so) {
    Node node(*database_, faults_, schema::ExclusiveOver::hierarchy);
    insert(a_job("a").of_instance("i").under_root("r"));
    insert(a_job("b").of_instance("k").under_root("r"));
    insert(a_job("c").of_instance("r"));
    insert(a_job("d").of_instance("i").under_root("other"));
    EXPECT_THAT(
        ids_of(node.store().executor().acquire(claim_of("node-1"), noop_, 1)), ElementsAre("a")
    );
    EXPECT_THAT(
        ids_of(node.store().executor().acquire(claim_of("node-2"), noop_, 10)), ElementsAre("d")
    );
}

/// Who has the exclusive jobs of an instance, as an operator asks.
class GroupHolds : public StoreTest {
protected:
    Job insert_of(std::string id, std::string instance = "order-17") {
        return insert(a_job(std::move(id)).of_instance(std::move(instance)));
    }

    [[nodiscard]] std::vector<std::string> siblings_of(const Job& job) {
        std::vector<std::string> ids;
        const persistence::GroupHold hold = store_.jobs().group_hold(job).value();
        for (const auto& sibling : hold.siblings) {
            ids.push_back(sibling.id);
        }
        return ids;
    }
};

ON_EVERY_DATABASE(GroupHolds);

TEST_P(GroupHolds, Are_told_with_the_sibling_that_runs) {
    insert_of("a");
    const Job first = acquire().at(0);
    insert_of("b");
    EXPECT_THAT(acquire(1, "node-2"), IsEmpty());
    store_.nodes().record_work(
        "node-1", {.runs = {{.id = "a", .revision = first.revision, .since = clock_.now()}}}
    );
    const GroupHold expected{
        .group = "order-17",
        .lock_owner = "node-1",
        .until = claim_of("node-1").until,
        .siblings = {{.id = "a", .since = clock_.now()}}};
    EXPECT_THAT(store_.jobs().group_hold(job("b")), Optional(expected)) << "it waits";
    EXPECT_THAT(store_.jobs().group_hold(insert_of("c")), Optional(expected))
        << "nobody has met it yet";
    EXPECT_THAT(siblings_of(job("a")), IsEmpty()) << "it is none of its own";
}

TEST_P(GroupHolds, Name_siblings_of_which_nobody_has_told_that_they_run) {
    insert_of("a");
    insert_of("b");
    insert_of("of-another", "order-18");
    insert(a_job("beside").of_instance("order-17").not_exclusive());
    EXPECT_EQ(acquire().size(), 4U);
    EXPECT_THAT(siblings_of(insert_of("c")), ElementsAre("a", "b"));
}

TEST_P(GroupHolds, Are_none_where_nobody_holds_the_instance) {
    EXPECT_EQ(store_.jobs().group_hold(insert_of("a")), std::nullopt);
    EXPECT_EQ(store_.jobs().group_hold(insert(a_job("alone"))), std::nullopt);
    EXPECT_EQ(
        store_.jobs().group_hold(insert(a_job("beside").of_instance("order-17").not_exclusive())),
        std::nullopt
    );
}

TEST_P(GroupHolds, Of_workers_are_told_too) {
    insert(JobPlace::external_worker, a_job("a").of_instance("order-17"));
    EXPECT_EQ(
        store_.workers()
            .acquire_external(claim_of("worker-1"), {.topics = noop_}, 1, clock_.now())
            .size(),
        1U
    );
    const auto hold = store_.jobs().group_hold(insert_of("b"));
    ASSERT_TRUE(hold.has_value());
    EXPECT_EQ(hold->lock_owner, "worker worker-1");
    EXPECT_THAT(siblings_of(job("b")), ElementsAre("a"));
}

}  // namespace

}  // namespace jobstrand::test
