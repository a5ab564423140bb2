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
    [[nodiscard]] MovedInstance move(InstanceMoveRules rules = {}) {
        if (!waits_) {
            waits_ = [this](schema::Duration time) { clock_.tick(time); };
        }
        rules.wait = waits_;
        return InstanceMove({store_, clock_}, {there(), clock_}, std::move(rules)).move("p");
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

    /// What a move that was killed has left: copies of all suspended jobs, in both databases.
    void leave_copies() {
        store_.suspend(SuspensionScope::instance, "p", clock_.now());
        there().suspend(SuspensionScope::instance, "p", clock_.now());
        std::vector<persistence::JobCopy> copies;
        for (Job& job : store_.list(JobPlace::suspended, {}, "", 100)) {
            copies.push_back({.job = std::move(job)});
        }
        (void)there().restore(JobPlace::suspended, copies);
    }

    const test::SqliteFile other_file_;
    const test::OpenStore other_{other_file_.url_text()};
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
    EXPECT_EQ(moved.item.answer, ItemAnswer::done);
    EXPECT_EQ(moved.item.moved, 4);
    EXPECT_FALSE(moved.is_suspended);
    EXPECT_EQ(places(), "executable=1") << "that of another instance";
    EXPECT_EQ(jobs_there(), "executable:a timer:b dead:d external:c");
    EXPECT_EQ(there().find("a").value().job.payload, std::string(5000, 'x'));
    EXPECT_FALSE(is_suspended(store_) || is_suspended(there()));
}

TEST_F(InstanceMoveTest, One_without_jobs_that_is_not_suspended_is_not_there) {
    EXPECT_EQ(move().item.answer, ItemAnswer::not_found);
    EXPECT_FALSE(is_suspended(there()));
}

TEST_F(InstanceMoveTest, One_that_is_suspended_stays_so_unless_it_is_to_be_active) {
    insert(JobPlace::executable, a_job("a").of_instance("p"));
    store_.suspend(SuspensionScope::instance, "p", clock_.now());
    EXPECT_TRUE(move().is_suspended);
    EXPECT_EQ(jobs_there(), "suspended:a");
    EXPECT_FALSE(is_suspended(store_));
    store_.suspend(SuspensionScope::instance, "p", clock_.now());
    EXPECT_FALSE(move({.activate = true}).is_suspended);
    EXPECT_EQ(jobs_there(), "executable:a");
}

TEST_F(InstanceMoveTest, A_job_that_is_suspended_by_itself_stays_so) {
    insert_all(JobPlace::executable, {"x"});
    insert(JobPlace::executable, a_job("a").of_instance("p"));
    insert(JobPlace::executable, a_job("b").of_instance("p"));
    store_.suspend(SuspensionScope::job, "a", clock_.now());
    EXPECT_EQ(move().item.moved, 2);
    EXPECT_EQ(jobs_there(), "executable:b suspended:a");
}

TEST_F(InstanceMoveTest, Jobs_that_run_are_waited_for) {
    insert(JobPlace::executable, a_job("a").of_instance("p"));
    insert(JobPlace::timer, a_job("b").of_instance("p").due_at(clock_.now() + 1h));
    lock_all();
    waits_ = [this](schema::Duration time) {
        clock_.tick(time);
        EXPECT_EQ(jobs_there(), "");
        execute("UPDATE ACT_RU_JOB SET LOCK_OWNER_ = NULL, LOCK_EXP_TIME_ = NULL");
    };
    EXPECT_EQ(move().item.moved, 2);
    EXPECT_EQ(places(), "");
}

TEST_F(InstanceMoveTest, Nothing_changes_where_they_run_for_too_long) {
    insert(JobPlace::executable, a_job("a").of_instance("p"));
    insert(JobPlace::timer, a_job("b").of_instance("p").due_at(clock_.now() + 1h));
    lock_all();
    const auto began = clock_.now();
    const MovedInstance moved = move({.patience = 10s});
    EXPECT_EQ(moved.item.answer, ItemAnswer::locked);
    EXPECT_FALSE(moved.is_suspended);
    EXPECT_EQ(clock_.now() - began, 10s);
    EXPECT_EQ(places(), "executable=1 timer=1");
    EXPECT_FALSE(is_suspended(store_) || is_suspended(there()));
}

TEST_F(InstanceMoveTest, A_series_stays_where_it_is_and_with_it_the_whole_instance) {
    insert(JobPlace::executable, a_job("a").of_instance("p"));
    insert_series("nightly");
    execute("UPDATE ACT_RU_TIMER_JOB SET PROCESS_INSTANCE_ID_ = 'p'");
    const MovedInstance moved = move();
    EXPECT_EQ(moved.item.refusal, Refusal::carries_series_on);
    EXPECT_EQ(moved.item.series, "nightly");
    EXPECT_EQ(places(), "executable=1 timer=1");
    EXPECT_FALSE(is_suspended(store_));
}

TEST_F(InstanceMoveTest, What_a_move_that_was_killed_has_left_in_both_is_in_the_other_once) {
    insert(JobPlace::executable, a_job("a").of_instance("p"));
    insert(JobPlace::executable, a_job("b").of_instance("p"));
    leave_copies();
    ASSERT_EQ(
        store_.change(JobPlace::suspended, "a", {schema::set_to(&Job::priority, 7)}, clock_.now()),
        persistence::JobAnswer::done
    );
    EXPECT_EQ(move({.activate = true}).item.moved, 2);
    EXPECT_EQ(places(), "");
    EXPECT_EQ(jobs_there(), "executable:a executable:b");
    EXPECT_EQ(there().find("a").value().job.priority, 7) << "as it was changed meanwhile";
}

// Somebody has activated the instance there before its move was completed.
TEST_F(InstanceMoveTest, A_job_that_lives_in_the_other_already_is_removed_from_the_first) {
    insert(JobPlace::executable, a_job("a").of_instance("p"));
    leave_copies();
    execute("UPDATE ACT_RU_SUSPENDED_JOB SET PRIORITY_ = 7");
    there().activate(SuspensionScope::instance, "p", clock_.now());
    const std::vector<std::string> types{"noop"};
    (void)other_->executor().acquire({.owner = "node-2", .until = clock_.now() + 5min}, types, 100);
    EXPECT_EQ(move({.activate = true}).item.moved, 1);
    EXPECT_EQ(places(), "");
    EXPECT_EQ(there().find("a").value().job.priority, 0);
}

TEST_F(InstanceMoveTest, One_that_would_have_the_id_or_the_unique_key_of_another_stays) {
    insert(JobPlace::executable, a_job("a").of_instance("p").with_key("k"));
    other_->enqueuer().insert({{.place = JobPlace::timer, .job = a_job("a").of_type("other")}});
    MovedInstance moved = move();
    EXPECT_EQ(moved.item.refusal, Refusal::id_is_taken);
    EXPECT_EQ(moved.item.holder, "a");
    EXPECT_TRUE(moved.is_suspended);
    EXPECT_EQ(places(), "suspended=1");
    EXPECT_EQ(there().find("a").value().job.handler_type, "other");

    const std::string one = "a";
    (void)there().remove(JobPlace::timer, std::span(&one, 1), clock_.now());
    there().suspend(SuspensionScope::instance, "r", clock_.now());
    const std::vector<persistence::JobCopy> holder{
        {.job = a_job("h").of_instance("r").with_key("k")}};
    ASSERT_THAT(there().restore(JobPlace::suspended, holder), testing::ElementsAre(true));
    moved = move();
    EXPECT_EQ(moved.item.refusal, Refusal::unique_key_is_held);
    EXPECT_EQ(moved.item.holder, "h");
    EXPECT_EQ(places(), "suspended=1");
}

TEST_F(InstanceMoveTest, Many_jobs_go_page_by_page_and_are_told) {
    std::vector<std::string> ids;
    for (int i = 0; i < 1203; ++i) {
        insert(JobPlace::executable, a_job("j" + std::to_string(i)).of_instance("p"));
    }
    std::vector<std::int64_t> told;
    EXPECT_EQ(
        move({.on_moved = [&](std::int64_t moved) { told.push_back(moved); }}).item.moved, 1203
    );
    EXPECT_THAT(told, testing::ElementsAre(500, 1000, 1203));
    EXPECT_EQ(there().count(JobPlace::executable, {}), 1203);
}

}  // namespace
}  // namespace jobstrand::deadletter
