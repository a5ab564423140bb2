#include "persistence/drivers/driver.hpp"
#include "test/conformance/store_test.hpp"

#include <algorithm>

namespace jobstrand::test {

namespace {

using persistence::Diagnostics;
using persistence::Driver;
using persistence::ExternalJobs;
using persistence::FreeJobs;
using persistence::RunningJob;
using persistence::WaitingJobs;

/// What is asked again and again about what waits.
class Watching : public StoreTest {
protected:
    void insert_of_type(const std::string& type, std::size_t count) {
        insert(many_jobs(type, count, a_job("").of_type(type)));
    }
};

ON_EVERY_DATABASE(Watching);

TEST_P(Watching, Timers_are_counted_that_are_due_by_then) {
    const schema::TimePoint now = clock_.now();
    insert(JobPlace::timer, a_job("overdue").due_at(now - 1h));
    insert(JobPlace::timer, a_job("soon").due_at(now + 1min));
    insert(JobPlace::timer, a_job("later").due_at(now + 1min + 1ms));
    EXPECT_EQ(store_.watch().count_due(now, 10), 1);
    EXPECT_EQ(store_.watch().count_due(now + 1min, 10), 2);
    EXPECT_EQ(store_.watch().count_due(now + 1h, 10), 3);
    EXPECT_EQ(store_.watch().count_due(now + 1h, 2), 2) << "or more";
}

TEST_P(Watching, Jobs_are_counted_that_wait_for_an_exclusive_one) {
    EXPECT_EQ(store_.watch().count_waiting(10), WaitingJobs());
    insert(a_job("first").of_instance("i"));
    EXPECT_EQ(acquire().size(), 1);
    insert(a_job("second").of_instance("i"));
    EXPECT_THAT(acquire(100, "node-2"), IsEmpty());
    EXPECT_EQ(store_.watch().count_waiting(10), (WaitingJobs{.exclusive = 1, .limited = 0}));
}

TEST_P(Watching, Jobs_are_counted_that_wait_for_a_limit) {
    store_.limits().set_limit({.value = "noop", .concurrent = 1});
    store_.executor().refresh_limits();
    insert(many_jobs("j", 4));
    EXPECT_EQ(acquire().size(), 1);
    EXPECT_EQ(store_.watch().count_waiting(10), (WaitingJobs{.exclusive = 0, .limited = 3}));
    EXPECT_EQ(store_.watch().count_waiting(2).limited, 2) << "or more";
}

TEST_P(Watching, The_most_frequent_types_of_free_jobs_come_first) {
    const schema::TimePoint created = a_job("x").build().create_time.value();
    insert_of_type("mail", 3);
    insert_of_type("noop", 2);
    insert_of_type("rare", 1);
    EXPECT_EQ(acquire(1).size(), 1);
    EXPECT_THAT(
        store_.watch().free_by_type(JobPlace::executable, 100, 2),
        ElementsAre(FreeJobs{"mail", 3, created}, FreeJobs{"noop", 1, created})
    );
    EXPECT_THAT(
        store_.watch().free_by_type(JobPlace::executable, 2, 5),
        ElementsAre(FreeJobs{"mail", 2, created})
    ) << "the first rows only";
    EXPECT_THAT(store_.watch().free_by_type(JobPlace::external_worker, 100, 5), IsEmpty());
}

TEST_P(Watching, The_longest_runs_of_living_nodes_come_first) {
    for (const char* node : {"node-1", "node-2"}) {
        register_node(node, {});
    }
    const Job older = insert_and_acquire(a_job("b"), "node-1");
    const Job later = insert_and_acquire(a_job("a"), "node-2");
    const schema::TimePoint now = clock_.now();
    store_.nodes().record_work(
        "node-1",
        {.runs =
             {{.id = "b", .revision = older.revision, .since = now - 2min},
              {.id = "gone", .revision = 1, .since = now - 1h}}}
    );
    store_.nodes().record_work(
        "node-2", {.runs = {{.id = "a", .revision = later.revision, .since = now - 1min}}}
    );
    const RunningJob first{"b", "noop", "node-1", now - 2min};
    const RunningJob second{"a", "noop", "node-2", now - 1min};
    EXPECT_THAT(store_.watch().longest_runs(now, 10), ElementsAre(first, second));
    EXPECT_THAT(store_.watch().longest_runs(now, 1), ElementsAre(first));
    EXPECT_THAT(store_.watch().longest_runs(now + 11s, 10), IsEmpty()) << "nobody lives";
    store_.nodes().record_work("node-1", {.runs = {{.id = "b", .revision = 99, .since = now}}});
    EXPECT_THAT(store_.watch().longest_runs(now, 10), ElementsAre(second)) << "another run";
}

TEST_P(Watching, Jobs_of_external_workers_wait_or_are_held_and_a_lock_that_is_over_holds_none) {
    const schema::TimePoint now = clock_.now();
    const schema::TimePoint created = a_job("x").build().create_time.value();
    EXPECT_THAT(store_.watch().external_by_type(now, 10), IsEmpty());
    for (const char* id : {"a", "b", "c"}) {
        insert(
            JobPlace::external_worker, a_job(id).of_type("pay").of_kind(schema::kExternalWorkerType)
        );
    }
    insert(
        JobPlace::external_worker, a_job("d").of_type("mail").of_kind(schema::kExternalWorkerType)
    );
    const std::vector<std::string> topics{"pay"};
    EXPECT_EQ(
        store_.workers()
            .acquire_external({.owner = "w", .until = now + 10s}, {.topics = topics}, {2}, now)
            .size(),
        2U
    );
    const ExternalJobs mail{"mail", 1, 0, created};
    EXPECT_THAT(
        store_.watch().external_by_type(now, 10),
        ElementsAre(mail, ExternalJobs{"pay", 1, 2, created})
    );
    EXPECT_THAT(
        store_.watch().external_by_type(now + 11s, 10),
        ElementsAre(mail, ExternalJobs{"pay", 3, 0, created})
    );
    EXPECT_THAT(store_.watch().external_by_type(now, 1).size(), 1U) << "the first rows only";
}

TEST_P(Watching, A_job_that_was_due_later_has_waited_since_then) {
    const schema::TimePoint due = clock_.now() - 1min;
    insert(JobPlace::external_worker, a_job("a").of_type("pay").due_at(due));
    EXPECT_THAT(
        store_.watch().free_by_type(JobPlace::external_worker, 100, 5),
        ElementsAre(FreeJobs{"pay", 1, due})
    );
}

/// What `doctor` asks a database about itself.
class Symptoms : public StoreTest {
protected:
    [[nodiscard]] static const Driver& driver() { return *GetParam().driver; }

    [[nodiscard]] static const Diagnostics::Symptom& symptom(std::string_view name) {
        return *std::ranges::find(driver().diagnostics.symptoms, name, &Diagnostics::Symptom::name);
    }
};

ON_EVERY_DATABASE(Symptoms);

// The first case, because MySQL and MariaDB go by what they have seen for a tenth of a second.
TEST_P(Symptoms, Find_who_keeps_a_transaction_open) {
    if (driver().has_one_writer) {
        GTEST_SKIP() << "its readers keep nothing but its log";
    }
    insert(a_job("a"));
    const auto other = database_->connect(SessionPool::Access::write);
    other->begin();
    other->execute("UPDATE ACT_RU_JOB SET REV_ = 7 WHERE ID_ = 'a'", {});
    const auto answer = persistence::ask_about(*connection_, symptom("oldest transaction"));
    if (!answer.is_blind) {
        ASSERT_TRUE(answer.number.has_value()) << answer.error;
        EXPECT_GE(*answer.number, 0);
        EXPECT_THAT(answer.words, HasSubstr(", user "));
    }
    other->rollback();
}

TEST_P(Symptoms, Are_all_answered) {
    const auto all = persistence::ask_about_all(*connection_, driver(), "there is no such file");
    const std::size_t logs = driver().diagnostics.log_suffix.empty() ? 0 : 1;
    EXPECT_EQ(all.size(), driver().diagnostics.symptoms.size() + logs);
    for (const auto& [one, answer] : all) {
        EXPECT_TRUE(answer.error.empty() || answer.is_blind) << one.name << ": " << answer.error;
        EXPECT_TRUE(!answer.is_blind || !one.grant.empty()) << one.name;
        EXPECT_FALSE(one.advice.empty()) << one.name;
    }
}

TEST_P(Symptoms, That_no_database_knows_are_told_as_errors) {
    const auto answer = persistence::ask_about(
        *connection_,
        {.name = "x",
         .unit = "",
         .sql = "SELECT X_, X_ FROM JS_NO_SUCH_TABLE",
         .most = 0,
         .advice = "",
         .or_sql = "SELECT Y_, Y_ FROM JS_NO_SUCH_TABLE"}
    );
    EXPECT_FALSE(answer.error.empty());
    EXPECT_FALSE(answer.number.has_value());
}

}  // namespace

}  // namespace jobstrand::test
