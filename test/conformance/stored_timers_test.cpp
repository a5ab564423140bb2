#include "test/conformance/store_test.hpp"

namespace jobstrand::test {

namespace {

class Timers : public StoreTest {};

ON_EVERY_DATABASE(Timers);

TEST_P(Timers, A_due_timer_becomes_executable_and_keeps_its_due_date) {
    const Job timer = insert(JobPlace::timer, a_timer("a", 0ms));
    const auto due = move_due_free();
    EXPECT_EQ(due.moved, 1U);
    EXPECT_THAT(due.locked, IsEmpty());
    ASSERT_EQ(place_of("a"), "executable");
    EXPECT_EQ(job("a").due_date, timer.due_date);
    EXPECT_EQ(job("a").revision, timer.revision + 1);
    EXPECT_EQ(count_rows("ACT_RU_TIMER_JOB"), 0);
}

TEST_P(Timers, A_due_timer_keeps_every_column_but_its_lock) {
    Job timer = full_job("a");
    timer.series = "";
    timer.repeat = "";
    Job expected = insert(JobPlace::timer, timer);
    clock_.tick(1ms);
    ASSERT_EQ(move_due_free().moved, 1U);
    expected.revision += 1;
    EXPECT_EQ(job("a"), expected);
}

TEST_P(Timers, What_a_plain_insert_leaves_out_does_not_stop_a_timer) {
    insert(JobPlace::timer, {a_timer("a", -1s), a_timer("b", -1s)});
    execute("UPDATE ACT_RU_TIMER_JOB SET REV_ = NULL, TENANT_ID_ = NULL WHERE ID_ = 'a'");
    const auto due = move_due();
    EXPECT_THAT(ids_of(due.locked), UnorderedElementsAre("a", "b"));
    for (const Job& moved : due.locked) {
        EXPECT_EQ(moved, job(moved.id));
    }
}

TEST_P(Timers, A_timer_moves_at_its_millisecond_and_not_before) {
    insert(JobPlace::timer, a_timer("a", 1ms));
    EXPECT_EQ(move_due_free().moved, 0U);
    clock_.tick(1ms);
    EXPECT_EQ(move_due_free().moved, 1U);
}

TEST_P(Timers, The_earliest_due_timers_come_first) {
    insert(JobPlace::timer, {a_timer("a", -1s), a_timer("b", -3s), a_timer("c", -2s)});
    EXPECT_EQ(move_due_free(2).moved, 2U);
    EXPECT_THAT(places_of({"a", "b", "c"}), ElementsAre("timer", "executable", "executable"));
}

TEST_P(Timers, A_page_can_begin_with_a_due_date_and_says_which_one_it_ended_with) {
    insert(JobPlace::timer, {a_timer("a", -3s), a_timer("b", -2s), a_timer("c", -1s)});
    const persistence::DueWindow window(clock_.now(), 0ms, clock_.now() - 2s);
    const auto due = store_.timers().move_due_timers(window, 1, std::nullopt, {});
    EXPECT_EQ(due.moved, 1U);
    EXPECT_EQ(due.end, clock_.now() - 2s);
    EXPECT_EQ(place_of("b"), "executable");
    EXPECT_EQ(move_due_free().end, clock_.now() - 1s);
    EXPECT_EQ(place_of("a"), "executable");
    EXPECT_EQ(move_due_free().end, std::nullopt);
}

TEST_P(Timers, A_full_page_is_told_of_before_it_is_moved_and_another_may_move_what_is_behind_it) {
    insert(
        JobPlace::timer,
        {a_timer("a", -3s), a_timer("b", -3s), a_timer("c", -2s), a_timer("d", -1s)}
    );
    const auto move_behind = [&](schema::TimePoint end) {
        EXPECT_EQ(end, clock_.now() - 3s);
        EXPECT_EQ(count_rows("ACT_RU_TIMER_JOB"), 4);
        if (!GetParam().driver->has_one_writer) {
            const persistence::DueWindow behind(clock_.now(), 0ms, end);
            Node other(*database_, faults_);
            EXPECT_EQ(
                other.store().timers().move_due_timers(behind, 10, std::nullopt, {}).moved, 2U
            );
        }
    };
    int told = 0;
    persistence::DueWindow window(clock_.now());
    window.when_found = [&](schema::TimePoint end) {
        ++told;
        move_behind(end);
    };
    EXPECT_EQ(store_.timers().move_due_timers(window, 2, std::nullopt, {}).moved, 2U);
    EXPECT_EQ(told, 1);
    EXPECT_EQ(
        store_.timers().move_due_timers(window, 3, std::nullopt, {}).moved,
        GetParam().driver->has_one_writer ? 2U : 0U
    );
    EXPECT_EQ(told, 1) << "of a page that is not full nobody hears";
    EXPECT_EQ(count_rows("ACT_RU_JOB"), 4);
}

TEST_P(Timers, The_next_one_that_is_not_served_may_be_asked_for_alone) {
    const std::vector<std::string> served{"mail", "noop"};
    insert(JobPlace::timer, {a_timer("a", -9s), a_timer("b", 1s)});
    const auto next = [&](std::optional<schema::TimePoint> from) {
        return store_.timers().next_due_of_others(served, from, clock_.now() + 5s);
    };
    EXPECT_EQ(next(std::nullopt), std::nullopt);
    const Job external = a_timer("c", -3s).of_kind(schema::kExternalWorkerType);
    const Job other = a_timer("d", 2s).of_type("fax");
    const Job nameless = a_timer("e", 3s).of_type("");
    insert(JobPlace::timer, {external, other, nameless, a_timer("f", 6s).of_type("fax")});
    EXPECT_EQ(next(std::nullopt), external.due_date);
    EXPECT_EQ(next(external.due_date), external.due_date);
    EXPECT_EQ(next(clock_.now() - 2s), other.due_date);
    EXPECT_EQ(next(clock_.now() + 3s), nameless.due_date);
    EXPECT_EQ(next(clock_.now() + 4s), std::nullopt);
}

TEST_P(Timers, Those_that_are_served_may_be_left_where_they_are) {
    const Job external = a_timer("c", -3s).of_kind(schema::kExternalWorkerType);
    const Job other = a_timer("d", -2s).of_type("mail");
    insert(JobPlace::timer, {a_timer("a", -4s), external, other, a_timer("e", 1s).of_type("mail")});
    persistence::DueWindow window(clock_.now());
    window.are_served_left = true;
    const std::vector<std::string> served{"noop"};
    EXPECT_EQ(store_.timers().move_due_timers(window, 100, std::nullopt, served).moved, 2U);
    EXPECT_THAT(places_of({"a", "c", "d"}), ElementsAre("timer", "external", "executable"));
    EXPECT_EQ(place_of("e"), "timer");
}

TEST_P(Timers, Served_timers_arrive_locked_in_due_order_and_the_others_free) {
    insert(JobPlace::timer, {a_timer("a", -1s), a_timer("b", -2s)});
    insert(JobPlace::timer, a_timer("c", -3s).of_type("mail"));
    const auto due = move_due();
    EXPECT_EQ(due.moved, 3U);
    ASSERT_THAT(ids_of(due.locked), ElementsAre("b", "a"));
    EXPECT_EQ(due.locked[0], job("b"));
    EXPECT_EQ(due.locked[0].lock_owner, "node-1");
    EXPECT_TRUE(job("c").lock_owner.empty());
}

TEST_P(Timers, A_timer_that_arrived_locked_can_be_completed) {
    insert(JobPlace::timer, a_timer("a", 0ms));
    const auto due = move_due();
    expect_done(completed_outcome(due.locked.at(0)));
    EXPECT_EQ(place_of("a"), "nowhere");
}

TEST_P(Timers, An_external_worker_job_goes_to_its_own_place) {
    const Job external = a_timer("a", 0ms).of_kind(schema::kExternalWorkerType);
    insert(JobPlace::timer, external);
    const auto due = move_due();
    EXPECT_EQ(due.moved, 1U);
    EXPECT_THAT(due.locked, IsEmpty());
    EXPECT_EQ(place_of("a"), "external");
}

TEST_P(Timers, A_locked_timer_is_left_alone) {
    insert(JobPlace::timer, a_timer("a", -1s).locked_by("flowable", clock_.now() + 1h));
    EXPECT_EQ(store_.timers().next_due({}), std::nullopt);
    EXPECT_EQ(move_due_free().moved, 0U);
}

TEST_P(Timers, A_page_may_be_larger_than_a_statement) {
    insert(JobPlace::timer, many_jobs("t", 700, a_job("").due_at(clock_.now())));
    EXPECT_EQ(move_due_free(1000).moved, 700U);
    EXPECT_EQ(count_rows("ACT_RU_JOB"), 700);
}

// A plain INSERT can take an id that stands in another place: no key spans two tables.
TEST_P(Timers, One_whose_id_is_taken_becomes_a_dead_letter_and_does_not_stop_the_others) {
    insert(JobPlace::timer, {a_timer("a", 0ms), a_timer("b", 0ms), a_timer("c", 0ms)});
    execute("INSERT INTO ACT_RU_JOB (ID_, HANDLER_TYPE_) VALUES ('b', 'mail')");
    const auto due = move_due();
    EXPECT_EQ(due.moved, 3U);
    EXPECT_THAT(ids_of(due.locked), UnorderedElementsAre("a", "c"));
    EXPECT_EQ(count_rows("ACT_RU_JOB"), 3);
    EXPECT_EQ(count_rows("ACT_RU_TIMER_JOB"), 0);
    const auto dead = store_.jobs().list(JobPlace::dead_letter, {}, "", 10);
    ASSERT_THAT(ids_of(dead), ElementsAre("b"));
    EXPECT_EQ(dead[0].exception_message, "another job with this id stands in ACT_RU_JOB");
    EXPECT_EQ(dead[0].attempts, 0);
}

TEST_P(Timers, The_next_due_date_is_that_of_the_earliest_free_timer) {
    EXPECT_EQ(store_.timers().next_due({}), std::nullopt);
    insert(JobPlace::timer, {a_timer("a", 2h), a_timer("b", 1h)});
    EXPECT_EQ(store_.timers().next_due({}), clock_.now() + 1h);
    EXPECT_EQ(store_.timers().next_due({}, clock_.now() + 1h), clock_.now() + 1h);
    EXPECT_EQ(store_.timers().next_due({}, clock_.now() + 1h + 1ms), clock_.now() + 2h);
    EXPECT_EQ(store_.timers().next_due({}, clock_.now() + 3h), std::nullopt);
}

class TimersByHand : public Timers {
protected:
    JobAnswer postpone(JobPlace place, const std::string& id, schema::TimePoint due_date) {
        return store_.jobs()
            .change_all(place, std::span(&id, 1), {.due_date = due_date}, clock_.now())
            .front();
    }

    Job locked(std::string id, schema::TimePoint until) {
        const Job timer = a_timer(std::move(id), 1h).locked_by("flowable", until);
        return timer;
    }
};

ON_EVERY_DATABASE(TimersByHand);

TEST_P(TimersByHand, A_timer_can_be_fired_before_it_is_due) {
    insert(JobPlace::timer, a_timer("a", 1h));
    EXPECT_EQ(fire_timer("a"), JobAnswer::done);
    EXPECT_EQ(place_of("a"), "executable");
    EXPECT_EQ(job("a").due_date, clock_.now()) << "its wait counts from here";
    EXPECT_THAT(ids_of(acquire()), ElementsAre("a"));
}

TEST_P(TimersByHand, A_timer_can_be_rescheduled) {
    const Job timer = insert(JobPlace::timer, a_timer("a", 1h));
    const schema::TimePoint later = clock_.now() + 2h;
    EXPECT_EQ(reschedule_timer("a", later), JobAnswer::done);
    Job expected = timer;
    expected.due_date = later;
    expected.revision += 1;
    EXPECT_EQ(job("a"), expected);
}

TEST_P(TimersByHand, A_job_that_could_run_becomes_a_timer_when_it_is_postponed) {
    Job expected = insert(a_job("a"));
    insert(JobPlace::external_worker, a_job("b").of_kind(schema::kExternalWorkerType));
    const schema::TimePoint later = clock_.now() + 2h;
    for (const auto& [place, id] :
         {std::pair(JobPlace::executable, "a"), std::pair(JobPlace::external_worker, "b")}) {
        EXPECT_EQ(postpone(place, id, later), JobAnswer::done);
        EXPECT_EQ(postpone(place, id, later), JobAnswer::not_found);
        EXPECT_EQ(place_of(id), "timer");
    }
    expected.due_date = later;
    expected.revision += 1;
    EXPECT_EQ(job("a"), expected);
}

TEST_P(TimersByHand, A_job_that_a_node_holds_is_not_postponed) {
    const Job held = insert_and_acquire(a_job("a"));
    EXPECT_EQ(postpone(JobPlace::executable, "a", clock_.now() + 2h), JobAnswer::locked);
    EXPECT_EQ(job("a"), held);
}

TEST_P(TimersByHand, One_that_waits_for_an_exclusive_job_is_postponed) {
    insert_and_acquire(a_job("a").of_instance("i"));
    insert(a_job("b").of_instance("i"));
    EXPECT_THAT(acquire(100, "node-2"), IsEmpty());
    EXPECT_EQ(postpone(JobPlace::executable, "b", clock_.now() + 2h), JobAnswer::done);
    EXPECT_EQ(place_of("b"), "timer");
    EXPECT_TRUE(job("b").lock_owner.empty());
}

TEST_P(TimersByHand, What_is_no_timer_is_not_found) {
    insert(a_job("a"));
    EXPECT_EQ(fire_timer("a"), JobAnswer::not_found);
    EXPECT_EQ(reschedule_timer("none", clock_.now()), JobAnswer::not_found);
}

TEST_P(TimersByHand, A_timer_with_a_live_lock_is_refused) {
    const Job timer = insert(JobPlace::timer, locked("a", clock_.now() + 1ms));
    EXPECT_EQ(fire_timer("a"), JobAnswer::locked);
    EXPECT_EQ(reschedule_timer("a", clock_.now()), JobAnswer::locked);
    EXPECT_EQ(job("a"), timer);
}

TEST_P(TimersByHand, An_expired_lock_does_not_count) {
    insert(JobPlace::timer, {locked("a", clock_.now() - 1ms), locked("b", clock_.now() - 1ms)});
    EXPECT_EQ(fire_timer("a"), JobAnswer::done);
    EXPECT_EQ(reschedule_timer("b", clock_.now()), JobAnswer::done);
    EXPECT_TRUE(job("a").lock_owner.empty());
    EXPECT_TRUE(job("b").lock_owner.empty());
}

/// Pages of due timers of which the server copies most, and some need a look.
class CopiedTimers : public StoreTest {
protected:
    JobBuilder a_timer(std::string id, std::string element = "pack") {
        return a_job(std::move(id))
            .of_kind(schema::kTimerType)
            .due_at(clock_.now() - 1s)
            .of_definition("shipping:3")
            .of_element(std::move(element));
    }

    persistence::DueTimers move(persistence::SqlStore& store) {
        return store.timers().move_due_timers(clock_.now(), 100, claim_of("node-1"), {{"noop"}});
    }
};

ON_EVERY_DATABASE(CopiedTimers);

TEST_P(CopiedTimers, What_is_suspended_waits_and_the_others_of_its_page_go) {
    const Job tenant = a_timer("tenant").of_tenant("acme");
    const Job instance = a_timer("instance").of_instance("order-17");
    insert(JobPlace::timer, {a_timer("a"), a_timer("b")});
    suspend(SuspensionScope::job_definition, "shipping:3/charge");
    suspend(SuspensionScope::tenant, "acme");
    suspend(SuspensionScope::instance, "order-17");
    insert(JobPlace::timer, {tenant, instance, a_timer("kind")});
    // As an app leaves one that it inserts while its kind is being suspended.
    execute("UPDATE ACT_RU_TIMER_JOB SET ELEMENT_ID_ = 'charge' WHERE ID_ = 'kind'");
    const auto due = move(store_);
    EXPECT_THAT(ids_of(due.locked), UnorderedElementsAre("a", "b"));
    for (const char* const id : {"tenant", "instance", "kind"}) {
        EXPECT_EQ(place_of(id), "suspended") << id;
    }
    activate(SuspensionScope::job_definition, "shipping:3/charge");
    EXPECT_EQ(place_of("kind"), "executable");
}

TEST_P(CopiedTimers, Keep_a_priority_that_an_override_gave_them) {
    insert(JobPlace::timer, {a_timer("a", "charge"), a_timer("b")});
    std::optional<persistence::OverridePosition> position{std::in_place};
    while (position) {
        position =
            store_.definitions()
                .override_priorities(
                    schema::job_definition_named("shipping:3/charge"), 8, *position, clock_.now()
                )
                .next;
    }
    (void)move(store_);
    EXPECT_EQ(job("a").priority, 8);
    EXPECT_EQ(job("b").priority, 0);
}

TEST_P(CopiedTimers, Are_logged_as_timers_that_were_sent_are) {
    Node full = node_with({.job_log = schema::JobLogLevel::full});
    persistence::SqlStore& store = full.store();
    insert(JobPlace::timer, {a_timer("a"), a_timer("taken")});
    execute("INSERT INTO ACT_RU_JOB (ID_, HANDLER_TYPE_) VALUES ('taken', 'mail')");
    // Where an id is taken the rows are sent, elsewhere they are copied.
    EXPECT_THAT(ids_of(move(store).locked), ElementsAre("a"));
    insert(JobPlace::timer, a_timer("b"));
    const std::vector<Job> held = move(store).locked;
    ASSERT_THAT(ids_of(held), ElementsAre("b"));
    EXPECT_THAT(events_of("a"), IsEmpty()) << "to fall due is no event";
    EXPECT_THAT(events_of("b"), IsEmpty());
    EXPECT_THAT(events_of("taken"), ElementsAre(schema::JobEvent::dead));
    EXPECT_THAT(store_.history().incidents({.job = "taken"}, {}, 100), SizeIs(1));
    ASSERT_THAT(
        store.executor().apply("node-1", std::vector{completed_outcome(held.front())}),
        ElementsAre(OutcomeAnswer::done)
    );
    EXPECT_THAT(events_of("b"), ElementsAre(schema::JobEvent::succeeded));
}

TEST_P(CopiedTimers, That_failed_before_keep_what_is_told_of_the_failure) {
    const Job held = insert_and_acquire(a_job("a"));
    expect_done(failed_outcome(held, {.message = "no network", .details = "at line 3"}));
    const Job waiting = job("a");
    clock_.tick(*waiting.due_date - clock_.now());
    ASSERT_THAT(ids_of(move(store_).locked), ElementsAre("a"));
    const Job moved = job("a");
    EXPECT_EQ(moved.exception_message, "no network");
    EXPECT_EQ(moved.exception_stack_id, waiting.exception_stack_id);
    EXPECT_EQ(moved.attempts, 1);
    EXPECT_EQ(moved.retries, waiting.retries);
}

}  // namespace

}  // namespace jobstrand::test
