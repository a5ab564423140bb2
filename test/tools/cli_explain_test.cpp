#include "persistence/worker_store.hpp"
#include "test/fixtures/open_store.hpp"
#include "test/tools/cli_fixture.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace jobstrand::test {

namespace {

using nlohmann::json;
using persistence::NodeState;
using testing::HasSubstr;
using namespace std::chrono_literals;

/// Why jobs do not run, in the words and facts of `job explain`.
class CliExplain : public CliTest {
protected:
    /// A node that lives for an hour.
    void start_node(
        const std::string& name = "node-1",
        persistence::ServedJobs served = std::vector<std::string>{"noop"}
    ) {
        const schema::TimePoint now = engine().clock().now();
        auto& nodes = engine().node_store();
        nodes.register_node({.node = name, .incarnation = "1"}, served, now, now + 1h);
        (void)nodes.renew_lease(
            {.node = name, .incarnation = "1"}, {.workers = 8, .running = 0, .held = 0}, now + 1h
        );
    }

    void drain(const std::string& name) {
        EXPECT_TRUE(engine().node_store().set_node_state(name, NodeState::draining));
        engine().node_store().record_served(name, {});
    }

    void acquire(const std::string& owner, schema::Duration lock = 1h, std::size_t most = 100) {
        const schema::TimePoint now = engine().clock().now();
        (void)engine().executor_store().acquire(
            {.owner = owner, .until = now + lock, .now = now},
            std::vector<std::string>{"noop"},
            most
        );
    }

    void describe_run(const std::string& owner, const std::string& id) {
        const std::int64_t revision = OpenStore(url())->jobs().find(id)->job.revision;
        engine().node_store().record_work(
            owner,
            {.runs = {{.id = id, .revision = revision, .since = engine().clock().now() - 1min}}}
        );
    }

    [[nodiscard]] json explained(const std::string& id) {
        return json::parse(run({"job", "explain", id, "-o", "json"}).out);
    }

    /// The codes of all reasons, in their order.
    [[nodiscard]] std::string codes(const std::string& id) {
        std::string all;
        const json found = explained(id);
        for (const json& reason : found["reasons"]) {
            all += (all.empty() ? "" : " ") + reason["code"].get<std::string>();
        }
        return all;
    }

    [[nodiscard]] std::string text(const std::string& id) { return ok({"job", "explain", id}); }
};

TEST_F(CliExplain, A_waiting_exclusive_job_names_the_sibling_and_its_node) {
    start_node();
    const std::string first = add({"--type", "noop", "--instance", "order-17"});
    acquire("web-1:4711:000000000000000000000000000000ab");
    const std::string second = add({"--type", "noop", "--instance", "order-17"});
    const std::string expected = "an exclusive job of the same instance order-17, " + first +
                                 ", is held by web-1, process "
                                 "4711";
    EXPECT_EQ(codes(second), "exclusive") << "nobody has met it yet";
    EXPECT_THAT(text(second), HasSubstr(expected));
    acquire("node-1");
    EXPECT_EQ(codes(second), "exclusive") << "it waits";
    EXPECT_THAT(text(second), HasSubstr(expected));
    describe_run("web-1:4711:000000000000000000000000000000ab", first);
    EXPECT_THAT(text(second), HasSubstr(first + ", runs on web-1, process 4711 since 20"));
    EXPECT_EQ(explained(second)["facts"]["instance"]["jobs"][0]["id"], first);
}

TEST_F(CliExplain, A_job_behind_a_sibling_on_its_own_node_says_so) {
    start_node();
    const std::string first = add({"--type", "noop", "--instance", "order-17"});
    const std::string second = add({"--type", "noop", "--instance", "order-17"});
    acquire("node-1");
    EXPECT_EQ(codes(second), "held");
    describe_run("node-1", first);
    EXPECT_EQ(codes(second), "behind_sibling");
    EXPECT_THAT(text(second), HasSubstr(first + ", runs on node-1 since"));
}

TEST_F(CliExplain, A_full_limit_says_how_many_run) {
    start_node();
    ok({"limit", "set", "type:noop", "--concurrent", "2"});
    engine().executor_store().refresh_limits();
    add();
    add();
    acquire("node-1");
    const std::string third = add();
    EXPECT_EQ(codes(third), "limit") << "nobody has met it yet";
    EXPECT_THAT(text(third), HasSubstr("no room within the limit type:noop (2 of 2 jobs run)"));
    acquire("node-1");
    EXPECT_EQ(codes(third), "limit") << "it waits";
    EXPECT_EQ(explained(third)["facts"]["limits"][0]["running"], 2);
    ok({"limit", "set", "type:noop", "--concurrent", "3"});
    EXPECT_THAT(text(third), HasSubstr("a limit, which has room for it now"));
}

TEST_F(CliExplain, A_rate_that_is_used_up_says_until_when) {
    start_node();
    ok({"limit", "set", "type:noop", "--rate", "1/P1D"});
    engine().executor_store().refresh_limits();
    add();
    acquire("node-1");
    const std::string second = add();
    EXPECT_EQ(codes(second), "limit");
    EXPECT_THAT(text(second), HasSubstr("the rate 1/PT24H is used up until 20"));
}

TEST_F(CliExplain, Nodes_that_are_limited_to_other_jobs_say_to_which) {
    schema::ServedScope scope{.priority_min = 10};
    start_node("node-1", {{"noop"}, {}, scope});
    start_node("node-2", {{"noop"}, {}, {.tenants = {"acme"}}});
    const std::string id = add({"--type", "noop", "--priority", "5", "--tenant", "other"});
    EXPECT_EQ(codes(id), "out_of_scope");
    EXPECT_THAT(text(id), HasSubstr("node-1 takes only priorities from 10 (its own is 5)"));
    EXPECT_THAT(text(id), HasSubstr("node-2 takes only tenant acme (its own is other)"));
}

TEST_F(CliExplain, A_lease_that_is_over_says_when_it_ended) {
    start_node();
    const std::string id = add();
    const schema::TimePoint now = engine().clock().now();
    engine().node_store().register_node(
        {.node = "hangs", .incarnation = "1"}, {}, now - 1h, now - 1min
    );
    acquire("hangs");
    EXPECT_EQ(codes(id), "dead_node");
    EXPECT_THAT(text(id), HasSubstr("hangs has it, whose lease ended at 20"));
}

TEST_F(CliExplain, A_lock_that_its_living_node_does_not_renew_says_so) {
    start_node();
    const std::string id = add();
    acquire("node-1", -1min);
    EXPECT_EQ(codes(id), "lock_over");
    EXPECT_THAT(text(id), HasSubstr("node-1 lives, but has not renewed the job's lock"));
}

// R053
TEST_F(CliExplain, A_priority_outside_of_all_ranges_is_told_with_the_nearer_end) {
    start_node("low", {{"noop"}, {}, {.priority_min = 0, .priority_max = 9}});
    const std::string above = add({"--type", "noop", "--priority", "10"});
    const std::string below = add({"--type", "noop", "--priority", "-1"});
    EXPECT_EQ(codes(above), "out_of_scope");
    EXPECT_THAT(text(above), HasSubstr("low takes only priorities up to 9 (its own is 10)"));
    EXPECT_EQ(codes(below), "out_of_scope");
    EXPECT_THAT(text(below), HasSubstr("low takes only priorities from 0 (its own is -1)"));
    EXPECT_EQ(codes(add({"--type", "noop", "--priority", "9"})), "free");
}

TEST_F(CliExplain, Nodes_that_are_set_to_acquire_nothing_are_named_with_the_setting) {
    persistence::ServedJobs handed_only(std::vector<std::string>{"noop"});
    handed_only.fetching.jobs = false;
    start_node("web", handed_only);
    const std::string id = add();
    EXPECT_EQ(codes(id), "paused");
    EXPECT_THAT(text(id), HasSubstr("with asyncJobAcquisitionEnabled = false: web"));
    EXPECT_EQ(explained(id)["facts"]["nodes"]["passive"], 1);
    start_node("drained");
    drain("drained");
    EXPECT_EQ(codes(id), "paused");
    EXPECT_THAT(
        text(id),
        HasSubstr("-> jobstrand node resume drained; or start a node with "
                  "asyncJobAcquisitionEnabled = true")
    );
    start_node("worker", std::vector<std::string>{"mail"});
    EXPECT_EQ(codes(id), "no_handler");
    EXPECT_THAT(text(id), HasSubstr("with asyncJobAcquisitionEnabled = false: web"));
}

TEST_F(CliExplain, A_timer_that_no_node_is_set_to_move_says_so) {
    persistence::ServedJobs no_timers(std::vector<std::string>{"noop"});
    no_timers.fetching.timers = false;
    start_node("node-1", no_timers);
    const std::string later = add({"--type", "noop", "--due-in", "1h"});
    EXPECT_EQ(codes(later), "not_due paused");
    EXPECT_THAT(text(later), HasSubstr("with timerJobAcquisitionEnabled = false: node-1"));
    EXPECT_EQ(codes(add()), "free");
}

TEST_F(CliExplain, A_running_job_says_where_and_since_when) {
    start_node();
    const std::string id = add();
    acquire("node-1");
    EXPECT_EQ(codes(id), "held");
    EXPECT_THAT(text(id), HasSubstr("node-1 has it: it waits there in the queue"));
    describe_run("node-1", id);
    EXPECT_EQ(codes(id), "running");
    EXPECT_THAT(text(id), HasSubstr("it runs on node-1 since 20"));
}

TEST_F(CliExplain, An_external_job_that_a_worker_has_says_until_when) {
    const std::string id = add({"--type", "noop", "--external"});
    const std::vector<std::string> topics{"noop"};
    const schema::TimePoint now = engine().clock().now();
    const auto fetch = [&](schema::Duration lock) {
        return OpenStore(url())
            ->workers()
            .acquire_external(
                {.owner = "worker-1", .until = now + lock}, {.topics = topics}, 1, now
            )
            .size();
    };
    EXPECT_EQ(fetch(-1min), 1U);
    EXPECT_EQ(codes(id), "lock_over");
    EXPECT_THAT(text(id), HasSubstr("the next worker that asks for noop gets it"));
    EXPECT_EQ(fetch(1h), 1U);
    EXPECT_EQ(codes(id), "held_by_worker");
    EXPECT_THAT(text(id), HasSubstr("the external worker worker-1 has it until 20"));
}

TEST_F(CliExplain, The_manual_shows_commands_that_work) {
    add({"--type", "noop", "--id", "order-17-mail"});
    EXPECT_EQ(run_document("docs/cli.md", "## Why a job does not run"), 2);
}

}  // namespace

}  // namespace jobstrand::test
