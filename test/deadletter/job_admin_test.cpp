#include "deadletter/job_admin.hpp"

#include "deadletter/history_admin.hpp"
#include "deadletter/series_admin.hpp"
#include "persistence/sql/db_error.hpp"
#include "test/deadletter/admin_fixture.hpp"

#include <chrono>
#include <stdexcept>

namespace jobstrand::deadletter {

namespace {

using persistence::SeriesCondition;
using schema::JobPlace;

class JobAdminTest : public AdminTest {
protected:
    ItemResult set_priority(const std::string& id) {
        return admin_.change(id, {.fields = {set_to(&schema::Job::priority, 7)}});
    }

    [[nodiscard]] static persistence::ManyChanges retries(int count) {
        return {.fields = {set_to(&schema::Job::retries, count)}};
    }

    schema::Job job(const std::string& id) { return store_.find(id).value().job; }

    const JobSelection all_ = JobSelection::matching({});
    JobAdmin admin_{store_, series_store_, clock_};
};

TEST_F(JobAdminTest, Named_jobs_are_removed_wherever_they_stand) {
    insert_all(JobPlace::executable, {"a"});
    insert_all(JobPlace::dead_letter, {"b"});
    EXPECT_EQ(
        admin_.remove(JobSelection::these({"a", "b", "nobody"}), {}, watch()),
        (BulkCounts{.total = 3, .done = 2, .not_found = 1})
    );
    EXPECT_EQ(places(), "");
}

TEST_F(JobAdminTest, Jobs_are_cancelled_wherever_they_stand_also_when_a_node_holds_them) {
    insert_all(JobPlace::executable, {"a"});
    lock_all();
    insert_all(JobPlace::timer, {"b"});
    insert_all(JobPlace::dead_letter, {"c"});
    EXPECT_EQ(
        admin_.cancel({"a", "b", "c", "nobody"}, {.by = "ada", .reason = "wrong file"}, watch()),
        (BulkCounts{.total = 4, .done = 2, .not_found = 2})
    );
    EXPECT_EQ(places(), "dead=3");
    EXPECT_EQ(job("a").exception_message, "cancelled by ada: wrong file");
    EXPECT_EQ(items(), "a:done b:done c:not_found nobody:not_found");
}

TEST_F(JobAdminTest, Who_cancels_may_say_neither_name_nor_reason) {
    insert_all(JobPlace::executable, {"a"});
    admin_.cancel({"a"}, {});
    EXPECT_EQ(job("a").exception_message, "cancelled");
}

TEST_F(JobAdminTest, The_waiting_turn_that_carries_a_series_on_is_not_cancelled) {
    insert_series("s");
    admin_.cancel({"s-turn"}, {}, watch());
    EXPECT_EQ(items(), "s-turn:refused");
    EXPECT_EQ(last().series, "s");
    EXPECT_EQ(places(), "timer=1");
}

TEST_F(JobAdminTest, A_turn_that_runs_is_cancelled_and_its_series_goes_on) {
    insert_series("s");
    admin_.fire({"s-turn"});
    lock_all();
    admin_.cancel({"s-turn"}, {}, watch());
    EXPECT_EQ(items(), "s-turn:done");
    EXPECT_EQ(places(), "timer=1 dead=1");
}

TEST_F(JobAdminTest, With_a_place_what_stands_elsewhere_is_not_found) {
    insert_all(JobPlace::executable, {"a"});
    admin_.remove(JobSelection::these({"a"}), JobPlace::timer, watch());
    EXPECT_EQ(items(), "a:not_found");
    EXPECT_EQ(last().place, JobPlace::executable);
}

TEST_F(JobAdminTest, A_filter_without_a_place_means_executable_jobs) {
    insert_all(JobPlace::executable, {"a", "b"});
    insert_all(JobPlace::dead_letter, {"c"});
    EXPECT_EQ(admin_.remove(all_, {}), (BulkCounts{.total = 2, .done = 2}));
    EXPECT_EQ(places(), "dead=1");
}

TEST_F(JobAdminTest, What_a_node_holds_stays_and_is_counted) {
    insert_all(JobPlace::executable, {"a"});
    lock_all();
    insert_all(JobPlace::executable, {"b"});
    EXPECT_EQ(admin_.remove(all_, {}), (BulkCounts{.total = 2, .done = 1, .locked = 1}));
    admin_.remove(JobSelection::these({"a"}), {}, watch());
    EXPECT_EQ(items(), "a:locked");
}

TEST_F(JobAdminTest, The_turn_that_carries_a_series_on_is_not_removed) {
    insert_series("s");
    insert_all(JobPlace::timer, {"single"});
    EXPECT_EQ(
        admin_.remove(all_, JobPlace::timer), (BulkCounts{.total = 2, .done = 1, .refused = 1})
    );
    admin_.remove(JobSelection::these({"s-turn"}), {}, watch());
    EXPECT_EQ(items(), "s-turn:refused");
    EXPECT_EQ(last().refusal, Refusal::carries_series_on);
    EXPECT_EQ(last().series, "s");
}

TEST_F(JobAdminTest, No_ids_mean_no_jobs_and_never_all) {
    insert_all(JobPlace::executable, {"a"});
    EXPECT_EQ(admin_.remove(JobSelection::these({}), {}), BulkCounts{});
    EXPECT_EQ(places(), "executable=1");
}

TEST_F(JobAdminTest, A_job_is_changed_and_the_retries_of_a_dead_letter_are_not) {
    insert_all(JobPlace::timer, {"a"});
    insert_all(JobPlace::dead_letter, {"dead"});
    EXPECT_EQ(admin_.change("a", retries(7)).answer, ItemAnswer::done);
    EXPECT_EQ(job("a").retries, 7);
    EXPECT_EQ(admin_.change("dead", retries(7)).refusal, Refusal::has_no_retries);
    EXPECT_EQ(set_priority("dead").answer, ItemAnswer::done);
    EXPECT_EQ(set_priority("nobody").answer, ItemAnswer::not_found);
}

TEST_F(JobAdminTest, A_turn_that_carries_a_series_on_is_not_given_up) {
    insert_series("s");
    insert_all(JobPlace::timer, {"single"});
    EXPECT_EQ(admin_.change("single", retries(0)).answer, ItemAnswer::done);
    const ItemResult refused = admin_.change("s-turn", retries(0));
    EXPECT_EQ(refused.refusal, Refusal::carries_series_on);
    EXPECT_EQ(refused.series, "s");
    EXPECT_EQ(places(), "timer=1 dead=1");
}

// R078
TEST_F(JobAdminTest, All_that_match_a_filter_are_changed_and_due_now) {
    insert_series("s");
    insert_all(JobPlace::timer, {"a", "b"});
    insert_all(JobPlace::executable, {"runs"});
    const persistence::ManyChanges changes{
        .fields = {set_to(&schema::Job::retries, 7)}, .due_date = clock_.now()};
    EXPECT_EQ(
        admin_.change(all_, JobPlace::timer, changes, watch()), (BulkCounts{.total = 3, .done = 3})
    );
    EXPECT_EQ(job("b").retries, 7);
    EXPECT_EQ(job("b").due_date, clock_.now());
    EXPECT_EQ(series_store_.find_series("s").value().series.next_fire, clock_.now());
    EXPECT_EQ(job("runs").retries, 3);
}

TEST_F(JobAdminTest, Of_those_that_match_turns_of_series_are_not_given_up) {
    insert_series("s");
    insert_all(JobPlace::timer, {"a"});
    EXPECT_EQ(
        admin_.change(all_, JobPlace::timer, retries(0), watch()),
        (BulkCounts{.total = 2, .done = 1, .refused = 1})
    );
    EXPECT_EQ(places(), "timer=1 dead=1");
    EXPECT_EQ(admin_.change(JobSelection::these({"a"}), JobPlace::timer, retries(0)).not_found, 1);
}

TEST_F(JobAdminTest, Of_dead_letters_that_match_none_gets_retries) {
    insert_all(JobPlace::dead_letter, {"a", "b"});
    EXPECT_EQ(
        admin_.change(all_, JobPlace::dead_letter, retries(5)),
        (BulkCounts{.total = 2, .refused = 2})
    );
}

TEST_F(JobAdminTest, Firing_names_the_series_that_goes_on) {
    insert_series("s");
    insert_all(JobPlace::timer, {"single"});
    EXPECT_EQ(admin_.fire({"single", "s-turn", "nobody"}, watch()).done, 2);
    EXPECT_EQ(items(), "single:done s-turn:done nobody:not_found");
    admin_.reschedule({"s-turn"}, clock_.now(), watch());
    EXPECT_EQ(last().place, JobPlace::executable);
    EXPECT_EQ(last().series, "");
    EXPECT_EQ(places(), "executable=2 timer=1");
}

TEST_F(JobAdminTest, Only_a_free_timer_is_fired) {
    insert_all(JobPlace::executable, {"runs"});
    insert_all(JobPlace::timer, {"waits", "waits-too"});
    admin_.fire({"waits", "waits", "runs"}, watch());
    EXPECT_EQ(items(), "waits:done waits:not_found runs:not_found");
    EXPECT_EQ(last().place, JobPlace::executable);
    EXPECT_EQ(places(), "executable=2 timer=1");
}

TEST_F(JobAdminTest, A_turn_that_is_moved_takes_its_series_with_it_and_not_the_turns_after_it) {
    insert_series("s");
    const auto before = series_store_.find_series("s").value().series;
    const auto later = clock_.now() + std::chrono::hours(1);
    admin_.reschedule({"s-turn"}, later, watch());
    EXPECT_EQ(items(), "s-turn:done");
    EXPECT_EQ(last().series, "s");
    const auto after = series_store_.find_series("s").value().series;
    EXPECT_EQ(after.next_fire, later);
    EXPECT_EQ(after.start, before.start) << "the grid stays where it was";
}

TEST_F(JobAdminTest, A_date_that_no_column_holds_is_refused_and_moves_nothing) {
    insert_all(JobPlace::timer, {"a"});
    const auto before = job("a").due_date;
    EXPECT_THROW(
        admin_.reschedule({"a"}, schema::kLatestInstant + std::chrono::years(1)),
        std::invalid_argument
    );
    EXPECT_EQ(job("a").due_date, before);
}

TEST_F(JobAdminTest, What_a_node_holds_is_not_changed) {
    insert_all(JobPlace::executable, {"a"});
    lock_all();
    EXPECT_EQ(set_priority("a").answer, ItemAnswer::locked);
    EXPECT_EQ(job("a").priority, 0);
}

TEST_F(JobAdminTest, A_job_is_changed_wherever_it_stands) {
    for (const JobPlace place :
         {JobPlace::executable, JobPlace::timer, JobPlace::suspended, JobPlace::external_worker}) {
        const std::string id(schema::name_of(place));
        insert_all(place, {id});
        const ItemResult result = admin_.change(
            id, {.fields = {set_to(&schema::Job::priority, 7), set_to(&schema::Job::retries, 9)}}
        );
        EXPECT_EQ(result.answer, ItemAnswer::done) << id;
        EXPECT_EQ(job(id).priority, 7) << id;
        EXPECT_EQ(job(id).retries, 9) << id;
    }
}

TEST_F(JobAdminTest, What_is_suspended_before_it_has_jobs_keeps_those_to_come) {
    using persistence::SuspensionScope;
    admin_.suspend(SuspensionScope::instance, {"i", "i"}, watch());
    EXPECT_EQ(items(), "i:done i:done") << "again does no harm";
    EXPECT_EQ(last().moved, 0);
    insert(JobPlace::executable, test::a_job("a").of_instance("i"));
    insert(JobPlace::executable, test::a_job("b").of_instance("j"));
    EXPECT_EQ(places(), "executable=1 suspended=1");
    admin_.activate(SuspensionScope::instance, {"j", "i"}, watch());
    EXPECT_EQ(items(), "j:done i:done");
    EXPECT_EQ(places(), "executable=2");
}

TEST_F(JobAdminTest, Rescheduling_moves_a_timer) {
    insert_all(JobPlace::timer, {"a"});
    const auto later = clock_.now() + std::chrono::hours(1);
    EXPECT_EQ(admin_.reschedule({"a"}, later).done, 1);
    EXPECT_EQ(job("a").due_date, later);
}

TEST_F(JobAdminTest, A_due_date_makes_a_timer_of_what_could_run_and_moves_a_timer) {
    insert_all(JobPlace::executable, {"a"});
    for (const auto wait : {std::chrono::hours(1), std::chrono::hours(2)}) {
        EXPECT_EQ(admin_.change("a", {.due_date = clock_.now() + wait}).answer, ItemAnswer::done);
        EXPECT_EQ(places(), "timer=1");
        EXPECT_EQ(job("a").due_date, clock_.now() + wait);
    }
    EXPECT_EQ(admin_.change("nobody", {.due_date = clock_.now()}).answer, ItemAnswer::not_found);
}

TEST_F(JobAdminTest, What_waits_for_no_date_gets_none) {
    insert_all(JobPlace::dead_letter, {"a"});
    const ItemResult item = admin_.change("a", {.due_date = clock_.now()});
    EXPECT_EQ(item.refusal, Refusal::waits_for_no_date);
    EXPECT_EQ(item.place, JobPlace::dead_letter);
}

TEST_F(JobAdminTest, Suspending_tells_how_many_jobs_went_along) {
    using persistence::SuspensionScope;
    insert(JobPlace::executable, test::a_job("a").of_instance("i"));
    insert(JobPlace::executable, test::a_job("b").of_instance("i"));
    admin_.suspend(SuspensionScope::instance, {"i"}, watch());
    EXPECT_EQ(last().moved, 2);
    EXPECT_EQ(places(), "suspended=2");
    admin_.activate(SuspensionScope::instance, {"i"}, watch());
    EXPECT_EQ(last().moved, 2);
    EXPECT_EQ(places(), "executable=2");
}

class AuditTrailTest : public AdminTest {
protected:
    void run(const std::function<ActionEnd()>& carry_out) {
        trail_.run({"kim", "cli", "dead requeue", "--all", "the mail server is back"}, carry_out);
    }

    /// From now on the database refuses to write that an action begins, or how it ended.
    void refuse(const std::string& write) {
        execute(
            "CREATE TRIGGER REFUSAL BEFORE " + write +
            " ON JS_AUDIT BEGIN SELECT RAISE(ABORT, 'refused'); END"
        );
    }
    void refuse_begins() { refuse("INSERT"); }
    void refuse_ends() { refuse("UPDATE"); }

    /// How the last action ended, as it was written.
    std::string result() { return audit_store_.audit({}, "", 1).at(0).result; }

    ActionCounts counts_;

private:
    AuditTrail trail_{audit_store_, clock_, &counts_};
};

TEST_F(AuditTrailTest, How_an_action_ended_is_written) {
    run([] { return ActionEnd{.result = "done", .changed = 3}; });
    EXPECT_EQ(result(), "done");
}

TEST_F(AuditTrailTest, What_cannot_be_written_down_is_not_begun) {
    refuse_begins();
    bool is_done = false;
    const auto action = [&is_done] {
        is_done = true;
        return ActionEnd{.result = "done"};
    };
    EXPECT_THROW(run(action), persistence::DbError);
    EXPECT_FALSE(is_done);
    EXPECT_TRUE(counts_.counts().empty());
}

TEST_F(AuditTrailTest, An_end_that_cannot_be_written_does_not_undo_what_was_done) {
    refuse_ends();
    EXPECT_NO_THROW(run([] { return ActionEnd{.result = "done"}; }));
    EXPECT_EQ(result(), "");
}

TEST_F(AuditTrailTest, What_was_done_is_counted_also_when_its_end_cannot_be_written) {
    run([] { return ActionEnd{.result = "done", .changed = 3}; });
    refuse_ends();
    run([] { return ActionEnd{.result = "done", .changed = 4}; });
    EXPECT_THROW(run([]() -> ActionEnd { throw std::invalid_argument("no"); }), std::exception);
    const ActionCounts::Counts counts = counts_.counts();
    ASSERT_EQ(counts.size(), 2);
    const ActionCounts::Count done = counts.at({.action = "dead requeue", .result = "done"});
    EXPECT_EQ(done.actions, 2);
    EXPECT_EQ(done.changed, 7);
    EXPECT_EQ(counts.at({.action = "dead requeue", .result = "failed"}).actions, 1);
}

TEST_F(AuditTrailTest, Why_an_action_failed_is_told_though_its_end_cannot_be_written) {
    refuse_ends();
    EXPECT_THROW(
        run([]() -> ActionEnd { throw std::invalid_argument("no such series"); }),
        std::invalid_argument
    );
    EXPECT_EQ(result(), "");
}

class SeriesAdminTest : public AdminTest {
protected:
    std::string select(const SeriesSelection& selection, SeriesChange change) {
        std::string keys;
        for (const auto& summary : admin_.select(selection, change)) {
            keys += summary.series.key + ' ';
        }
        return keys;
    }

    void change(SeriesChange change, const std::vector<std::string>& keys) {
        admin_.change(change, keys, watch());
    }

    SeriesAdmin admin_{store_, series_store_, clock_};
};

TEST(SeriesChange, Concerns_series_in_the_conditions_that_it_ends) {
    struct Row {
        SeriesChange change;
        SeriesCondition condition;
        bool is_concerned;
    };
    const std::vector<Row> rows{
        {SeriesChange::pause, SeriesCondition::waiting, true},
        {SeriesChange::pause, SeriesCondition::running, true},
        {SeriesChange::pause, SeriesCondition::paused, false},
        {SeriesChange::pause, SeriesCondition::ended, false},
        {SeriesChange::resume, SeriesCondition::waiting, false},
        {SeriesChange::resume, SeriesCondition::paused, true},
        {SeriesChange::resume, SeriesCondition::ended, false},
        {SeriesChange::fire, SeriesCondition::paused, true},
        {SeriesChange::fire, SeriesCondition::ended, false},
        {SeriesChange::end, SeriesCondition::running, true},
        {SeriesChange::end, SeriesCondition::ended, false},
        {SeriesChange::remove, SeriesCondition::waiting, false},
        {SeriesChange::remove, SeriesCondition::ended, true},
    };
    for (const Row& row : rows) {
        EXPECT_EQ(concerns(row.change, row.condition), row.is_concerned)
            << static_cast<int>(row.change) << ' ' << name_of(row.condition);
    }
}

TEST_F(SeriesAdminTest, A_selection_is_keys_a_group_or_all) {
    insert_series("a", "g");
    insert_series("b", "g");
    insert_series("c");
    change(SeriesChange::end, {"b"});
    EXPECT_EQ(select({.keys = {"a", "b", "nobody"}}, SeriesChange::pause), "a ");
    EXPECT_EQ(select({.group = "g"}, SeriesChange::pause), "a ");
    EXPECT_EQ(select({}, SeriesChange::pause), "a c ");
    EXPECT_EQ(select({}, SeriesChange::remove), "b ");
}

TEST_F(SeriesAdminTest, A_series_is_paused_and_resumed) {
    insert_series("a");
    change(SeriesChange::pause, {"a", "nobody"});
    EXPECT_EQ(items(), "a:done nobody:not_found");
    EXPECT_EQ(places(), "suspended=1");
    change(SeriesChange::resume, {"a"});
    EXPECT_EQ(places(), "timer=1");
}

TEST_F(SeriesAdminTest, A_series_stays_paused_with_its_group) {
    insert_series("a", "g");
    store_.suspend(persistence::SuspensionScope::timer_group, "g", clock_.now());
    change(SeriesChange::resume, {"a"});
    EXPECT_EQ(last().refusal, Refusal::group_is_paused);
    EXPECT_EQ(last().group, "g");
    EXPECT_TRUE(admin_.groups().at("g").paused_since);
    EXPECT_EQ(admin_.groups().at("g").series, 1);
}

TEST_F(SeriesAdminTest, Firing_makes_a_job_beside_the_turns) {
    insert_series("a");
    change(SeriesChange::fire, {"a"});
    EXPECT_TRUE(store_.find(last().new_job));
    EXPECT_EQ(places(), "executable=1 timer=1");
}

TEST_F(SeriesAdminTest, Only_what_has_ended_is_removed_and_nothing_else_is_done_to_it) {
    insert_series("a");
    change(SeriesChange::remove, {"a"});
    EXPECT_EQ(last().refusal, Refusal::series_has_not_ended);
    change(SeriesChange::end, {"a"});
    EXPECT_EQ(items(), "a:done");
    for (const SeriesChange other :
         {SeriesChange::pause, SeriesChange::resume, SeriesChange::fire}) {
        change(other, {"a"});
        EXPECT_EQ(last().refusal, Refusal::series_has_ended) << static_cast<int>(other);
    }
    EXPECT_EQ(
        admin_.reschedule({.key = "a", .repeat = "R/PT1H"}).refusal, Refusal::series_has_ended
    );
    change(SeriesChange::remove, {"a"});
    EXPECT_EQ(items(), "a:done");
    EXPECT_EQ(admin_.list({}, "", 10).items.size(), 0U);
}

TEST_F(SeriesAdminTest, A_calendar_in_use_is_refused) {
    series_store_.put_calendar({.name = "c", .text = "weekly SUN"}, clock_.now());
    series_store_.put_calendar({.name = "uses-c", .text = "based on c"}, clock_.now());
    admin_.remove_calendars({"c", "uses-c", "nobody"}, watch());
    EXPECT_EQ(items(), "c:refused uses-c:done nobody:not_found");
}

}  // namespace

}  // namespace jobstrand::deadletter
