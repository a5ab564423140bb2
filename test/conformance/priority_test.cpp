#include "persistence/migration/schema_check.hpp"
#include "persistence/migration/schema_migration.hpp"
#include "persistence/migration/table_changes.hpp"
#include "test/conformance/store_test.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <thread>

namespace jobstrand::test {

namespace {

using persistence::IndexRange;
using persistence::RangePositions;

RangePositions behind(const std::map<std::int64_t, std::string>& ids) {
    RangePositions positions;
    for (const auto& [priority, id] : ids) {
        positions[IndexRange{priority}] = {.id = id};
    }
    return positions;
}

class Priorities : public StoreTest {
protected:
    void SetUp() override {
        StoreTest::SetUp();
        if (!IsSkipped()) {
            ASSERT_TRUE(persistence::create_index(*connection_, schema::kPriorityIndex));
        }
    }

    // The tables of a server are those of the next test.
    void TearDown() override {
        if (!GetParam().missing) {
            (void)persistence::drop_index(*connection_, schema::kPriorityIndex);
        }
    }

    void add(std::string id, std::int64_t priority) {
        insert(a_job(std::move(id)).with_priority(priority));
    }

    [[nodiscard]] std::vector<Job> acquire_by_priority(
        persistence::SqlStore& store,
        std::string_view owner,
        std::size_t limit,
        const RangePositions& behind = {}
    ) {
        return store.executor().acquire_in_order(
            claim_of(owner), noop_, {.by_priority = true}, limit, behind
        );
    }

    [[nodiscard]] std::vector<std::string>
    take(std::size_t limit = 100, const RangePositions& behind = {}) {
        return ids_of(acquire_by_priority(store_, "node-1", limit, behind));
    }
};

ON_EVERY_DATABASE(Priorities);

// R051
TEST_P(Priorities, The_schema_is_as_expected_with_the_index_and_without) {
    EXPECT_TRUE(persistence::has_index(*connection_, schema::kPriorityIndex));
    EXPECT_FALSE(persistence::create_index(*connection_, schema::kPriorityIndex));
    EXPECT_THAT(persistence::check_schema(*connection_).differences, IsEmpty());
    EXPECT_TRUE(persistence::drop_index(*connection_, schema::kPriorityIndex));
    EXPECT_FALSE(persistence::drop_index(*connection_, schema::kPriorityIndex));
    EXPECT_THAT(persistence::check_schema(*connection_).differences, IsEmpty());
}

// R086
TEST_P(Priorities, Exclusive_jobs_of_an_instance_are_held_by_one_node) {
    insert(a_job("a").of_instance("i"));
    insert(a_job("b").of_instance("i").with_priority(9));
    EXPECT_THAT(take(1), ElementsAre("b"));
    EXPECT_THAT(acquire_by_priority(store_, "node-2", 10), IsEmpty());
    EXPECT_TRUE(schema::waits_for_exclusive(job("a")));
}

// R014 R045
TEST_P(Priorities, The_highest_comes_first_and_within_it_the_oldest_id) {
    for (const auto& [id, priority] :
         std::vector<std::pair<std::string, int>>{{"c", 5}, {"a", 1}, {"d", 5}, {"b", 9}}) {
        add(id, priority);
    }
    EXPECT_THAT(take(3), ElementsAre("b", "c", "d"));
    EXPECT_THAT(take(3), ElementsAre("a"));
    EXPECT_THAT(take(3), IsEmpty());
}

TEST_P(Priorities, An_acquired_job_is_the_one_in_the_table) {
    add("a", 7);
    const auto jobs = acquire_by_priority(store_, "node-1", 10);
    ASSERT_EQ(jobs.size(), 1U);
    EXPECT_EQ(jobs[0], job("a"));
    EXPECT_EQ(jobs[0].lock_owner, "node-1");
}

// R012
TEST_P(Priorities, Every_64_bit_number_is_a_priority) {
    using Bounds = std::numeric_limits<std::int64_t>;
    add("e", Bounds::min());
    add("d", Bounds::min() + 1);
    add("c", -1);
    add("b", 0);
    add("a", Bounds::max());
    EXPECT_THAT(take(), ElementsAre("a", "b", "c", "d", "e"));
    EXPECT_THAT(take(), IsEmpty());
}

TEST_P(Priorities, A_newer_job_of_a_higher_priority_overtakes) {
    add("a", 1);
    add("b", 1);
    ASSERT_THAT(take(1), ElementsAre("a"));
    add("c", 2);
    EXPECT_THAT(take(2, behind({{1, "a"}})), ElementsAre("c", "b"));
}

TEST_P(Priorities, Each_priority_is_looked_at_behind_its_own_position) {
    for (const char* id : {"a", "b", "c"}) {
        add(std::string("1") + id, 1);
        add(std::string("2") + id, 2);
    }
    EXPECT_THAT(take(10, behind({{2, "2b"}, {1, "1a"}})), ElementsAre("2c", "1b", "1c"));
    EXPECT_THAT(take(10, behind({{2, "2c"}, {1, "1c"}})), IsEmpty());
    EXPECT_THAT(take(10), ElementsAre("2a", "2b", "1a")) << "from the oldest again";
}

TEST_P(Priorities, A_freed_job_is_found_again) {
    add("a", 2);
    add("b", 2);
    const auto held = acquire_by_priority(store_, "node-1", 2);
    store_.executor().release("node-1", std::vector<Fence>{fences_of(held).front()});
    EXPECT_THAT(take(), ElementsAre("a"));
}

// I7
TEST_P(Priorities, Types_that_are_not_served_are_left) {
    insert({a_job("a").of_type("mail").with_priority(9), a_job("b").with_priority(1)});
    EXPECT_THAT(take(), ElementsAre("b"));
    EXPECT_TRUE(job("a").lock_owner.empty());
    EXPECT_THAT(
        store_.executor().acquire_in_order(claim_of("n"), {}, {.by_priority = true}, 10), IsEmpty()
    );
    EXPECT_THAT(take(0), IsEmpty());
}

TEST_P(Priorities, However_many_priorities_hold_nothing_to_take_the_lower_ones_are_reached) {
    std::vector<Job> jobs = many_jobs("x", 1100);
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        jobs[i].handler_type = "mail";
        jobs[i].priority = static_cast<std::int64_t>(i) + 1;
    }
    insert(std::move(jobs));
    add("a", 0);
    EXPECT_THAT(take(), ElementsAre("a"));
}

TEST_P(Priorities, Jobs_of_suspended_instances_move_aside) {
    for (const char* id : {"d", "c", "b"}) {
        add(id, 'z' - *id);
    }
    add("a", 0);
    suspend(SuspensionScope::instance, "order-17");
    execute("UPDATE ACT_RU_JOB SET PROCESS_INSTANCE_ID_ = 'order-17' WHERE ID_ <> 'a'");
    EXPECT_THAT(take(2), ElementsAre("a")) << "pages of nothing but suspended jobs are no end";
    EXPECT_THAT(places_of({"b", "d"}), ElementsAre("suspended", "suspended"));
}

// R040
TEST_P(Priorities, Two_nodes_never_get_the_same_job) {
    std::vector<Job> jobs = many_jobs("j", 600);
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        jobs[i].priority = static_cast<std::int64_t>(i % 7);
    }
    insert(std::move(jobs));
    Node other(*database_, faults_);
    const auto drain = [this](persistence::SqlStore& store, std::string_view owner) {
        std::vector<std::string> ids;
        for (int empty = 0; empty < 3;) {
            const auto page = acquire_by_priority(store, owner, 25);
            empty = page.empty() ? empty + 1 : 0;
            std::ranges::move(ids_of(page), std::back_inserter(ids));
        }
        return ids;
    };
    std::vector<std::string> theirs;
    std::thread neighbour([&] { theirs = drain(other.store(), "node-2"); });
    std::vector<std::string> all = drain(store_, "node-1");
    neighbour.join();
    all.insert(all.end(), theirs.begin(), theirs.end());
    std::ranges::sort(all);
    EXPECT_EQ(all.size(), 600U);
    EXPECT_EQ(std::ranges::adjacent_find(all), all.end());
}

}  // namespace

}  // namespace jobstrand::test
