#include "persistence/executor_store.hpp"
#include "test/conformance/store_test.hpp"

namespace jobstrand::test {

namespace {

using persistence::IdleView;
using testing::Eq;

/// What a node that has nothing to do sees with one look at all tables.
class LookAround : public StoreTest {
protected:
    IdleView look() { return store_.executor().look_around(noop_, clock_.now()); }
};

INSTANTIATE_TEST_SUITE_P(
    OnEveryDatabase,
    LookAround,
    testing::ValuesIn(databases_under_test()),
    name_of_database
);

TEST_P(LookAround, Nothing_is_seen_where_nothing_is) {
    const IdleView view = look();
    EXPECT_EQ(view.at, clock_.now());
    EXPECT_FALSE(view.has_acquirable);
    EXPECT_FALSE(view.next_due);
    EXPECT_TRUE(view.are_timers_sound);
    EXPECT_FALSE(view.has_executable);
    EXPECT_FALSE(view.has_locks);
    EXPECT_FALSE(view.has_limits);
    EXPECT_FALSE(view.has_leftovers);
    EXPECT_FALSE(view.first_lease_end);
}

TEST_P(LookAround, A_job_that_this_node_may_take_can_be_acquired) {
    insert(JobPlace::executable, a_job("a").of_type("mail"));
    EXPECT_FALSE(look().has_acquirable) << "it is not served";
    EXPECT_TRUE(look().has_executable);
    insert(JobPlace::executable, a_job("b"));
    EXPECT_TRUE(look().has_acquirable);
    ASSERT_EQ(acquire().size(), 1U);
    EXPECT_FALSE(look().has_acquirable) << "it is locked";
    const persistence::ServedJobs nothing;
    EXPECT_FALSE(store_.executor().look_around(nothing, clock_.now()).has_acquirable);
}

TEST_P(LookAround, The_next_timer_is_the_one_that_its_mover_would_find) {
    insert(JobPlace::timer, a_job("a").due_at(clock_.now() + 2h));
    insert(JobPlace::timer, a_job("b").due_at(clock_.now() + 1h));
    EXPECT_THAT(look().next_due, Eq(clock_.now() + 1h));
    EXPECT_THAT(look().next_due, Eq(store_.timers().next_due(noop_)));
    EXPECT_TRUE(look().are_timers_sound);
    EXPECT_FALSE(look().has_locks) << "nobody locks a timer before it is due";
    clock_.tick(1h);
    EXPECT_TRUE(look().has_locks);
}

TEST_P(LookAround, A_due_date_that_nobody_can_read_is_left_to_the_mover) {
    if (!connection_->dialect().has_texts_for_times) {
        GTEST_SKIP() << "such a date cannot be stored here";
    }
    insert(JobPlace::timer, a_job("a").due_at(clock_.now() + 1h));
    connection_->run_script("PRAGMA ignore_check_constraints = ON");
    execute("UPDATE ACT_RU_TIMER_JOB SET DUEDATE_ = 'soon'");
    EXPECT_FALSE(look().are_timers_sound);
    EXPECT_FALSE(look().next_due);
}

TEST_P(LookAround, What_may_be_locked_is_seen_in_every_place) {
    insert(JobPlace::external_worker, a_job("a").of_kind(schema::kExternalWorkerType));
    EXPECT_TRUE(look().has_locks);
    execute("DELETE FROM ACT_RU_EXTERNAL_JOB");
    EXPECT_FALSE(look().has_locks);
    execute("INSERT INTO JS_EXCLUSIVE (ID_, LOCK_OWNER_) VALUES ('p', 'node-1')");
    EXPECT_TRUE(look().has_locks);
    execute("DELETE FROM JS_EXCLUSIVE");
    execute("INSERT INTO JS_CLAIM (ID_, OWNER_) VALUES (7, 'node-1')");
    EXPECT_TRUE(look().has_locks);
}

TEST_P(LookAround, Limits_are_seen_and_what_one_has_left) {
    schema::JobLimit limit = schema::limit_named("tenant:acme");
    limit.concurrent = 3;
    store_.limits().set_limit(limit);
    EXPECT_TRUE(look().has_limits);
    execute("DELETE FROM JS_LIMIT");
    EXPECT_FALSE(look().has_limits);
    execute("INSERT INTO JS_LIMIT_WAITING (GROUP_, ID_) VALUES ('tenant:acme', 'a')");
    EXPECT_TRUE(look().has_limits);
    EXPECT_FALSE(look().has_leftovers);
    execute("INSERT INTO JS_LIMITED (GROUP_) VALUES ('tenant:acme')");
    EXPECT_TRUE(look().has_leftovers);
    execute("DELETE FROM JS_LIMITED");
    execute("INSERT INTO JS_UNIQUE (KEY_, JOB_ID_) VALUES ('k', 'a')");
    EXPECT_TRUE(look().has_leftovers);
}

TEST_P(LookAround, The_first_lease_to_end_is_seen) {
    const auto start = [&](const std::string& node, schema::Duration lease) {
        store_.nodes().register_node(
            {.node = node, .incarnation = "1"}, noop_, clock_.now(), clock_.now() + lease
        );
    };
    start("node-1", 10s);
    start("node-2", 7s);
    EXPECT_THAT(look().first_lease_end, Eq(clock_.now() + 7s));
}

}  // namespace

}  // namespace jobstrand::test
