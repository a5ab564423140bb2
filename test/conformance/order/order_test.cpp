#include "persistence/migration/schema_check.hpp"
#include "test/conformance/order/order_fixture.hpp"

#include <algorithm>
#include <array>
#include <random>

namespace jobstrand::test {

namespace {

using schema::AcquisitionOrder;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

INSTANTIATE_TEST_SUITE_P(
    OnEveryDatabase,
    Orders,
    testing::ValuesIn(databases_under_test()),
    name_of_database
);

/// All that Camunda's three options combine to, and aging.
constexpr std::array kOrders{
    AcquisitionOrder{.by_priority = true},
    AcquisitionOrder{.timers_first = true},
    AcquisitionOrder{.by_due_date = true},
    AcquisitionOrder{.timers_first = true, .by_due_date = true},
    AcquisitionOrder{.by_priority = true, .timers_first = true},
    AcquisitionOrder{.by_priority = true, .by_due_date = true},
    AcquisitionOrder{.by_priority = true, .timers_first = true, .by_due_date = true},
    AcquisitionOrder{.by_priority = true, .aging = 1min},
};

// R046
TEST_P(Orders, Timers_come_before_all_others_and_the_earliest_of_them_first) {
    use({.timers_first = true});
    add("a", 0s);
    add("b", 1s, 9s);
    add("c", 2s, 8s);
    add("d", 3s);
    EXPECT_THAT(take(3), ElementsAre("c", "b", "a"));
    EXPECT_THAT(take(3), ElementsAre("d"));
    EXPECT_THAT(take(3), IsEmpty());
}

// R047 R049
TEST_P(Orders, By_due_date_a_job_without_one_counts_as_due_when_it_was_created) {
    use({.by_due_date = true});
    add("a", 5s);
    add("b", 1s, 4s);
    add("c", 2s, 9s);
    add("d", 7s);
    EXPECT_THAT(take(3), ElementsAre("b", "a", "d"));
    EXPECT_THAT(take(3), ElementsAre("c"));
}

// R048 R050
TEST_P(Orders, With_all_of_them_timers_win_inside_one_priority_only) {
    use({.by_priority = true, .timers_first = true, .by_due_date = true});
    add("a", 0s, 1s, 1);
    add("b", 0s, {}, 2);
    add("c", 0s, 3s, 2);
    add("d", 0s, 2s, 2);
    add("e", 0s, {}, 1);
    EXPECT_THAT(take(), ElementsAre("d", "c", "b", "a", "e"));
}

TEST_P(Orders, Each_goes_on_behind_the_last_page_and_misses_nothing) {
    std::minstd_rand random(17);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same jobs every time.
    for (const AcquisitionOrder& order : kOrders) {
        use(order);
        std::vector<Job> jobs = many_jobs("j", 120);
        for (Job& job : jobs) {
            job.priority = static_cast<std::int64_t>(random() % 4);
            if (random() % 2 == 0) {
                job.due_date = start_ + std::chrono::minutes(random() % 5);  // Many at once.
            }
        }
        std::ranges::for_each(jobs, [&, age = 0s](Job& job) mutable {
            job.create_time = start_ + (age += 2s);  // In the order of the ids.
        });
        insert(JobPlace::executable, jobs);
        std::vector<Job> taken;
        for (std::vector<Job> page; !(page = take_jobs(7, noop_)).empty();) {
            std::ranges::move(page, std::back_inserter(taken));
        }
        EXPECT_EQ(taken.size(), 120U);
        EXPECT_TRUE(std::ranges::is_sorted(
            taken, {}, [&](const Job& job) { return schema::order_key(order, job); }
        )) << order.by_priority
           << order.timers_first << order.by_due_date;
        execute("DELETE FROM ACT_RU_JOB");
    }
}

TEST_P(Orders, What_came_late_in_front_of_the_positions_is_found_from_the_start) {
    use({.by_due_date = true});
    add("b", 2s);
    add("c", 3s, 3s);
    EXPECT_THAT(take(2), ElementsAre("b", "c"));
    add("a", 0s, 1s);
    EXPECT_THAT(take(), IsEmpty());
    behind_.clear();
    EXPECT_THAT(take(), ElementsAre("a"));
}

TEST_P(Orders, Jobs_of_plain_sql_without_any_time_are_taken_in_every_one) {
    for (const AcquisitionOrder& order : kOrders) {
        use(order);
        execute("INSERT INTO ACT_RU_JOB (ID_, HANDLER_TYPE_) VALUES ('sql', 'noop')");
        execute(
            "INSERT INTO ACT_RU_JOB (ID_, HANDLER_TYPE_, CREATE_TIME_) VALUES ('none', 'noop', "
            "NULL)"
        );
        EXPECT_THAT(take(), UnorderedElementsAre("sql", "none"));
        execute("DELETE FROM ACT_RU_JOB");
    }
}

// R086
TEST_P(Orders, Exclusive_jobs_of_an_instance_are_held_by_one_node_in_every_one) {
    for (const AcquisitionOrder& order : kOrders) {
        use(order);
        insert(JobPlace::executable, a_job("a").of_instance("i"));
        insert(JobPlace::executable, a_job("b").of_instance("i"));
        ASSERT_EQ(take(1).size(), 1U);
        EXPECT_THAT(
            store_.executor().acquire_in_order(claim_of("node-2"), noop_, order, 10), IsEmpty()
        );
        execute("DELETE FROM ACT_RU_JOB");
        execute("DELETE FROM JS_EXCLUSIVE");
        execute("DELETE FROM JS_WAITING");
    }
}

// R051
TEST_P(Orders, The_schema_is_as_expected_with_all_of_their_indexes) {
    for (const schema::OptionalIndex& index : schema::optional_indexes()) {
        EXPECT_TRUE(persistence::create_index(*connection_, index)) << index.name;
    }
    EXPECT_THAT(persistence::check_schema(*connection_).differences, IsEmpty());
}

class PriorityRanges : public Orders {
protected:
    PriorityRanges() { served_.scope = {.priority_min = 2, .priority_max = 5}; }

    persistence::ServedJobs served_{noop_};
};

INSTANTIATE_TEST_SUITE_P(
    OnEveryDatabase,
    PriorityRanges,
    testing::ValuesIn(databases_under_test()),
    name_of_database
);

// R016 R053 R054 R056 I7
TEST_P(PriorityRanges, Only_jobs_inside_are_acquired_in_whichever_order) {
    std::vector<AcquisitionOrder> orders(kOrders.begin(), kOrders.end());
    orders.emplace_back();
    for (const AcquisitionOrder& order : orders) {
        for (int priority = 0; priority < 8; ++priority) {
            add(std::to_string(priority), 0s, {}, priority);
        }
        std::vector<Job> jobs;
        if (order.is_any()) {
            use(order);
            jobs = take_jobs(100, served_);
        } else {
            EXPECT_TRUE(store_.executor().has_acquirable(served_));
            jobs = store_.executor().acquire(claim_of("node-1"), served_, 100);
            EXPECT_FALSE(store_.executor().has_acquirable(served_));
        }
        EXPECT_THAT(ids_of(jobs), UnorderedElementsAre("2", "3", "4", "5"));
        EXPECT_TRUE(job("6").lock_owner.empty());
        execute("DELETE FROM ACT_RU_JOB");
    }
}

// R053
TEST_P(PriorityRanges, A_due_timer_outside_arrives_free_for_others) {
    insert(
        JobPlace::timer,
        std::vector<Job>{
            a_job("in").with_priority(2).due_at(clock_.now()),
            a_job("out").with_priority(6).due_at(clock_.now() + 1ms)}
    );
    const auto others = store_.timers().next_due_of_others(served_, {}, clock_.now() + 5s);
    EXPECT_EQ(others, clock_.now() + 1ms);
    clock_.tick(1ms);
    const auto due = store_.timers().move_due_timers(clock_.now(), 10, claim_of("node-1"), served_);
    EXPECT_EQ(due.moved, 2U);
    EXPECT_THAT(ids_of(due.locked), ElementsAre("in"));
    EXPECT_TRUE(job("out").lock_owner.empty());
}

}  // namespace

}  // namespace jobstrand::test
