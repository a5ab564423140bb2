#include "deadletter/instance_move.hpp"

#include "test/deadletter/admin_fixture.hpp"
#include "test/fixtures/open_store.hpp"

#include <gmock/gmock.h>

namespace jobstrand::deadletter {
namespace {

using namespace std::chrono_literals;

using persistence::JobFilter;
using persistence::OperatorStore;
using persistence::SuspensionScope;
using schema::Job;
using schema::JobPlace;
using test::a_job;

/// The instance `p` and its jobs, and another database.
class InstanceMoveTest : public AdminTest {
protected:
    /// Executable jobs of the instance.
    void insert_of_p(const std::vector<std::string>& ids) {
        for (const std::string& id : ids) {
            insert(JobPlace::executable, a_job(id).of_instance("p"));
        }
    }

    [[nodiscard]] MovedInstance move(InstanceMoveRules rules = {}) {
        if (!waits_) {
            waits_ = [this](schema::Duration time) { clock_.tick(time); };
        }
        rules.wait = waits_;
        return to(there_, std::move(rules));
    }

    [[nodiscard]] MovedInstance to(const InstanceMove::Side& side, InstanceMoveRules rules) {
        return InstanceMove(here_, side, std::move(rules)).move("p");
    }

    [[nodiscard]] MovedInstance move_back() {
        const auto wait = [this](schema::Duration time) { clock_.tick(time); };
        return InstanceMove(there_, here_, {.wait = wait}).move("p");
    }

    [[nodiscard]] OperatorStore& there() { return other_->jobs(); }

    /// `timer:a dead:b`: the jobs of the other database.
    [[nodiscard]] std::string jobs_there() {
        std::string text;
        for (const JobPlace place : schema::kJobPlaces) {
            for (const Job& job : there().list(place, {}, "", 100)) {
                text +=
                    (text.empty() ? "" : " ") + std::string(schema::name_of(place)) + ':' + job.id;
            }
        }
        return text;
    }

    [[nodiscard]] bool is_suspended(OperatorStore& store, const std::string& id = "p") {
        return !store.suspensions_of({.process_instance_id = id}).empty();
    }

    /// Somebody gives a suspended job the priority 7.
    void change(OperatorStore& store, const std::string& id) {
        EXPECT_EQ(
            store.change(
                JobPlace::suspended, id, {schema::set_to(&Job::priority, 7)}, clock_.now()
            ),
            persistence::JobAnswer::done
        );
    }

    /// Leaves what a move does that is killed in its first page: the jobs in both databases.
    void move_and_die() {
        execute(
            "CREATE TRIGGER kill BEFORE DELETE ON ACT_RU_SUSPENDED_JOB BEGIN "
            "SELECT RAISE(ABORT, 'killed'); END"
        );
        EXPECT_THROW((void)move(), persistence::DbError);
        execute("DROP TRIGGER kill");
        EXPECT_TRUE(is_suspended(store_) && is_suspended(there()));
    }

    const test::SqliteFile other_file_;
    const test::OpenStore other_{other_file_.url_text()};
    const InstanceMove::Side here_{"here", store_, lock_store_, clock_};
    const InstanceMove::Side there_{"there", other_->jobs(), other_->named_locks(), clock_};
    std::function<void(schema::Duration)> waits_;
};

TEST_F(InstanceMoveTest, All_its_jobs_go_on_in_the_other_database_where_they_were) {
    insert(JobPlace::executable, a_job("a").of_instance("p").with_payload(std::string(5000, 'x')));
    insert(
        JobPlace::timer,
        a_job("b").of_instance("p").of_kind(schema::kTimerType).due_at(clock_.now() + 1h)
    );
    insert(
        JobPlace::external_worker, a_job("c").of_instance("p").of_kind(schema::kExternalWorkerType)
    );
    insert(JobPlace::dead_letter, a_job("d").of_instance("p"));
    insert(JobPlace::executable, a_job("e").of_instance("q"));
    const MovedInstance moved = move();
    EXPECT_EQ(moved.end, MoveEnd::done);
    EXPECT_EQ(moved.jobs, 4);
    EXPECT_FALSE(moved.is_suspended);
    EXPECT_EQ(places(), "executable=1") << "that of another instance";
    EXPECT_EQ(jobs_there(), "executable:a timer:b dead:d external:c");
    EXPECT_EQ(there().find("a").value().job.payload, std::string(5000, 'x'));
    EXPECT_FALSE(is_suspended(store_) || is_suspended(there()));
    EXPECT_THAT(lock_store_.list("", 10, clock_.now()), testing::IsEmpty());
}

TEST_F(InstanceMoveTest, One_without_jobs_that_is_not_suspended_is_not_there) {
    EXPECT_EQ(move().end, MoveEnd::not_found);
    EXPECT_FALSE(is_suspended(there()));
}

TEST_F(InstanceMoveTest, One_that_is_suspended_in_either_stays_so) {
    insert_of_p({"a"});
    store_.suspend(SuspensionScope::instance, "p", clock_.now());
    EXPECT_TRUE(move().is_suspended);
    EXPECT_EQ(jobs_there(), "suspended:a");
    EXPECT_FALSE(is_suspended(store_));
    insert_of_p({"b"});
    EXPECT_TRUE(move().is_suspended);
    EXPECT_EQ(jobs_there(), "suspended:a suspended:b");
}

TEST_F(InstanceMoveTest, A_job_that_is_suspended_by_itself_stays_so) {
    insert_all(JobPlace::executable, {"x"});
    insert_of_p({"a", "b"});
    store_.suspend(SuspensionScope::job, "a", clock_.now());
    EXPECT_EQ(move().jobs, 2);
    EXPECT_EQ(jobs_there(), "executable:b suspended:a");
}

TEST_F(InstanceMoveTest, Jobs_that_run_are_waited_for) {
    insert_of_p({"a"});
    insert(JobPlace::timer, a_job("b").of_instance("p").due_at(clock_.now() + 1h));
    lock_all();
    waits_ = [this](schema::Duration time) {
        clock_.tick(time);
        EXPECT_EQ(jobs_there(), "");
        execute("UPDATE ACT_RU_JOB SET LOCK_OWNER_ = NULL, LOCK_EXP_TIME_ = NULL");
    };
    EXPECT_EQ(move().jobs, 2);
    EXPECT_EQ(places(), "");
}

TEST_F(InstanceMoveTest, Nothing_changes_where_they_run_for_too_long) {
    insert_of_p({"a"});
    insert(JobPlace::timer, a_job("b").of_instance("p").due_at(clock_.now() + 1h));
    lock_all();
    const auto began = clock_.now();
    const MovedInstance moved = move({.patience = 10s});
    EXPECT_EQ(moved.end, MoveEnd::still_runs);
    EXPECT_FALSE(moved.is_suspended);
    EXPECT_EQ(clock_.now() - began, 10s);
    EXPECT_EQ(places(), "executable=1 timer=1");
    EXPECT_FALSE(is_suspended(store_) || is_suspended(there()));
    EXPECT_THAT(lock_store_.list("", 10, clock_.now()), testing::IsEmpty());
}

TEST_F(InstanceMoveTest, A_series_stays_where_it_is_and_with_it_the_whole_instance) {
    insert_of_p({"a"});
    insert_series("nightly");
    execute("UPDATE ACT_RU_TIMER_JOB SET PROCESS_INSTANCE_ID_ = 'p'");
    const MovedInstance moved = move();
    EXPECT_EQ(moved.end, MoveEnd::of_series);
    EXPECT_EQ(moved.what, "nightly");
    EXPECT_EQ(places(), "executable=1 timer=1");
    EXPECT_FALSE(is_suspended(store_));
}

TEST_F(InstanceMoveTest, A_move_that_was_killed_is_completed_by_the_next) {
    insert_of_p({"a", "b"});
    move_and_die();
    EXPECT_EQ(jobs_there(), "suspended:a suspended:b");
    const MovedInstance moved = move();
    EXPECT_EQ(moved.jobs, 2);
    EXPECT_FALSE(moved.is_suspended) << "as it was before the first";
    EXPECT_EQ(places(), "");
    EXPECT_EQ(jobs_there(), "executable:a executable:b");
}

TEST_F(InstanceMoveTest, A_move_that_was_killed_goes_nowhere_else) {
    insert_of_p({"a"});
    move_and_die();
    InstanceMove::Side third = there_;
    third.engine = "third";
    const MovedInstance moved = to(third, {});
    EXPECT_EQ(moved.end, MoveEnd::goes_elsewhere);
    EXPECT_EQ(moved.what, "from here to there");
    for (persistence::NamedLockStore* const locks : {&lock_store_, &other_->named_locks()}) {
        EXPECT_EQ(InstanceMove::incomplete(*locks, "p", clock_.now()), "from here to there");
    }
    EXPECT_TRUE(moved.is_suspended);
    EXPECT_EQ(places(), "suspended=1");
    EXPECT_EQ(move().jobs, 1);
}

TEST_F(InstanceMoveTest, A_job_that_was_changed_here_since_is_as_here) {
    insert_of_p({"a"});
    move_and_die();
    change(store_, "a");
    EXPECT_EQ(move().jobs, 1);
    EXPECT_EQ(jobs_there(), "executable:a");
    EXPECT_EQ(there().find("a").value().job.priority, 7);
}

TEST_F(InstanceMoveTest, A_job_that_was_changed_in_both_is_for_people) {
    insert_of_p({"a"});
    move_and_die();
    change(store_, "a");
    change(there(), "a");
    EXPECT_EQ(move().jobs, 1) << "they are alike";

    insert_of_p({"b"});
    move_and_die();
    change(there(), "b");
    const MovedInstance moved = move();
    EXPECT_EQ(moved.end, MoveEnd::differs);
    EXPECT_EQ(moved.what, "b");
    EXPECT_TRUE(moved.is_suspended);
    EXPECT_EQ(places(), "suspended=1");
}

// Somebody has activated the instance there before its move was completed.
TEST_F(InstanceMoveTest, A_job_that_lives_in_the_other_already_is_removed_from_the_first) {
    insert_of_p({"a"});
    move_and_die();
    there().activate(SuspensionScope::instance, "p", clock_.now());
    const std::vector<std::string> types{"noop"};
    (void)other_->executor().acquire({.owner = "node-2", .until = clock_.now() + 5min}, types, 100);
    EXPECT_EQ(move().jobs, 1);
    EXPECT_EQ(places(), "");
    EXPECT_EQ(jobs_there(), "executable:a");
}

TEST_F(InstanceMoveTest, A_job_whose_id_is_taken_there_keeps_the_instance_as_it_is) {
    insert_of_p({"a"});
    other_->enqueuer().insert({{.place = JobPlace::timer, .job = a_job("a").of_type("other")}});
    const MovedInstance moved = move();
    EXPECT_EQ(moved.end, MoveEnd::id_taken);
    EXPECT_EQ(moved.what, "a");
    EXPECT_FALSE(moved.is_suspended || is_suspended(store_) || is_suspended(there()));
    EXPECT_EQ(places(), "executable=1");
    EXPECT_EQ(there().find("a").value().job.handler_type, "other");
}

TEST_F(InstanceMoveTest, A_job_whose_unique_key_is_held_there_keeps_the_instance_as_it_is) {
    there().suspend(SuspensionScope::instance, "r", clock_.now());
    const std::vector<persistence::JobCopy> holder{
        {.job = a_job("h").of_instance("r").with_key("k")}};
    ASSERT_THAT(there().restore(JobPlace::suspended, holder), testing::ElementsAre(true));
    insert_unique(a_job("a").of_instance("p").with_key("k"), {});
    const MovedInstance moved = move();
    EXPECT_EQ(moved.end, MoveEnd::key_held);
    EXPECT_EQ(moved.what, "k");
    EXPECT_EQ(moved.holder, "h");
    EXPECT_FALSE(is_suspended(store_) || is_suspended(there()));
    EXPECT_EQ(places(), "executable=1");
}

TEST_F(InstanceMoveTest, Unique_keys_go_along_with_what_is_left_of_their_periods) {
    insert_unique(a_job("a").of_instance("p").with_key("k"), {.period = 1h});
    clock_.tick(2h);
    insert_unique(a_job("b").of_instance("p").with_key("k"), {.period = 1h});
    insert_unique(a_job("c").of_instance("p").with_key("open"), {});
    const auto until = store_.key_owner("k").value().until;
    EXPECT_EQ(move().jobs, 3);
    EXPECT_EQ(there().key_owner("k").value().job, "b");
    EXPECT_EQ(there().key_owner("k").value().until, until);
    EXPECT_EQ(there().key_owner("open").value().job, "c");
    EXPECT_EQ(there().key_owner("open").value().until, std::nullopt);
}

TEST_F(InstanceMoveTest, The_key_of_a_dead_letter_goes_along_for_its_period) {
    insert_unique(a_job("a").of_instance("p").with_key("k"), {.period = 24h * 365 * 50});
    const std::string one = "a";
    (void)store_.cancel(JobPlace::executable, std::span(&one, 1), "no", clock_.now());
    EXPECT_EQ(move().jobs, 1);
    EXPECT_EQ(jobs_there(), "dead:a");
    EXPECT_EQ(there().key_owner("k").value().job, "a");
}

TEST_F(InstanceMoveTest, A_series_that_begins_while_jobs_run_keeps_the_instance_as_it_is) {
    insert_of_p({"a"});
    lock_all();
    waits_ = [this](schema::Duration time) {
        clock_.tick(time);
        insert_series("nightly");
        execute("UPDATE ACT_RU_TIMER_JOB SET PROCESS_INSTANCE_ID_ = 'p'");
        execute("UPDATE ACT_RU_JOB SET LOCK_OWNER_ = NULL, LOCK_EXP_TIME_ = NULL");
    };
    EXPECT_EQ(move().end, MoveEnd::of_series);
    EXPECT_EQ(jobs_there(), "");
    EXPECT_FALSE(is_suspended(store_) || is_suspended(there()));
}

// Some of its page were added before the one whose id is taken was seen, and some behind it.
TEST_F(InstanceMoveTest, What_was_added_in_vain_is_taken_back) {
    insert_of_p({"a", "m", "z"});
    other_file_.connect()->execute(
        "CREATE TRIGGER another AFTER INSERT ON JS_SUSPENSION BEGIN INSERT INTO ACT_RU_TIMER_JOB "
        "(ID_, REV_, TYPE_, HANDLER_TYPE_) VALUES ('m', 1, 'timer', 'other'); END",
        {}
    );
    const MovedInstance moved = move();
    EXPECT_EQ(moved.end, MoveEnd::id_taken);
    EXPECT_EQ(moved.what, "m");
    EXPECT_FALSE(moved.is_suspended || is_suspended(store_) || is_suspended(there()));
    EXPECT_EQ(jobs_there(), "timer:m");
    EXPECT_EQ(places(), "executable=3");
}

TEST_F(InstanceMoveTest, What_is_suspended_by_itself_stays_so_also_behind_a_move_that_was_killed) {
    insert_all(JobPlace::executable, {"x"});
    insert_of_p({"a"});
    store_.suspend(SuspensionScope::job, "a", clock_.now());
    move_and_die();
    EXPECT_EQ(move().jobs, 1);
    EXPECT_EQ(jobs_there(), "suspended:a");

    there().activate(SuspensionScope::job, "a", clock_.now());
    EXPECT_EQ(move_back().jobs, 1);
    EXPECT_EQ(places(), "executable=2") << "not suspended by what was said before it went";
}

TEST_F(InstanceMoveTest, A_move_that_was_killed_may_go_back) {
    insert_of_p({"a", "b"});
    move_and_die();
    const MovedInstance back = move_back();
    EXPECT_EQ(back.end, MoveEnd::done);
    EXPECT_FALSE(back.is_suspended);
    EXPECT_EQ(places(), "executable=2");
    EXPECT_EQ(jobs_there(), "");
    EXPECT_THAT(lock_store_.list("", 10, clock_.now()), testing::IsEmpty());
}

TEST_F(InstanceMoveTest, A_move_that_was_killed_before_it_copied_anything_ends_as_it_began) {
    insert_of_p({"a"});
    lock_all();
    store_.suspend(SuspensionScope::instance, "p", clock_.now());
    (void)lock_store_.acquire(
        {"jobstrand move of p", "from here to there, was active, 1", 24h}, clock_.now()
    );
    const MovedInstance moved = move({.patience = 0s});
    EXPECT_EQ(moved.end, MoveEnd::still_runs);
    EXPECT_FALSE(moved.is_suspended || is_suspended(store_));
    EXPECT_THAT(lock_store_.list("", 10, clock_.now()), testing::IsEmpty());
}

TEST_F(InstanceMoveTest, The_lock_of_a_move_that_was_complete_but_for_it_is_in_nobodys_way) {
    insert_of_p({"a"});
    (void)lock_store_.acquire(
        {"jobstrand move of p", "from here to there, was suspended, 1", 24h}, clock_.now()
    );
    EXPECT_FALSE(move().is_suspended);
    EXPECT_EQ(jobs_there(), "executable:a");
    EXPECT_THAT(lock_store_.list("", 10, clock_.now()), testing::IsEmpty());
}

TEST_F(InstanceMoveTest, A_lock_of_an_apps_own_by_that_name_is_left_alone) {
    insert_of_p({"a"});
    (void)lock_store_.acquire({"jobstrand move of p", "a", 24h}, clock_.now());
    const MovedInstance moved = move();
    EXPECT_EQ(moved.end, MoveEnd::moved_by_another);
    EXPECT_EQ(moved.holder, "a");
    EXPECT_EQ(places(), "executable=1");
    EXPECT_EQ(InstanceMove::incomplete(lock_store_, "p", clock_.now()), std::nullopt);
}

TEST_F(InstanceMoveTest, One_program_alone_moves_an_instance) {
    insert_of_p({"a"});
    const auto lock = [&](schema::Duration time) {
        (void)lock_store_.acquire({"jobstrand mover of p", "another", time}, clock_.now());
    };
    lock(1h);
    const MovedInstance moved = move();
    EXPECT_EQ(moved.end, MoveEnd::moved_by_another);
    EXPECT_EQ(moved.holder, "another");
    EXPECT_EQ(places(), "executable=1");
    (void)lock_store_.release("jobstrand mover of p", "another", clock_.now());
    lock(10s);
    EXPECT_EQ(move().jobs, 1) << "the lock of one that was killed is waited for";
}

TEST_F(InstanceMoveTest, Many_jobs_go_page_by_page_and_are_told) {
    for (int i = 0; i < 1203; ++i) {
        insert(JobPlace::executable, a_job("j" + std::to_string(i)).of_instance("p"));
    }
    std::vector<std::int64_t> told;
    EXPECT_EQ(move({.on_moved = [&](std::int64_t moved) { told.push_back(moved); }}).jobs, 1203);
    EXPECT_THAT(told, testing::ElementsAre(500, 1000, 1203));
    EXPECT_EQ(there().count(JobPlace::executable, {}), 1203);
}

}  // namespace
}  // namespace jobstrand::deadletter
