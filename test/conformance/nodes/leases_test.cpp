#include "persistence/node_store.hpp"
#include "test/conformance/store_test.hpp"

#include <optional>

namespace jobstrand::test {

namespace {

using persistence::Node;
using persistence::NodeIdentity;
using persistence::NodeState;
using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;

/// Nodes that live, and nodes that do not (I2, I3).
class Leases : public StoreTest {
protected:
    static NodeIdentity identity(const std::string& node, const std::string& incarnation = "1") {
        return {
            .node = node,
            .incarnation = incarnation,
            .host = "host-ø",
            .process = 4711,
            .version = "0.1.0"};
    }

    void start(const NodeIdentity& node) {
        store_.nodes().register_node(node, types_, clock_.now(), clock_.now() + 10s);
    }

    persistence::LeaseAnswer renew(const NodeIdentity& node) {
        return store_.nodes().renew_lease(
            node, {.workers = 8, .running = 2, .held = 5}, clock_.now() + 10s
        );
    }

    /// What another node frees when it has ended a lease.
    std::int64_t free_jobs_of(const std::string& node) {
        return free_jobs_of(std::vector<std::string>{node});
    }

    std::int64_t free_jobs_of(const std::vector<std::string>& nodes) {
        return store_.executor()
            .reset_expired_locks(JobPlace::executable, {.now = clock_.now(), .owners = nodes})
            .freed;
    }

    std::vector<std::string> names() {
        std::vector<std::string> names;
        for (const Node& node : store_.nodes().nodes()) {
            names.push_back(node.identity.node);
        }
        return names;
    }

    const std::vector<std::string> types_{"mail", "noop"};
};

INSTANTIATE_TEST_SUITE_P(
    OnEveryDatabase,
    Leases,
    testing::ValuesIn(databases_under_test()),
    name_of_database
);

TEST_P(Leases, Others_see_who_a_node_is_and_what_it_does) {
    start(identity("node-1"));
    const schema::TimePoint started = clock_.now();
    clock_.tick(3s);
    EXPECT_TRUE(renew(identity("node-1")).is_held);
    const std::vector<Node> nodes = store_.nodes().nodes();
    ASSERT_EQ(nodes.size(), 1U);
    EXPECT_EQ(nodes[0].identity.host, "host-ø");
    EXPECT_EQ(nodes[0].identity.process, 4711);
    EXPECT_EQ(nodes[0].identity.version, "0.1.0");
    EXPECT_EQ(nodes[0].state, NodeState::running);
    EXPECT_EQ(nodes[0].load.workers, 8U);
    EXPECT_EQ(nodes[0].load.running, 2U);
    EXPECT_EQ(nodes[0].load.held, 5U);
    EXPECT_EQ(nodes[0].started, started);
    EXPECT_EQ(nodes[0].lease_until, clock_.now() + 10s);
    EXPECT_EQ(nodes[0].handler_types, types_);
}

TEST_P(Leases, Others_see_what_a_node_has_beside_its_handlers) {
    start(identity("node-1"));
    store_.nodes().record_served("node-1", {{"command"}, {"[commands.z]", "[commands.ørder]"}});
    const std::vector<Node> nodes = store_.nodes().nodes();
    ASSERT_EQ(nodes.size(), 1U);
    EXPECT_THAT(nodes[0].handler_types, ElementsAre("command"));
    EXPECT_THAT(nodes[0].needs, ElementsAre("[commands.z]", "[commands.ørder]"));
}

TEST_P(Leases, A_node_that_renews_in_time_keeps_its_jobs) {
    start(identity("node-1"));
    insert_and_acquire(a_job("a"), "node-1");
    clock_.tick(9s);
    EXPECT_TRUE(renew(identity("node-1")).is_held);
    clock_.tick(9s);
    EXPECT_THAT(store_.nodes().end_expired_leases(clock_.now()), IsEmpty());
    EXPECT_EQ(free_jobs_of("node-1"), 0);
}

TEST_P(Leases, With_its_lease_a_dead_node_loses_its_locks_and_others_theirs_not) {
    start(identity("dead"));
    start(identity("living"));
    const Job lost = insert_and_acquire(a_job("a"), "dead");
    const Job kept = insert_and_acquire(a_job("b"), "living");
    clock_.tick(9s);
    EXPECT_TRUE(renew(identity("living")).is_held);
    clock_.tick(2s);
    EXPECT_THAT(store_.nodes().end_expired_leases(clock_.now()), ElementsAre("dead"));
    EXPECT_EQ(free_jobs_of("dead"), 1);
    const Job freed = job("a");
    EXPECT_TRUE(freed.lock_owner.empty());
    EXPECT_EQ(freed.revision, lost.revision + 1);
    EXPECT_EQ(freed.retries, lost.retries);
    EXPECT_EQ(freed.lost_starts, 1);
    EXPECT_EQ(job("b"), kept);
    EXPECT_THAT(names(), ElementsAre("living"));
}

TEST_P(Leases, Nodes_that_die_together_lose_each_its_own_locks) {
    start(identity("dead-1"));
    start(identity("dead-2"));
    (void)insert_and_acquire(a_job("a"), "dead-1");
    (void)insert_and_acquire(a_job("b"), "dead-2");
    (void)insert_and_acquire(a_job("c"), "dead-2");
    start(identity("living"));
    const Job kept = insert_and_acquire(a_job("d"), "living");
    clock_.tick(9s);
    EXPECT_TRUE(renew(identity("living")).is_held);
    clock_.tick(2s);
    const std::vector<std::string> dead = store_.nodes().end_expired_leases(clock_.now());
    EXPECT_THAT(dead, ElementsAre("dead-1", "dead-2"));
    EXPECT_EQ(free_jobs_of(dead), 3);
    EXPECT_EQ(job("d"), kept);
}

TEST_P(Leases, The_living_ones_before_a_node_by_name_are_counted) {
    start(identity("b-dead"));
    clock_.tick(5s);
    start(identity("a"));
    start(identity("c"));
    start(identity("d"));
    EXPECT_EQ(store_.nodes().living_before("d", clock_.now()), 3);
    clock_.tick(6s);
    EXPECT_EQ(store_.nodes().living_before("d", clock_.now()), 2) << "one has died";
    EXPECT_EQ(store_.nodes().living_before("a", clock_.now()), 0);
    (void)store_.nodes().end_expired_leases(clock_.now());
    store_.nodes().leave(identity("a"));
    EXPECT_EQ(store_.nodes().living_before("d", clock_.now()), 1);
}

TEST_P(Leases, A_lost_node_is_remembered_for_a_day_and_counts_as_none) {
    start(identity("dead"));
    clock_.tick(11s);
    (void)store_.nodes().end_expired_leases(clock_.now());
    ASSERT_THAT(store_.nodes().lost_nodes(clock_.now()), testing::SizeIs(1));
    const Node lost = store_.nodes().lost_nodes(clock_.now()).front();
    EXPECT_EQ(lost.identity.node, "dead");
    EXPECT_EQ(lost.state, NodeState::lost);
    EXPECT_EQ(lost.lease_until, clock_.now() - 1s);
    EXPECT_THAT(names(), IsEmpty());
    EXPECT_FALSE(store_.nodes().set_node_state("dead", NodeState::draining));
    EXPECT_FALSE(renew(identity("dead")).is_held) << "it has to register anew";
    EXPECT_FALSE(renew(identity("dead")).is_taken_over);
    clock_.tick(24h);
    EXPECT_THAT(store_.nodes().lost_nodes(clock_.now()), IsEmpty());
    start(identity("another"));
    EXPECT_EQ(count_rows("JS_NODE"), 1);
}

TEST_P(Leases, A_lost_node_that_comes_back_is_not_lost_any_more) {
    start(identity("node-1"));
    clock_.tick(11s);
    (void)store_.nodes().end_expired_leases(clock_.now());
    start(identity("node-1"));
    EXPECT_THAT(names(), ElementsAre("node-1"));
    EXPECT_THAT(store_.nodes().lost_nodes(clock_.now()), IsEmpty());
}

TEST_P(Leases, Only_one_node_ends_a_lease) {
    start(identity("dead"));
    clock_.tick(11s);
    EXPECT_THAT(store_.nodes().end_expired_leases(clock_.now()), ElementsAre("dead"));
    EXPECT_THAT(store_.nodes().end_expired_leases(clock_.now()), IsEmpty());
}

// To find its locks is to read the tables.
TEST_P(Leases, A_dead_node_is_left_for_a_while_to_the_living_one_that_is_first_by_name) {
    start(identity("b-dead"));
    clock_.tick(5s);
    start(identity("a-first"));
    start(identity("c-second"));
    clock_.tick(6s);
    EXPECT_THAT(store_.nodes().end_expired_leases({clock_.now(), "c-second", 5s}), IsEmpty());
    clock_.tick(3s);
    EXPECT_THAT(store_.nodes().end_expired_leases({clock_.now(), "c-second", 5s}), IsEmpty());
    EXPECT_THAT(
        store_.nodes().end_expired_leases({clock_.now(), "a-first", 5s}), ElementsAre("b-dead")
    );

    clock_.tick(2s);
    EXPECT_TRUE(renew(identity("c-second")).is_held);
    const auto ended = store_.nodes().end_expired_leases({clock_.now(), "c-second", 5s});
    EXPECT_THAT(ended, ElementsAre("a-first")) << "there is no other now";
}

TEST_P(Leases, A_dead_node_is_left_to_nobody_for_longer_than_that) {
    start(identity("b-dead"));
    clock_.tick(9s);
    start(identity("a-first"));
    start(identity("c-second"));
    clock_.tick(6s + 1ms);
    EXPECT_THAT(
        store_.nodes().end_expired_leases({clock_.now(), "c-second", 5s}), ElementsAre("b-dead")
    );
}

// The node that ended the lease may die before it has freed the jobs.
TEST_P(Leases, Any_reset_frees_what_was_left_when_a_lease_was_ended) {
    start(identity("dead"));
    insert_and_acquire(a_job("a"), "dead");
    clock_.tick(11s);
    EXPECT_THAT(store_.nodes().end_expired_leases(clock_.now()), ElementsAre("dead"));
    EXPECT_EQ(
        store_.executor().reset_expired_locks(JobPlace::executable, {.now = clock_.now()}).freed, 1
    );
    EXPECT_TRUE(job("a").lock_owner.empty());
}

TEST_P(Leases, A_node_that_comes_back_keeps_what_nobody_has_freed_yet) {
    start(identity("frozen"));
    const Job held = insert_and_acquire(a_job("a"), "frozen");
    clock_.tick(11s);
    EXPECT_THAT(store_.nodes().end_expired_leases(clock_.now()), ElementsAre("frozen"));
    EXPECT_FALSE(renew(identity("frozen")).is_held);
    EXPECT_FALSE(renew(identity("frozen")).is_taken_over);
    start(identity("frozen"));
    const std::vector<Fence> fences{{.id = "a", .revision = held.revision}};
    EXPECT_THAT(
        store_.executor().extend_locks({.owner = "frozen", .until = clock_.now() + 30s}, fences),
        IsEmpty()
    );
    EXPECT_EQ(free_jobs_of("frozen"), 0);
}

// I3
TEST_P(Leases, A_node_that_comes_back_late_writes_nothing) {
    start(identity("frozen"));
    const Job held = insert_and_acquire(a_job("a"), "frozen");
    clock_.tick(11s);
    EXPECT_THAT(store_.nodes().end_expired_leases(clock_.now()), ElementsAre("frozen"));
    EXPECT_EQ(free_jobs_of("frozen"), 1);
    const std::vector<Outcome> late{completed_outcome(held)};
    EXPECT_THAT(store_.executor().apply("frozen", late), ElementsAre(OutcomeAnswer::lost_lock));
    EXPECT_EQ(place_of("a"), "executable");
}

TEST_P(Leases, A_restart_under_the_same_name_frees_what_the_last_one_left_at_once) {
    start(identity("node-1", "first"));
    insert_and_acquire(a_job("a"), "node-1");
    start(identity("node-1", "second"));
    clock_.tick(1ms);
    EXPECT_EQ(free_jobs_of("node-1"), 1);
    EXPECT_TRUE(renew(identity("node-1", "second")).is_held);
}

TEST_P(Leases, Of_two_with_one_name_the_older_one_is_told) {
    start(identity("node-1", "first"));
    start(identity("node-1", "second"));
    const auto answer = renew(identity("node-1", "first"));
    EXPECT_FALSE(answer.is_held);
    EXPECT_TRUE(answer.is_taken_over);
    store_.nodes().leave(identity("node-1", "first"));
    EXPECT_THAT(names(), ElementsAre("node-1"));
}

TEST_P(Leases, A_node_hears_at_its_next_renewal_that_it_is_to_drain) {
    start(identity("node-1"));
    EXPECT_EQ(renew(identity("node-1")).state, NodeState::running);
    EXPECT_TRUE(store_.nodes().set_node_state("node-1", NodeState::draining));
    EXPECT_EQ(renew(identity("node-1")).state, NodeState::draining);
    EXPECT_TRUE(store_.nodes().set_node_state("node-1", NodeState::running));
    EXPECT_EQ(renew(identity("node-1")).state, NodeState::running);
    EXPECT_FALSE(store_.nodes().set_node_state("nobody", NodeState::draining));
}

TEST_P(Leases, Who_leaves_is_forgotten_and_its_locks_are_left_alone) {
    start(identity("node-1"));
    const Job held = insert_and_acquire(a_job("a"), "node-1");
    store_.nodes().leave(identity("node-1"));
    EXPECT_THAT(store_.nodes().nodes(), IsEmpty());
    EXPECT_EQ(count_rows("JS_SERVED"), 0);
    EXPECT_EQ(job("a"), held);
}

TEST_P(Leases, A_dead_holder_of_an_instance_gives_its_exclusive_jobs_free) {
    start(identity("dead"));
    insert(JobPlace::executable, a_job("a").of_instance("i"));
    insert(JobPlace::executable, a_job("b").of_instance("i"));
    ASSERT_EQ(acquire(1, "dead").size(), 1U);
    ASSERT_EQ(count_rows("JS_EXCLUSIVE"), 1);
    clock_.tick(11s);
    EXPECT_THAT(store_.nodes().end_expired_leases(clock_.now()), ElementsAre("dead"));
    EXPECT_EQ(free_jobs_of("dead"), 1);
    clock_.tick(1ms);
    (void)store_.executor().reset_expired_groups(clock_.now());
    EXPECT_EQ(count_rows("JS_EXCLUSIVE"), 0);
    EXPECT_FALSE(acquire(100, "living").empty());
}

// Those are whom a node in a backlog leaves pages to.
TEST_P(Leases, A_full_page_from_the_start_tells_how_many_others_serve_such_jobs) {
    start(identity("dead"));
    clock_.tick(11s);
    start(identity("node-1"));
    start(identity("node-2"));
    start(identity("node-3"));
    store_.nodes().register_node(
        identity("other"), std::vector<std::string>{"other"}, clock_.now(), clock_.now() + 10s
    );
    insert(JobPlace::executable, {a_job("a"), a_job("b"), a_job("c")});
    persistence::SeenRows seen;
    persistence::PageLimit limit(1);
    limit.seen = &seen;
    limit.asks_for_nodes = true;
    persistence::LockClaim claim = claim_of("node-1");
    const auto acquire = [&](std::string_view behind) {
        (void)store_.executor().acquire(claim, types_, limit, behind);
        return seen.nodes_beside;
    };
    EXPECT_EQ(acquire(""), 2U);
    EXPECT_EQ(acquire("a"), std::nullopt) << "nobody needs to know again";
    limit.jobs = 3;
    EXPECT_EQ(acquire(""), std::nullopt) << "there is no backlog";
    limit.jobs = 1;
    insert(JobPlace::executable, {a_job("d"), a_job("e"), a_job("f")});
    limit.asks_for_nodes = false;
    EXPECT_EQ(acquire(""), std::nullopt) << "it was not asked for";
    limit.asks_for_nodes = true;
    claim.pages_from = 1;
    EXPECT_EQ(acquire(""), std::nullopt) << "claims of pages do not need to know";
}

}  // namespace

}  // namespace jobstrand::test
