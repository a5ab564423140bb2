#include "persistence/node_store.hpp"
#include "persistence/run_store.hpp"
#include "test/conformance/store_test.hpp"

#include <optional>
#include <string>

namespace jobstrand::test {

namespace {

using persistence::AskedTopic;
using persistence::NodeIdentity;
using persistence::NodeState;
using persistence::NodeWork;
using persistence::SpanSearch;
using persistence::SpanSums;
using persistence::TypeRuns;
using schema::RunSums;
using schema::ThroughputSpan;

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
        for (const persistence::Node& node : store_.nodes().nodes()) {
            names.push_back(node.identity.node);
        }
        return names;
    }

    const std::vector<std::string> types_{"mail", "noop"};
};

ON_EVERY_DATABASE(Leases);

TEST_P(Leases, Others_see_who_a_node_is_and_what_it_does) {
    start(identity("node-1"));
    const schema::TimePoint started = clock_.now();
    clock_.tick(3s);
    EXPECT_TRUE(renew(identity("node-1")).is_held);
    const std::vector<persistence::Node> nodes = store_.nodes().nodes();
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
    const std::vector<persistence::Node> nodes = store_.nodes().nodes();
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
    ASSERT_THAT(store_.nodes().lost_nodes(clock_.now()), SizeIs(1));
    const persistence::Node lost = store_.nodes().lost_nodes(clock_.now()).front();
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
    EXPECT_EQ(reset_locks(), 1);
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
    EXPECT_THAT(apply({completed_outcome(held)}, "frozen"), ElementsAre(OutcomeAnswer::lost_lock));
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
    insert_of("i", {"a", "b"});
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

// A living one may renew them yet, as after an outage.
TEST_P(Leases, What_is_freed_of_a_dead_node_leaves_what_others_hold_for_too_long) {
    const std::vector<std::string> nodes{"dead", "slow"};
    for (const std::string& node : nodes) {
        insert(a_job("of " + node).of_instance("by " + node));
        ASSERT_EQ(acquire(1, node).size(), 1U);
    }
    for (const std::string& node : nodes) {
        insert(many_jobs(node, 20));
        LockClaim claim = claim_of(node);
        claim.pages_from = 16;
        ASSERT_EQ(store_.executor().acquire(claim, noop_, 20).size(), 20U);
    }
    clock_.tick(claim_of("").until - clock_.now() + 1ms);
    const std::vector<std::string> dead{"dead"};
    EXPECT_EQ(free_jobs_of(dead), 21);
    EXPECT_EQ(count_rows("JS_CLAIM WHERE ID_ > 0"), 1);
    EXPECT_EQ(count_rows("ACT_RU_JOB WHERE LOCK_OWNER_ = 'slow'"), 1);
    EXPECT_EQ(count_rows("ACT_RU_JOB WHERE LOCK_OWNER_ = 'dead'"), 0);
    EXPECT_EQ(store_.executor().reset_expired_groups(clock_.now(), dead), 0);
    EXPECT_EQ(count_rows("JS_EXCLUSIVE"), 1);
    EXPECT_EQ(count_rows("JS_EXCLUSIVE WHERE LOCK_OWNER_ = 'slow'"), 1);
}

// Those are whom a node in a backlog leaves pages to.
TEST_P(Leases, A_full_page_from_the_start_tells_how_many_others_serve_such_jobs) {
    start(identity("dead"));
    clock_.tick(11s);
    start(identity("node-1"));
    start(identity("node-2"));
    start(identity("node-3"));
    register_node("other", std::vector<std::string>{"other"});
    insert({a_job("a"), a_job("b"), a_job("c")});
    persistence::SeenRows seen;
    PageLimit limit(1);
    limit.seen = &seen;
    limit.asks_for_nodes = true;
    LockClaim claim = claim_of("node-1");
    const auto acquire = [&](std::string_view behind) {
        (void)store_.executor().acquire(claim, types_, limit, behind);
        return seen.nodes_beside;
    };
    EXPECT_EQ(acquire(""), 2U);
    EXPECT_EQ(acquire("a"), std::nullopt) << "nobody needs to know again";
    limit.jobs = 3;
    EXPECT_EQ(acquire(""), std::nullopt) << "there is no backlog";
    limit.jobs = 1;
    insert({a_job("d"), a_job("e"), a_job("f")});
    limit.asks_for_nodes = false;
    EXPECT_EQ(acquire(""), std::nullopt) << "it was not asked for";
    limit.asks_for_nodes = true;
    claim.pages_from = 1;
    EXPECT_EQ(acquire(""), std::nullopt) << "claims of pages do not need to know";
}

/// What nodes tell of their work.
class Work : public StoreTest {
protected:
    void start(const std::string& node) { register_node(node, {}); }

    void record_asked(const std::string& node, const std::vector<AskedTopic>& topics) {
        store_.nodes().record_asked(node, topics);
    }

    [[nodiscard]] NodeWork one_run() const {
        return {
            .runs = {{.id = "ørder-17", .revision = 2, .since = clock_.now()}},
            .last_minute = {{.handler_type = "mail", .runs = 3'000'000'000}},
        };
    }
};

ON_EVERY_DATABASE(Work);

TEST_P(Work, Others_see_since_when_a_node_runs_a_job) {
    start("node-1");
    const schema::TimePoint since = clock_.now();
    store_.nodes().record_work("node-1", one_run());
    clock_.tick(3s);
    EXPECT_EQ(store_.nodes().running_since("node-1", "ørder-17", 2), since);
    EXPECT_EQ(store_.nodes().running_since("node-1", "ørder-17", 3), std::nullopt) << "another run";
    EXPECT_EQ(store_.nodes().running_since("node-1", "other", 2), std::nullopt);
    EXPECT_EQ(store_.nodes().running_since("node-2", "ørder-17", 2), std::nullopt);
    store_.nodes().record_work("node-1", {});
    EXPECT_EQ(store_.nodes().running_since("node-1", "ørder-17", 2), std::nullopt);
}

TEST_P(Work, The_runs_of_all_living_nodes_are_added_up) {
    start("node-1");
    start("node-2");
    store_.nodes().record_work("node-1", one_run());
    store_.nodes().record_work("node-2", {.last_minute = {{"mail", 2}, {"noop", 1}}});
    EXPECT_THAT(
        store_.nodes().runs_of_last_minute(clock_.now()),
        ElementsAre(TypeRuns{"mail", 3'000'000'002}, TypeRuns{"noop", 1})
    );
    EXPECT_THAT(store_.nodes().runs_of_last_minute(clock_.now() + 11s), IsEmpty());
}

// A young node has counted for less than a minute, and its rate is no lower for that.
TEST_P(Work, Failures_and_the_time_in_which_runs_ended_are_known) {
    start("node-1");
    start("node-2");
    const auto told = [this](const std::string& node, const TypeRuns& runs) {
        store_.nodes().record_work(node, {.last_minute = {runs}});
        return store_.nodes().runs_of_last_minute(clock_.now());
    };
    EXPECT_THAT(
        told("node-1", {"mail", 4'000, 40, 2s}), ElementsAre(TypeRuns{"mail", 4'000, 40, 2s})
    );
    // 2,000 runs a second here, and 100 there.
    EXPECT_THAT(
        told("node-2", {"mail", 6'000, 5, 60s}), ElementsAre(TypeRuns{"mail", 10'000, 45, 4762ms})
    );
    EXPECT_THAT(
        told("node-1", {"mail", 6'000, 0, 60s}), ElementsAre(TypeRuns{"mail", 12'000, 5, 60s})
    );
}

TEST_P(Work, Others_see_that_a_node_does_not_get_on) {
    start("node-1");
    EXPECT_EQ(store_.nodes().nodes().front().standstill, "");
    store_.nodes().record_work("node-1", {.standstill = "3 jobs are held, and none of them runs"});
    EXPECT_EQ(store_.nodes().nodes().front().standstill, "3 jobs are held, and none of them runs");
    store_.nodes().record_work("node-1", {});
    EXPECT_EQ(store_.nodes().nodes().front().standstill, "");
}

TEST_P(Work, Others_see_which_workers_ask_for_what) {
    start("node-1");
    start("node-2");
    const schema::TimePoint now = clock_.now();
    record_asked("node-1", {{"pay", "wörker", now}, {"mail", "w", now}});
    record_asked("node-2", {{"pay", "wörker", now + 2s}});
    EXPECT_THAT(
        store_.nodes().asked_topics(now),
        ElementsAre(AskedTopic{"mail", "w", now}, AskedTopic{"pay", "wörker", now + 2s})
    );
    record_asked("node-2", {});
    EXPECT_THAT(
        store_.nodes().asked_topics(now),
        ElementsAre(AskedTopic{"mail", "w", now}, AskedTopic{"pay", "wörker", now})
    );
    EXPECT_THAT(store_.nodes().asked_topics(now + 11s), IsEmpty()) << "nobody lives";
    record_asked("node-1", {{"pay", "w", now - AskedTopic::kLasts - 1ms}});
    EXPECT_THAT(store_.nodes().asked_topics(now), IsEmpty()) << "too long ago";
}

TEST_P(Work, Workers_whose_names_are_one_to_the_database_are_told_too) {
    start("node-1");
    const schema::TimePoint now = clock_.now();
    record_asked("node-1", {{"pay", "W", now}, {"pay", "w", now}, {"pay", "w ", now}});
    EXPECT_THAT(store_.nodes().asked_topics(now), testing::Not(IsEmpty()));
}

TEST_P(Work, A_node_that_is_gone_leaves_none_behind) {
    start("node-1");
    record_asked("node-1", {{"pay", "w", clock_.now()}});
    store_.nodes().leave({.node = "node-1", .incarnation = "1"});
    EXPECT_EQ(count_rows("JS_ASKED"), 0);
    start("node-1");
    store_.nodes().record_work("node-1", one_run());
    store_.nodes().leave({.node = "node-1", .incarnation = "1"});
    EXPECT_EQ(count_rows("JS_RUN") + count_rows("JS_RATE"), 0);
    start("node-1");
    store_.nodes().record_work("node-1", one_run());
    start("node-1");
    EXPECT_EQ(count_rows("JS_RUN") + count_rows("JS_RATE"), 0) << "another start";
    store_.nodes().record_work("node-1", one_run());
    clock_.tick(11s);
    EXPECT_EQ(store_.nodes().end_expired_leases(clock_.now()).size(), 1U);
    EXPECT_EQ(count_rows("JS_RUN") + count_rows("JS_RATE"), 0);
}

[[nodiscard]] RunSums ten_of(schema::Duration ran) {
    RunSums sums{.begun = 10, .completed = 9, .failed = 1};
    sums.waited.add_to(0, 10);
    sums.ran.add_to(schema::TimeHistogram::bucket_of(ran), 10);
    return sums;
}

/// What nodes write of their runs.
class ThroughputOfNodes : public StoreTest {
protected:
    void write(
        const std::string& node,
        schema::Duration length,
        schema::TimePoint at,
        const std::string& type = "mail"
    ) {
        ThroughputSpan span{.length = length, .at = at};
        span.counts.of(type).merge(ten_of(5ms));
        of_nodes_.add_throughput(node, std::span(&span, 1));
    }

    [[nodiscard]] std::vector<SpanSums> series(SpanSearch search) {
        return of_nodes_.throughput(search);
    }

    persistence::ThroughputStore& of_nodes_ = store_.throughput();
    const schema::TimePoint at_ = clock_.now() - clock_.now().time_since_epoch() % 60s;
};

ON_EVERY_DATABASE(ThroughputOfNodes);

TEST_P(ThroughputOfNodes, What_all_nodes_wrote_of_a_span_is_added_up) {
    write("nøde-1", 2s, at_);
    write("node-2", 2s, at_, "ørder");
    write("node-2", 2s, at_ + 2s);
    RunSums both = ten_of(5ms);
    both.merge(ten_of(5ms));
    EXPECT_THAT(
        series({.length = 2s, .from = at_}),
        ElementsAre(SpanSums{at_, both}, SpanSums{at_ + 2s, ten_of(5ms)})
    );
    EXPECT_THAT(series({.length = 2s, .from = at_ + 1s}), SizeIs(1));
    EXPECT_THAT(series({.length = 1min, .from = at_}), IsEmpty()) << "spans of another length";
    EXPECT_THAT(
        series({.length = 2s, .from = at_, .handler_type = "ørder"}),
        ElementsAre(SpanSums{at_, ten_of(5ms)})
    );
    EXPECT_THAT(
        of_nodes_.throughput_by_type({.length = 2s, .from = at_}).types(),
        ElementsAre(Pair("mail", both), Pair("ørder", ten_of(5ms)))
    );
}

TEST_P(ThroughputOfNodes, A_node_that_comes_back_adds_to_what_it_has_written_of_a_span) {
    write("node-1", 1min, at_);
    write("node-1", 1min, at_);
    write("node-1", 1min, at_, "pay");
    RunSums twice = ten_of(5ms);
    twice.merge(ten_of(5ms));
    EXPECT_THAT(
        of_nodes_.throughput_by_type({.length = 1min, .from = at_}).types(),
        ElementsAre(Pair("mail", twice), Pair("pay", ten_of(5ms)))
    );
}

TEST_P(ThroughputOfNodes, Many_types_with_long_names_fit) {
    ThroughputSpan span{.length = 2s, .at = at_};
    for (int i = 0; i < 100; ++i) {
        RunSums& sums = span.counts.of(std::string(250, 'x') + std::to_string(i));
        for (std::size_t bucket = 0; bucket < schema::TimeHistogram::kBuckets; ++bucket) {
            sums.ran.add_to(bucket, 1'000'000);
        }
    }
    of_nodes_.add_throughput("node-1", std::span(&span, 1));
    EXPECT_EQ(
        of_nodes_.throughput_by_type({.length = 2s, .from = at_}).types(), span.counts.types()
    );
}

TEST_P(ThroughputOfNodes, What_another_version_wrote_counts_as_nothing) {
    write("node-1", 2s, at_);
    execute("UPDATE JS_THROUGHPUT SET DATA_ = NULL");
    EXPECT_THAT(series({.length = 2s, .from = at_}), IsEmpty());
    write("node-1", 2s, at_);
    EXPECT_THAT(series({.length = 2s, .from = at_}), ElementsAre(SpanSums{at_, ten_of(5ms)}));
}

TEST_P(ThroughputOfNodes, Old_spans_are_forgotten_a_page_at_a_time) {
    std::vector<ThroughputSpan> spans;
    for (int i = 0; i < 510; ++i) {
        spans.push_back({.length = 2s, .at = at_ + i * 2s});
        spans.back().counts.of("mail").merge(ten_of(5ms));
    }
    of_nodes_.add_throughput("node-1", spans);
    write("node-1", 1min, at_);
    EXPECT_TRUE(of_nodes_.forget_throughput(2s, spans.back().at));
    EXPECT_THAT(series({.length = 2s, .from = at_}), SizeIs(10));
    EXPECT_FALSE(of_nodes_.forget_throughput(2s, spans.back().at));
    EXPECT_FALSE(of_nodes_.forget_throughput(2s, spans.back().at));
    EXPECT_THAT(series({.length = 2s, .from = at_}), SizeIs(1));
    EXPECT_THAT(series({.length = 1min, .from = at_}), SizeIs(1)) << "spans of another length";
}

}  // namespace

}  // namespace jobstrand::test
