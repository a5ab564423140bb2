#include "deadletter/explanation.hpp"

#include "schema/concurrency.hpp"
#include "test/fixtures/job_builder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

namespace jobstrand::deadletter {
namespace {

using namespace std::chrono_literals;
using persistence::Node;
using persistence::NodeState;
using schema::Job;
using schema::JobPlace;

constexpr schema::TimePoint kNow{schema::Duration(1'800'000'000'000)};
const std::string kNode = "node-1";

Node node(const std::string& name, schema::Duration lease_left = 10s) {
    return {
        .identity = {.node = name, .incarnation = "1"},
        .load = {.workers = 8, .running = 3, .held = 3},
        .started = kNow - 1h,
        .lease_until = kNow + lease_left,
        .handler_types = {"noop"},
    };
}

/// A free executable job, and a node that takes it.
JobFacts a_case() {
    return {
        .id = "a",
        .now = kNow,
        .placed = schema::PlacedJob{.place = JobPlace::executable, .job = test::a_job("a")},
        .nodes = {node(kNode)}};
}

using Change = std::function<void(JobFacts&)>;

struct Given {
    const char* what;
    std::vector<Change> changes;
    std::vector<ReasonCode> reasons;
};

Job& job_of(JobFacts& facts) {
    return facts.placed->job;
}

Change lock(const std::string& owner, schema::Duration left = 30s) {
    return [=](JobFacts& facts) {
        job_of(facts).lock_owner = owner;
        job_of(facts).lock_expiration = kNow + left;
    };
}

Change put_into(JobPlace place) {
    return [=](JobFacts& facts) { facts.placed->place = place; };
}

Change due_in(schema::Duration wait) {
    return [=](JobFacts& facts) { job_of(facts).due_date = kNow + wait; };
}

Change hold_group(const std::string& owner, bool is_known = true) {
    return [=](JobFacts& facts) {
        facts.group = persistence::GroupHold{
            .group = "order-17",
            .lock_owner = owner,
            .until = kNow + 30s,
            .siblings = {
                {.id = "b", .since = is_known ? std::optional(kNow - 1min) : std::nullopt}}};
    };
}

Change meet_limit(int concurrent, std::int64_t running) {
    return [=](JobFacts& facts) {
        facts.limits = {
            {.group = {.name = "type:noop", .concurrent = concurrent},
             .runs = {.running = {{"node-2", running}}}}};
    };
}

/// One may run on each node, and one runs there.
Change meet_limit_of_node(const std::string& name) {
    return [=](JobFacts& facts) {
        facts.limits = {
            {.group = {.name = "type:noop", .per_node = 1}, .runs = {.running = {{name, 1}}}}};
    };
}

Change add_node(const Node& other) {
    return [=](JobFacts& facts) { facts.nodes.push_back(other); };
}

void suspend(JobFacts& facts) {
    facts.suspended_by = {{.id = "order-17", .since = kNow - 1h}};
}

void no_nodes(JobFacts& facts) {
    facts.nodes.clear();
}

/// The last one of them.
void drain(JobFacts& facts) {
    facts.nodes.back().state = NodeState::draining;
}

void acquire_nothing(JobFacts& facts) {
    facts.nodes.back().fetching.jobs = false;
}

void need_a_command(JobFacts& facts) {
    facts.needs = "[commands.backup]";
}

void ask_for_emial(JobFacts& facts) {
    job_of(facts).handler_type = "emial";
}

using enum ReasonCode;

/// Where it stands, and when it is due.
std::vector<Given> place_cases() {
    const Change in_timers = put_into(JobPlace::timer);
    return {
        {"nothing in the way", {}, {free}},
        {"not there", {[](JobFacts& f) { f.placed.reset(); }}, {not_found}},
        {"dead", {put_into(JobPlace::dead_letter)}, {dead_letter}},
        {"not due, and all is well", {in_timers, due_in(1h)}, {not_due}},
        {"not due, and nobody to run it then",
         {in_timers, due_in(1h), no_nodes},
         {not_due, no_node}},
        {"due, and not fetched yet", {in_timers, due_in(0s)}, {overdue_timer}},
        {"due, and no worker is idle",
         {in_timers, [](JobFacts& f) { f.nodes.front().load.running = 8; }},
         {workers_busy}},
    };
}

/// What it belongs to is suspended.
std::vector<Given> suspended_cases() {
    const Change away = put_into(JobPlace::suspended);
    return {
        {"suspended", {away, suspend}, {suspended}},
        {"suspended by another engine", {away}, {suspended}},
        {"inserted while its instance is suspended", {suspend}, {suspended}},
        {"suspended, and not due either", {away, suspend, due_in(1h)}, {suspended, not_due}},
        {"suspended for workers needs no node",
         {away, no_nodes, [](JobFacts& f) { job_of(f).type = schema::kExternalWorkerType; }},
         {suspended}},
    };
}

/// Somebody has it.
std::vector<Given> lock_cases() {
    return {
        {"running when its instance was suspended",
         {lock(kNode), suspend, [](JobFacts& f) { f.running_since = kNow - 1min; }},
         {running}},
        {"queued", {lock(kNode)}, {held}},
        {"behind a sibling in its node's memory",
         {lock(kNode), hold_group(kNode)},
         {behind_sibling}},
        {"beside siblings of which nobody knows that they run",
         {lock(kNode), hold_group(kNode, false)},
         {held}},
        {"its node's lease is over", {lock("node-2"), add_node(node("node-2", -1s))}, {dead_node}},
        {"its node has no row", {lock("gone")}, {dead_node}},
        {"its node is gone, and no other lives",
         {lock("gone", -1s), no_nodes},
         {dead_node, no_node}},
        {"its node lives and does not renew", {lock(kNode, -1s)}, {lock_over}},
    };
}

/// Who lives, and takes what.
std::vector<Given> node_cases() {
    const Change in_timers = put_into(JobPlace::timer);
    return {
        {"no node", {[](JobFacts& f) { f.nodes = {node(kNode, -1s)}; }}, {no_node}},
        {"all nodes drained",
         {drain, [](JobFacts& f) { f.nodes.front().handler_types.clear(); }},
         {paused}},
        {"all nodes set to acquire nothing", {acquire_nothing}, {paused}},
        {"one drained, the other set to acquire nothing",
         {drain, add_node(node("node-2")), acquire_nothing},
         {paused}},
        {"set to acquire nothing, and it is for workers",
         {acquire_nothing, put_into(JobPlace::external_worker)},
         {external_worker}},
        {"a due timer that nobody is set to move",
         {in_timers, [](JobFacts& f) { f.nodes.front().fetching.timers = false; }},
         {paused}},
        {"a due timer where nobody acquires, but moves timers",
         {in_timers, acquire_nothing},
         {overdue_timer}},
        {"one drained, the other takes it", {add_node(node("node-2")), drain}, {free}},
        {"no handler", {ask_for_emial}, {no_handler}},
        {"a command that nobody has", {need_a_command}, {lacks_need}},
        {"a command that the node has",
         {need_a_command, [](JobFacts& f) { f.nodes.front().needs = {f.needs}; }},
         {free}},
        {"outside of the priorities",
         {[](JobFacts& f) { f.nodes.front().scope.priority_min = 10; }},
         {out_of_scope}},
        {"of another tenant",
         {[](JobFacts& f) { f.nodes.front().scope.tenants = {"acme"}; }},
         {out_of_scope}},
    };
}

/// Other jobs are in the way.
std::vector<Given> waiting_cases() {
    const auto waits_for = [](std::string_view what) {
        return [=](JobFacts& f) { job_of(f).lock_owner = what; };
    };
    return {
        {"its instance is held", {hold_group("node-2")}, {exclusive}},
        {"it waits for its instance, which is free again",
         {waits_for(schema::kWaitingOwner)},
         {exclusive}},
        {"a limit is full", {meet_limit(2, 2)}, {limit}},
        {"a limit of none", {meet_limit(0, 0)}, {limit}},
        {"a limit has room", {meet_limit(2, 1)}, {free}},
        {"it waits for a limit that has room again",
         {meet_limit(2, 1), waits_for(schema::kLimitedOwner)},
         {limit}},
    };
}

/// Limits that have several sides.
std::vector<Given> limit_cases() {
    const auto use_up_rate = [](JobFacts& facts) {
        facts.limits = {
            {.group = {.name = "type:noop", .rate = schema::StartRate{.starts = 1, .period = 1min}},
             .runs = {.used_until = schema::UsedUntil(kNow + 30s)}}};
    };
    return {
        {"a limit of each node, full where it could run", {meet_limit_of_node(kNode)}, {limit}},
        {"a limit of each node, full elsewhere", {meet_limit_of_node("node-2")}, {free}},
        {"a rate is used up", {use_up_rate}, {limit}},
        {"nobody serves it, and its limit is full",
         {ask_for_emial, meet_limit(1, 1)},
         {no_handler, limit}},
    };
}

/// Nobody is idle, or nodes do not run it.
std::vector<Given> worker_cases() {
    const Change for_workers = put_into(JobPlace::external_worker);
    return {
        {"all workers busy",
         {[](JobFacts& f) { f.nodes.front().load.running = 8; }},
         {workers_busy}},
        {"for workers", {for_workers, no_nodes}, {external_worker}},
        {"for workers, and its instance is held", {for_workers, hold_group(kNode)}, {exclusive}},
        {"a worker has it", {for_workers, lock("worker-1")}, {held_by_worker}},
        {"a worker's lock is over", {for_workers, lock("worker-1", -1s)}, {lock_over}},
    };
}

const std::vector<Given>& all_cases() {
    static const std::vector<Given> all = [] {
        std::vector<Given> cases;
        for (const auto part :
             {place_cases,
              suspended_cases,
              lock_cases,
              node_cases,
              waiting_cases,
              limit_cases,
              worker_cases}) {
            std::ranges::move(part(), std::back_inserter(cases));
        }
        return cases;
    }();
    return all;
}

// B13
TEST(ExplanationTest, The_most_decisive_reason_comes_first) {
    for (const Given& given : all_cases()) {
        JobFacts facts = a_case();
        for (const Change& change : given.changes) {
            change(facts);
        }
        EXPECT_THAT(explain(facts), testing::ElementsAreArray(given.reasons)) << given.what;
    }
}

TEST(ExplanationTest, Every_reason_has_a_case_and_a_name_of_its_own) {
    std::vector<std::string_view> names;
    for (int code = 0; code <= static_cast<int>(free); ++code) {
        const auto reason = static_cast<ReasonCode>(code);
        names.push_back(name_of(reason));
        EXPECT_TRUE(std::ranges::any_of(all_cases(), [&](const Given& given) {
            return given.reasons.front() == reason;
        })) << names.back();
    }
    std::ranges::sort(names);
    EXPECT_EQ(std::ranges::adjacent_find(names), names.end());
}

}  // namespace
}  // namespace jobstrand::deadletter
