#include "persistence/migration/schema_check.hpp"
#include "persistence/migration/table_changes.hpp"
#include "schema/acquisition.hpp"
#include "test/conformance/store_test.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace jobstrand::test {

namespace {

using schema::AcquisitionOrder;

/// Jobs that are taken in an order, with the index that it needs.
class Orders : public StoreTest {
protected:
    // The tables of a server are those of the next test.
    void TearDown() override {
        if (GetParam().missing) {
            return;
        }
        for (const schema::OptionalIndex& index : schema::optional_indexes()) {
            (void)persistence::drop_index(*connection_, index);
        }
    }

    void use(const schema::AcquisitionOrder& order) {
        order_ = order;
        behind_.clear();
        (void)persistence::create_index(*connection_, schema::index_of(order));
    }

    /// An executable job that was created so long after the clock's start.
    void add(
        std::string id,
        schema::Duration created,
        std::optional<schema::Duration> due = {},
        std::int64_t priority = 0
    ) {
        Job job = a_job(std::move(id)).with_priority(priority);
        job.create_time = start_ + created;
        if (due) {
            job.due_date = start_ + *due;
        }
        insert(std::move(job));
    }

    /// The next page, behind the last one.
    [[nodiscard]] std::vector<Job>
    take_jobs(std::size_t limit, const persistence::ServedJobs& served) {
        std::vector<Job> jobs =
            store_.executor().acquire_in_order(claim_of("node-1"), served, order_, limit, behind_);
        for (const Job& job : jobs) {
            behind_[persistence::range_of(order_, job)] = persistence::position_of(job);
        }
        return jobs;
    }

    [[nodiscard]] std::vector<std::string> take(std::size_t limit = 100) {
        return ids_of(take_jobs(limit, noop_));
    }

    const schema::TimePoint start_ = clock_.now();
    schema::AcquisitionOrder order_;
    persistence::RangePositions behind_;
};

ON_EVERY_DATABASE(Orders);

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
        insert(jobs);
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
        insert_of("i", {"a", "b"});
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

ON_EVERY_DATABASE(PriorityRanges);

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
        {a_job("in").with_priority(2).due_at(clock_.now()),
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

/// Tenants take turns, so that nobody waits behind the backlog of another one (B7).
class TurnsOfTenants : public Orders {
protected:
    TurnsOfTenants() {
        if (!GetParam().missing) {
            use({.tenants_in_turn = true});
        }
    }

    void add_of(const std::string& tenant, const std::vector<std::string>& ids) {
        for (const std::string& id : ids) {
            Job job = a_job(id).of_tenant(tenant);
            insert(std::move(job));
        }
    }
};

ON_EVERY_DATABASE(TurnsOfTenants);

TEST_P(TurnsOfTenants, Give_each_the_same_however_long_the_backlog_of_one_is) {
    add_of("big", ids_of(many_jobs("a", 50)));
    add_of("small", {"x1", "x2"});
    add_of("", {"y1"});
    EXPECT_THAT(take(6), ElementsAre("y1", "a000", "x1", "a001", "x2", "a002"));
    EXPECT_THAT(take(2), ElementsAre("a003", "a004"));
}

TEST_P(TurnsOfTenants, Go_on_behind_what_was_taken_and_see_what_came_since) {
    add_of("a", {"a1", "a2", "a3"});
    add_of("b", {"b1"});
    EXPECT_THAT(take(2), ElementsAre("a1", "b1"));
    add_of("b", {"b2"});
    add_of("c", {"c1"});
    EXPECT_THAT(take(3), ElementsAre("a2", "b2", "c1"));
    EXPECT_THAT(take(), ElementsAre("a3"));
    EXPECT_THAT(take(), IsEmpty());
}

TEST_P(TurnsOfTenants, Reach_jobs_that_SQL_has_given_no_tenant) {
    connection_->run_script(
        "INSERT INTO ACT_RU_JOB (ID_, HANDLER_TYPE_, TENANT_ID_) VALUES ('n1', 'noop', NULL)"
    );
    connection_->run_script(
        "INSERT INTO ACT_RU_JOB (ID_, HANDLER_TYPE_, TENANT_ID_) VALUES ('n2', 'noop', NULL)"
    );
    add_of("a", {"a1"});
    EXPECT_THAT(take(1), ElementsAre("a1"));
    EXPECT_THAT(take(1), ElementsAre("n1"));
    EXPECT_THAT(take(), ElementsAre("n2"));
}

TEST_P(TurnsOfTenants, Leave_what_is_not_served_or_held_by_others) {
    add_of("a", {"a1", "a2"});
    add_of("b", {"b1"});
    EXPECT_THAT(ids_of(acquire(1, "node-2")), ElementsAre("a1"));
    insert(a_job("b0").of_type("other").of_tenant("b"));
    EXPECT_THAT(take(), ElementsAre("a2", "b1"));
}

// What a page reads must not grow with the backlog.
TEST_P(TurnsOfTenants, Of_many_tenants_share_one_page) {
    for (int i = 0; i < 30; ++i) {
        add_of(fmt::format("t{:02}", i), {fmt::format("j{:02}a", i), fmt::format("j{:02}b", i)});
    }
    EXPECT_THAT(take(30), SizeIs(30));
    const std::vector<std::string> second = take(30);
    EXPECT_EQ(second.front(), "j00b");
    EXPECT_EQ(second.back(), "j29b");
}

/// A node that ends one job in each ten seconds, in which one of a high priority comes.
class Aging : public Orders {
protected:
    static constexpr schema::Duration kStep = 10s;

    /// When the job "low" of priority 0 was taken; nullopt: not in an hour.
    [[nodiscard]] std::optional<schema::Duration> low_is_taken(std::int64_t high) {
        add("low", 0s);
        for (schema::Duration since{0}; since <= 1h; since += kStep) {
            add(fmt::format("high-{:06}", since / 1s), since, {}, high);
            if (take(1) == std::vector<std::string>{"low"}) {
                return since;
            }
            behind_.clear();
        }
        return std::nullopt;
    }
};

ON_EVERY_DATABASE(Aging);

// R015
TEST_P(Aging, Without_it_a_low_priority_starves_while_higher_ones_keep_coming) {
    use({.by_priority = true});
    EXPECT_EQ(low_is_taken(5), std::nullopt);
}

// B6: five steps, each worth a minute. A job that is as old as that by its worth comes before it.
TEST_P(Aging, With_it_the_low_priority_runs_when_it_has_waited_for_what_the_steps_are_worth) {
    use({.by_priority = true, .aging = 1min});
    EXPECT_EQ(low_is_taken(5), 5min + kStep);
}

TEST_P(Aging, A_due_date_is_what_the_wait_of_a_timer_counts_from) {
    use({.by_priority = true, .aging = 1min});
    add("timer", 0s, 10min, 1);
    add("a", 8min);
    add("b", 9min + 30s);
    EXPECT_THAT(take(), ElementsAre("a", "timer", "b"));
}

TEST_P(Aging, Extreme_priorities_are_as_strict_as_without_it) {
    use({.by_priority = true, .aging = 24h});
    using Bounds = std::numeric_limits<std::int64_t>;
    add("d", 0s, {}, Bounds::min());
    add("c", 0s, {}, 0);
    add("b", 1h, {}, 1);
    add("a", 2h, {}, Bounds::max());
    EXPECT_THAT(take(), ElementsAre("a", "b", "c", "d"));
}

TEST_P(Aging, Pages_of_many_priorities_are_in_order) {
    use({.by_priority = true, .aging = 1min});
    for (int i = 0; i < 60; ++i) {
        // The higher the priority the later it was created: all are worth the same but for 1 s.
        add(fmt::format("j{:02}", i), i * 61s, {}, i);
    }
    std::vector<std::string> all;
    for (std::vector<std::string> page; !(page = take(7)).empty();) {
        all.insert(all.end(), page.begin(), page.end());
    }
    EXPECT_EQ(all.size(), 60U);
    EXPECT_TRUE(std::ranges::is_sorted(all));
}

}  // namespace

}  // namespace jobstrand::test
