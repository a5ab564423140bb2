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

struct Given {
    const char* what;
    std::function<void(JobFacts&)> change;
    std::vector<ReasonCode> reasons;
};

Job& job_of(JobFacts& facts) {
    return facts.placed->job;
}

void lock(JobFacts& facts, const std::string& owner, schema::Duration left = 30s) {
    job_of(facts).lock_owner = owner;
    job_of(facts).lock_expiration = kNow + left;
}

void put_into(JobFacts& facts, JobPlace place) {
    facts.placed->place = place;
}

void suspend(JobFacts& facts) {
    facts.suspended_by = {{.id = "order-17", .since = kNow - 1h}};
}

void hold_group(JobFacts& facts, const std::string& owner, bool is_known = true) {
    facts.group = persistence::GroupHold{
        .group = "order-17",
        .lock_owner = owner,
        .until = kNow + 30s,
        .siblings = {{.id = "b", .since = is_known ? std::optional(kNow - 1min) : std::nullopt}}};
}

void meet_limit(JobFacts& facts, int concurrent, std::int64_t running) {
    facts.limits = {
        {.group = {.name = "type:noop", .concurrent = concurrent},
         .runs = {.running = {{"node-2", running}}}}};
}

using enum ReasonCode;

/// Where it stands, and when it is due.
std::vector<Given> place_cases() {
    return {
        {"nothing in the way", [](JobFacts&) {}, {free}},
        {"not there", [](JobFacts& f) { f.placed.reset(); }, {not_found}},
        {"dead", [](JobFacts& f) { put_into(f, JobPlace::dead_letter); }, {dead_letter}},
        {"not due, and all is well",
         [](JobFacts& f) {
             put_into(f, JobPlace::timer);
             job_of(f).due_date = kNow + 1h;
         },
         {not_due}},
        {"not due, and nobody to run it then",
         [](JobFacts& f) {
             put_into(f, JobPlace::timer);
             job_of(f).due_date = kNow + 1h;
             f.nodes.clear();
         },
         {not_due, no_node}},
        {"due, and not fetched yet",
         [](JobFacts& f) {
             put_into(f, JobPlace::timer);
             job_of(f).due_date = kNow;
         },
         {overdue_timer}},
        {"due, and no worker is idle",
         [](JobFacts& f) {
             put_into(f, JobPlace::timer);
             f.nodes.front().load.running = 8;
         },
         {workers_busy}},
    };
}

/// What it belongs to is suspended.
std::vector<Given> suspended_cases() {
    return {
        {"suspended",
         [](JobFacts& f) {
             put_into(f, JobPlace::suspended);
             suspend(f);
         },
         {suspended}},
        {"suspended by another engine",
         [](JobFacts& f) { put_into(f, JobPlace::suspended); },
         {suspended}},
        {"inserted while its instance is suspended", suspend, {suspended}},
        {"suspended, and not due either",
         [](JobFacts& f) {
             put_into(f, JobPlace::suspended);
             suspend(f);
             job_of(f).due_date = kNow + 1h;
         },
         {suspended, not_due}},
        {"suspended for workers needs no node",
         [](JobFacts& f) {
             put_into(f, JobPlace::suspended);
             job_of(f).type = schema::kExternalWorkerType;
             f.nodes.clear();
         },
         {suspended}},
    };
}

/// Somebody has it.
std::vector<Given> lock_cases() {
    return {
        {"running when its instance was suspended",
         [](JobFacts& f) {
             lock(f, kNode);
             f.running_since = kNow - 1min;
             suspend(f);
         },
         {running}},
        {"queued", [](JobFacts& f) { lock(f, kNode); }, {held}},
        {"behind a sibling in its node's memory",
         [](JobFacts& f) {
             lock(f, kNode);
             hold_group(f, kNode);
         },
         {behind_sibling}},
        {"beside siblings of which nobody knows that they run",
         [](JobFacts& f) {
             lock(f, kNode);
             hold_group(f, kNode, false);
         },
         {held}},
        {"its node's lease is over",
         [](JobFacts& f) {
             lock(f, "node-2");
             f.nodes.push_back(node("node-2", -1s));
         },
         {dead_node}},
        {"its node has no row", [](JobFacts& f) { lock(f, "gone"); }, {dead_node}},
        {"its node is gone, and no other lives",
         [](JobFacts& f) {
             lock(f, "gone", -1s);
             f.nodes.clear();
         },
         {dead_node, no_node}},
        {"its node lives and does not renew",
         [](JobFacts& f) { lock(f, kNode, -1s); },
         {lock_over}},
    };
}

/// Who lives, and takes what.
std::vector<Given> node_cases() {
    return {
        {"no node", [](JobFacts& f) { f.nodes = {node(kNode, -1s)}; }, {no_node}},
        {"all nodes drained",
         [](JobFacts& f) {
             f.nodes.front().state = NodeState::draining;
             f.nodes.front().handler_types.clear();
         },
         {paused}},
        {"all nodes set to acquire nothing",
         [](JobFacts& f) { f.nodes.front().fetching.jobs = false; },
         {paused}},
        {"one drained, the other set to acquire nothing",
         [](JobFacts& f) {
             f.nodes.front().state = NodeState::draining;
             f.nodes.push_back(node("node-2"));
             f.nodes.back().fetching.jobs = false;
         },
         {paused}},
        {"set to acquire nothing, and it is for workers",
         [](JobFacts& f) {
             f.nodes.front().fetching.jobs = false;
             put_into(f, JobPlace::external_worker);
         },
         {external_worker}},
        {"a due timer that nobody is set to move",
         [](JobFacts& f) {
             f.nodes.front().fetching.timers = false;
             put_into(f, JobPlace::timer);
         },
         {paused}},
        {"a due timer where nobody acquires, but moves timers",
         [](JobFacts& f) {
             f.nodes.front().fetching.jobs = false;
             put_into(f, JobPlace::timer);
         },
         {overdue_timer}},
        {"one drained, the other takes it",
         [](JobFacts& f) {
             f.nodes.push_back(node("node-2"));
             f.nodes.back().state = NodeState::draining;
         },
         {free}},
        {"no handler", [](JobFacts& f) { job_of(f).handler_type = "emial"; }, {no_handler}},
        {"a command that nobody has",
         [](JobFacts& f) { f.needs = "[commands.backup]"; },
         {lacks_need}},
        {"a command that the node has",
         [](JobFacts& f) {
             f.needs = "[commands.backup]";
             f.nodes.front().needs = {"[commands.backup]"};
         },
         {free}},
        {"outside of the priorities",
         [](JobFacts& f) { f.nodes.front().scope.priority_min = 10; },
         {out_of_scope}},
        {"of another tenant",
         [](JobFacts& f) { f.nodes.front().scope.tenants = {"acme"}; },
         {out_of_scope}},
    };
}

/// Other jobs are in the way.
std::vector<Given> waiting_cases() {
    return {
        {"its instance is held", [](JobFacts& f) { hold_group(f, "node-2"); }, {exclusive}},
        {"it waits for its instance, which is free again",
         [](JobFacts& f) { job_of(f).lock_owner = schema::kWaitingOwner; },
         {exclusive}},
        {"a limit is full", [](JobFacts& f) { meet_limit(f, 2, 2); }, {limit}},
        {"a limit of none", [](JobFacts& f) { meet_limit(f, 0, 0); }, {limit}},
        {"a limit has room", [](JobFacts& f) { meet_limit(f, 2, 1); }, {free}},
        {"it waits for a limit that has room again",
         [](JobFacts& f) {
             meet_limit(f, 2, 1);
             job_of(f).lock_owner = schema::kLimitedOwner;
         },
         {limit}},
    };
}

/// Limits that have several sides.
std::vector<Given> limit_cases() {
    return {
        {"a limit of each node, full where it could run",
         [](JobFacts& f) {
             f.limits = {
                 {.group = {.name = "type:noop", .per_node = 1},
                  .runs = {.running = {{kNode, 1}}}}};
         },
         {limit}},
        {"a limit of each node, full elsewhere",
         [](JobFacts& f) {
             f.limits = {
                 {.group = {.name = "type:noop", .per_node = 1},
                  .runs = {.running = {{"node-2", 1}}}}};
         },
         {free}},
        {"a rate is used up",
         [](JobFacts& f) {
             f.limits = {
                 {.group =
                      {.name = "type:noop", .rate = schema::StartRate{.starts = 1, .period = 1min}},
                  .runs = {.used_until = schema::UsedUntil(kNow + 30s)}}};
         },
         {limit}},
        {"nobody serves it, and its limit is full",
         [](JobFacts& f) {
             job_of(f).handler_type = "emial";
             meet_limit(f, 1, 1);
         },
         {no_handler, limit}},
    };
}

/// Nobody is idle, or nodes do not run it.
std::vector<Given> worker_cases() {
    return {
        {"all workers busy", [](JobFacts& f) { f.nodes.front().load.running = 8; }, {workers_busy}},
        {"for workers",
         [](JobFacts& f) {
             put_into(f, JobPlace::external_worker);
             f.nodes.clear();
         },
         {external_worker}},
        {"for workers, and its instance is held",
         [](JobFacts& f) {
             put_into(f, JobPlace::external_worker);
             hold_group(f, kNode);
         },
         {exclusive}},
        {"a worker has it",
         [](JobFacts& f) {
             put_into(f, JobPlace::external_worker);
             lock(f, "worker-1");
         },
         {held_by_worker}},
        {"a worker's lock is over",
         [](JobFacts& f) {
             put_into(f, JobPlace::external_worker);
             lock(f, "worker-1", -1s);
         },
         {lock_over}},
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
        given.change(facts);
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
