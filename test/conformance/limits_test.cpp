#include "test/conformance/store_test.hpp"

#include <fmt/format.h>

namespace jobstrand::test {

namespace {

using persistence::GroupRuns;

/// Of the jobs that meet a limit never more are locked than it allows, over all nodes (B7).
class Limits : public StoreTest {
protected:
    Limits() : other_(*database_, faults_) {}

    void
    set(std::string_view name, std::optional<int> concurrent, std::optional<int> per_node = {}) {
        schema::JobLimit limit = schema::limit_named(name);
        limit.concurrent = concurrent;
        limit.per_node = per_node;
        store_.limits().set_limit(limit);
        all_look_again();
    }

    void all_look_again() {
        store_.executor().refresh_limits();
        other_.store().executor().refresh_limits();
    }

    [[nodiscard]] std::vector<std::string> taken_by(std::string_view owner) {
        return ids_of(acquire(100, owner));
    }

    [[nodiscard]] std::vector<Job> acquire_there() {
        return other_.store().executor().acquire(claim_of("node-2"), noop_, 100);
    }

    [[nodiscard]] std::vector<Job>
    take_waiting(std::string_view owner = "node-1", std::size_t limit = 100) {
        return store_.executor().acquire_limited(claim_of(owner), noop_, limit).jobs;
    }

    [[nodiscard]] bool waits(std::string_view id) { return schema::waits_for_limit(job(id)); }

    Job of_tenant(std::string id, std::string tenant) {
        return a_job(std::move(id)).of_tenant(std::move(tenant));
    }

    Node other_;
};

ON_EVERY_DATABASE(Limits);

TEST_P(Limits, Hold_over_all_nodes) {
    set("type:noop", 3);
    insert(many_jobs("j", 10));
    EXPECT_THAT(ids_of(acquire(2)), ElementsAre("j000", "j001"));
    EXPECT_THAT(ids_of(acquire_there()), ElementsAre("j002"));
    EXPECT_THAT(taken_by("node-3"), IsEmpty());
}

TEST_P(Limits, What_is_over_them_waits_and_is_met_by_no_further_claim) {
    set("type:noop", 1);
    insert(many_jobs("j", 2));
    EXPECT_THAT(taken_by("node-1"), SizeIs(1));
    EXPECT_TRUE(waits("j001"));
    const int revision = job("j001").revision;
    EXPECT_FALSE(store_.executor().has_acquirable(noop_));
    EXPECT_THAT(taken_by("node-2"), IsEmpty());
    EXPECT_EQ(job("j001").revision, revision);
}

TEST_P(Limits, Without_any_nothing_is_written_and_nobody_waits) {
    insert(many_jobs("j", 5));
    EXPECT_THAT(taken_by("node-1"), SizeIs(5));
    EXPECT_EQ(count_rows("JS_SLOT"), 0);
    EXPECT_EQ(count_rows("JS_LIMITED"), 0);
}

TEST_P(Limits, A_job_that_has_ended_makes_room_for_one_that_waits) {
    set("type:noop", 1);
    insert(many_jobs("j", 3));
    const std::vector<Job> first = acquire();
    EXPECT_THAT(take_waiting(), IsEmpty());
    complete(first);
    const std::vector<Job> second = take_waiting();
    EXPECT_THAT(ids_of(second), ElementsAre("j001"));
    EXPECT_EQ(second.at(0), job("j001"));
    EXPECT_THAT(take_waiting("node-2"), IsEmpty());
    complete(second);
    complete(take_waiting("node-2"));
    EXPECT_EQ(count_rows("ACT_RU_JOB"), 0);
    EXPECT_EQ(count_rows("JS_LIMIT_WAITING"), 0);
}

TEST_P(Limits, A_job_that_was_given_back_takes_no_room_and_runs_again) {
    set("type:noop", 1);
    insert(many_jobs("j", 1));
    const std::vector<Job> first = acquire();
    store_.executor().release("node-1", fences_of(first));
    EXPECT_THAT(ids_of(acquire()), ElementsAre("j000"));
}

TEST_P(Limits, A_dead_node_has_no_slots_once_its_locks_are_reset) {
    set("type:noop", 1);
    insert(many_jobs("j", 2));
    EXPECT_THAT(taken_by("node-1"), ElementsAre("j000"));
    EXPECT_THAT(take_waiting("node-2"), IsEmpty());
    const persistence::LockSearch search{.now = clock_.now() + 1h};
    EXPECT_EQ(store_.executor().reset_expired_locks(JobPlace::executable, search).freed, 1);
    EXPECT_THAT(ids_of(take_waiting("node-2")), ElementsAre("j001"));
    EXPECT_THAT(taken_by("node-2"), IsEmpty()) << "the slot is taken again";
}

TEST_P(Limits, A_mark_whose_row_is_gone_holds_no_job_for_ever_however_many_wait_rightly) {
    set("type:noop", 1);
    insert(many_jobs("j", 250));
    EXPECT_EQ(acquire(300).size(), 1U);
    EXPECT_EQ(count_rows("JS_LIMIT_WAITING"), 249);
    execute("DELETE FROM JS_LIMIT_WAITING WHERE ID_ = 'j003' OR ID_ = 'j240'");
    // Of so many, one half is looked at each time.
    std::int64_t freed = 0;
    for (int look = 0; look < 2; ++look) {
        const persistence::LockSearch search{.now = clock_.now() + look * 10s};
        freed += store_.executor().reset_expired_locks(JobPlace::executable, search).freed;
    }
    EXPECT_EQ(freed, 2);
    EXPECT_EQ(job("j003").lock_owner, "");
    EXPECT_EQ(job("j240").lock_owner, "");
    EXPECT_TRUE(schema::waits_for_limit(job("j004")));
}

TEST_P(Limits, Of_each_tenant_by_itself_leave_the_others_alone) {
    set("tenant:*", 2);
    for (int i = 0; i < 5; ++i) {
        insert(of_tenant(fmt::format("a{}", i), "a"));
    }
    insert(of_tenant("b0", "b"));
    insert(a_job("of-nobody"));
    EXPECT_THAT(taken_by("node-1"), ElementsAre("a0", "a1", "b0", "of-nobody"));
}

TEST_P(Limits, Of_one_value_come_before_those_of_each_value) {
    set("tenant:*", 1);
    set("tenant:b", 3);
    for (const std::string id : {"1", "2", "3", "4"}) {
        insert(of_tenant("a" + id, "a"));
        insert(of_tenant("b" + id, "b"));
    }
    EXPECT_THAT(taken_by("node-1"), ElementsAre("a1", "b1", "b2", "b3"));
}

TEST_P(Limits, All_that_a_job_meets_must_have_room) {
    set("type:noop", 3);
    set("tenant:a", 1);
    for (const std::string id : {"1", "2"}) {
        insert(of_tenant("a" + id, "a"));
        insert(of_tenant("b" + id, "b"));
    }
    EXPECT_THAT(taken_by("node-1"), ElementsAre("a1", "b1", "b2"));
    EXPECT_TRUE(waits("a2"));
}

TEST_P(Limits, Per_node_leave_the_rest_to_other_nodes) {
    set("type:noop", std::nullopt, 2);
    insert(many_jobs("j", 5));
    EXPECT_THAT(taken_by("node-1"), SizeIs(2));
    EXPECT_THAT(take_waiting("node-1"), IsEmpty());
    EXPECT_THAT(take_waiting("node-2"), SizeIs(2));
    EXPECT_THAT(take_waiting("node-2"), IsEmpty());
}

TEST_P(Limits, A_removed_one_lets_all_run_that_wait) {
    set("type:noop", 1);
    insert(many_jobs("j", 5));
    EXPECT_THAT(taken_by("node-1"), SizeIs(1));
    EXPECT_TRUE(store_.limits().remove_limit(schema::limit_named("type:noop")));
    EXPECT_FALSE(store_.limits().remove_limit(schema::limit_named("type:noop")));
    all_look_again();
    EXPECT_THAT(take_waiting(), SizeIs(4));
    EXPECT_EQ(count_rows("JS_LIMIT_WAITING"), 0);
}

TEST_P(Limits, A_lowered_one_holds_when_enough_have_ended) {
    set("type:noop", 3);
    insert(many_jobs("j", 5));
    const std::vector<Job> held = acquire();
    EXPECT_THAT(held, SizeIs(3));
    set("type:noop", 1);
    complete({held.at(0), held.at(1)});
    EXPECT_THAT(take_waiting(), IsEmpty());
    complete({held.at(2)});
    EXPECT_THAT(take_waiting(), SizeIs(1));
}

TEST_P(Limits, An_exclusive_job_that_waits_for_its_instance_takes_no_slot) {
    set("type:noop", 2);
    insert(a_job("a").of_instance("i"));
    EXPECT_THAT(taken_by("node-1"), ElementsAre("a"));
    insert(a_job("b").of_instance("i"));
    EXPECT_THAT(taken_by("node-2"), IsEmpty());
    EXPECT_TRUE(schema::waits_for_exclusive(job("b")));
    insert(a_job("c"));
    EXPECT_THAT(taken_by("node-2"), ElementsAre("c"));
}

TEST_P(Limits, Passing_an_instance_on_keeps_them) {
    insert(a_job("a").of_instance("i"));
    const std::vector<Job> held = acquire();
    insert(a_job("b").of_instance("i"));
    EXPECT_THAT(taken_by("node-2"), IsEmpty());
    set("type:noop", 1);
    insert(a_job("c"));
    EXPECT_THAT(taken_by("node-2"), ElementsAre("c"));
    complete(held);
    const persistence::GroupEnd end = end_of("i", 1);
    EXPECT_THAT(pass_on("node-1", end).jobs, IsEmpty());
    EXPECT_TRUE(waits("b"));
}

TEST_P(Limits, A_run_by_hand_goes_past_them) {
    set("type:noop", 0);
    insert(a_job("a"));
    EXPECT_THAT(taken_by("node-1"), IsEmpty());
    EXPECT_EQ(acquire_one("a", "hand").answer, JobAnswer::done);
    EXPECT_THAT(take_waiting(), IsEmpty());
}

TEST_P(Limits, A_job_that_an_operator_has_taken_away_waits_no_more) {
    set("type:noop", 1);
    insert(many_jobs("j", 3));
    const std::vector<Job> held = acquire();
    EXPECT_THAT(remove(JobPlace::executable, {"j001"}), ElementsAre(JobAnswer::done));
    complete(held);
    EXPECT_THAT(ids_of(take_waiting()), ElementsAre("j002"));
}

TEST_P(Limits, No_job_that_meets_one_is_stored_locked) {
    set("type:noop", 1);
    EXPECT_EQ(insert(a_job("a").locked_by("node-1", claim_of("").until)).lock_owner, "");
}

TEST_P(Limits, A_due_timer_that_meets_one_arrives_free_even_for_a_node_with_room) {
    set("type:noop", 1);
    insert(JobPlace::timer, a_job("a").due_at(clock_.now()));
    const auto due = move_due(10);
    EXPECT_EQ(due.moved, 1U);
    EXPECT_THAT(due.locked, IsEmpty());
    EXPECT_THAT(taken_by("node-2"), ElementsAre("a"));
}

TEST_P(Limits, Of_any_length_of_value_are_kept) {
    const std::string tenant(200, 'x');
    set("tenant:" + tenant, 1);
    insert(of_tenant("a", tenant));
    insert(of_tenant("b", tenant));
    insert(of_tenant("c", tenant + "y"));
    EXPECT_THAT(taken_by("node-1"), ElementsAre("a", "c"));
}

TEST_P(Limits, Leave_nothing_behind_of_groups_in_which_nothing_runs_any_more) {
    constexpr int kMoreThanOnePart = 201;
    set("tenant:*", 1);
    std::vector<Job> jobs;
    for (int i = 0; i < kMoreThanOnePart; ++i) {
        jobs.push_back(of_tenant(fmt::format("j{:03}", i), fmt::format("t{:03}", i)));
    }
    insert(std::move(jobs));
    std::vector<Job> held = acquire(kMoreThanOnePart);
    ASSERT_THAT(held, SizeIs(kMoreThanOnePart));
    const Job running = std::move(held.back());
    held.pop_back();
    complete(held);
    const std::string end = store_.executor().forget_idle_groups({}, clock_.now());
    EXPECT_EQ(end, "tenant:t199");
    EXPECT_EQ(store_.executor().forget_idle_groups(end, clock_.now()), "");
    EXPECT_EQ(count_rows("JS_LIMITED"), 1) << "of what runs all stays";
    EXPECT_EQ(count_rows("JS_SLOT"), 1);
    complete({running});
    EXPECT_EQ(store_.executor().forget_idle_groups({}, clock_.now()), "");
    EXPECT_EQ(count_rows("JS_LIMITED"), 0);
    EXPECT_EQ(count_rows("JS_SLOT"), 0);
}

TEST_P(Limits, Leave_a_group_in_which_jobs_wait_and_forget_those_that_wait_no_more) {
    set("type:noop", 1);
    insert(many_jobs("j", 2));
    const std::vector<Job> held = acquire();
    complete(held);
    EXPECT_EQ(store_.executor().forget_idle_groups({}, clock_.now()), "");
    EXPECT_EQ(count_rows("JS_LIMIT_WAITING"), 1);
    EXPECT_EQ(count_rows("JS_LIMITED"), 1);
    EXPECT_THAT(remove(JobPlace::executable, {"j001"}), ElementsAre(JobAnswer::done));
    EXPECT_EQ(store_.executor().forget_idle_groups({}, clock_.now()), "");
    EXPECT_EQ(count_rows("JS_LIMIT_WAITING"), 0);
    EXPECT_EQ(count_rows("JS_LIMITED"), 0);
}

TEST_P(Limits, Are_asked_for_served_types_only) {
    set("type:noop", 1);
    insert(many_jobs("j", 2));
    complete(acquire());
    const persistence::ServedJobs others({"mail"});
    EXPECT_THAT(store_.executor().acquire_limited(claim_of("node-2"), others, 100).jobs, IsEmpty());
    EXPECT_THAT(ids_of(take_waiting("node-2")), ElementsAre("j001"));
}

TEST_P(Limits, Are_listed_with_what_runs_and_waits) {
    set("type:noop", 1, 1);
    insert(many_jobs("j", 3));
    EXPECT_THAT(taken_by("node-1"), SizeIs(1));
    ASSERT_THAT(store_.limits().limits(), SizeIs(1));
    EXPECT_EQ(schema::name_of(store_.limits().limits().at(0)), "type:noop");
    EXPECT_EQ(store_.limits().limits().at(0).concurrent, 1);
    EXPECT_EQ(store_.limits().limits().at(0).per_node, 1);
    const persistence::GroupUse use{.group = "type:noop", .running = 1, .waiting = 2};
    EXPECT_THAT(store_.limits().group_uses(), ElementsAre(use));
}

/// What runs of one group that a limit meets, as an operator asks.
class RunsOfGroups : public StoreTest {
protected:
    void set(schema::JobLimit limit) {
        store_.limits().set_limit(limit);
        store_.executor().refresh_limits();
    }
};

ON_EVERY_DATABASE(RunsOfGroups);

TEST_P(RunsOfGroups, Are_counted_by_node_while_they_are_held) {
    set({.value = "noop", .concurrent = 3});
    insert(many_jobs("j", 5));
    EXPECT_EQ(store_.limits().runs_of_group("type:noop"), GroupRuns());
    EXPECT_EQ(acquire(2).size(), 2U);
    const std::vector<Job> there = acquire(2, "node-2");
    const GroupRuns expected{.running = {{"node-1", 2}, {"node-2", 1}}};
    EXPECT_EQ(store_.limits().runs_of_group("type:noop"), expected);
    EXPECT_EQ(store_.limits().runs_of_group("type:other"), GroupRuns());
    store_.executor().release("node-2", fences_of(there));
    EXPECT_EQ(store_.limits().runs_of_group("type:noop").running.count("node-2"), 0U);
}

TEST_P(RunsOfGroups, Tell_until_when_a_rate_is_used_up) {
    set({.value = "noop", .rate = schema::StartRate{.starts = 1, .period = 1min}});
    insert(many_jobs("j", 2));
    EXPECT_EQ(acquire().size(), 1U);
    const auto used = store_.limits().runs_of_group("type:noop").used_until;
    ASSERT_TRUE(used.has_value());
    EXPECT_GT(*used, clock_.now());
}

/// Of jobs with a rate never more start in a stretch of time than it allows, over all nodes (B7).
/// Nobody counts them.
class Rates : public StoreTest {
protected:
    Rates() : other_(*database_, faults_) {}

    void set(std::string_view name, std::string_view rate) {
        schema::JobLimit limit = schema::limit_named(name);
        limit.rate = schema::parse_start_rate(rate).value();
        store_.limits().set_limit(limit);
        store_.executor().refresh_limits();
        other_.store().executor().refresh_limits();
    }

    [[nodiscard]] std::vector<Job> acquire_there() {
        return other_.store().executor().acquire(claim_of("node-2"), noop_, 100);
    }

    [[nodiscard]] persistence::LimitedJobs take_waiting(persistence::SqlStore& store) {
        return store.executor().acquire_limited(claim_of("node-1"), noop_, 100);
    }

    Node other_;
};

ON_EVERY_DATABASE(Rates);

TEST_P(Rates, Hold_over_all_nodes_though_jobs_end) {
    set("type:noop", "20/PT20S");
    insert(many_jobs("j", 10));
    const std::vector<Job> first = acquire(1);
    const std::vector<Job> second = acquire_there();
    EXPECT_THAT(ids_of(first), ElementsAre("j000"));
    EXPECT_THAT(ids_of(second), ElementsAre("j001"));
    complete(first);
    complete(second);
    EXPECT_THAT(acquire(), IsEmpty());
    EXPECT_THAT(take_waiting(other_.store()).jobs, IsEmpty());
}

TEST_P(Rates, Let_the_next_ones_start_in_their_time) {
    set("type:noop", "1/PT10S");
    insert(many_jobs("j", 3));
    EXPECT_THAT(ids_of(acquire()), ElementsAre("j000"));
    const persistence::LimitedJobs none = take_waiting(store_);
    EXPECT_THAT(none.jobs, IsEmpty());
    EXPECT_EQ(none.until_next, 10s);
    clock_.tick(9'999ms);
    EXPECT_THAT(take_waiting(store_).jobs, IsEmpty());
    clock_.tick(1ms);
    EXPECT_THAT(ids_of(take_waiting(other_.store()).jobs), ElementsAre("j001"));
    EXPECT_THAT(take_waiting(store_).jobs, IsEmpty());
}

TEST_P(Rates, Are_not_forgotten_while_they_are_used_up) {
    set("type:noop", "1/PT10S");
    insert(many_jobs("j", 1));
    complete(acquire());
    EXPECT_EQ(store_.executor().forget_idle_groups({}, clock_.now()), "");
    EXPECT_EQ(count_rows("JS_LIMITED"), 1);
    clock_.tick(10s + 1ms);
    EXPECT_EQ(store_.executor().forget_idle_groups({}, clock_.now()), "");
    EXPECT_EQ(count_rows("JS_LIMITED"), 0);
}

TEST_P(Rates, Of_each_tenant_by_itself_leave_the_others_alone) {
    set("tenant:*", "1/PT1M");
    for (const std::string id : {"a1", "a2", "b1"}) {
        insert(a_job(id).of_tenant(id.substr(0, 1)));
    }
    EXPECT_THAT(ids_of(acquire()), ElementsAre("a1", "b1"));
}

TEST_P(Rates, Stand_beside_the_limits_of_those_that_run) {
    set("type:noop", "100/PT10S");
    schema::JobLimit limit = store_.limits().limits().at(0);
    limit.concurrent = 2;
    store_.limits().set_limit(limit);
    store_.executor().refresh_limits();
    insert(many_jobs("j", 30));
    const std::vector<Job> first = acquire();
    EXPECT_THAT(first, SizeIs(2));
    EXPECT_EQ(take_waiting(store_).until_next, std::nullopt) << "no rate is in the way";
    complete(first);
    EXPECT_THAT(take_waiting(store_).jobs, SizeIs(2));
}

TEST_P(Rates, That_nobody_has_cost_nothing) {
    schema::JobLimit limit = schema::limit_named("type:noop");
    limit.concurrent = 1;
    store_.limits().set_limit(limit);
    store_.executor().refresh_limits();
    insert(many_jobs("j", 2));
    EXPECT_THAT(acquire(), SizeIs(1));
    EXPECT_EQ(take_waiting(store_).until_next, std::nullopt);
}

TEST_P(Rates, Are_listed_as_they_were_set) {
    set("type:noop", "100/PT1M");
    ASSERT_THAT(store_.limits().limits(), SizeIs(1));
    EXPECT_EQ(schema::text_of(store_.limits().limits().at(0).rate.value()), "100/PT1M");
    EXPECT_EQ(store_.limits().limits().at(0).concurrent, std::nullopt);
}

}  // namespace

}  // namespace jobstrand::test
