#include "deadletter/explanation.hpp"

#include "deadletter/node_admin.hpp"
#include "schema/concurrency.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

namespace jobstrand::deadletter {

using persistence::HeldSibling;
using persistence::Node;
using schema::Job;
using schema::JobPlace;

namespace {

using List = NodeView::List;

template <typename Condition>
[[nodiscard]] List part_of(const List& nodes, const Condition& condition) {
    List part;
    std::ranges::copy_if(nodes, std::back_inserter(part), [&](const Node* node) {
        return condition(*node);
    });
    return part;
}

[[nodiscard]] bool is_draining(const Node& node) {
    return node.state == persistence::NodeState::draining;
}

/// A timer is fetched by whoever moves it.
[[nodiscard]] bool fetches(const Node& node, schema::JobPlace place) {
    return place == schema::JobPlace::timer ? node.fetching.timers : node.fetching.jobs;
}

[[nodiscard]] bool has_room(const LimitUse& use, const std::string& node, schema::TimePoint now) {
    const auto here = use.runs.running.find(node);
    const schema::GroupLoad load{
        .running = running_of(use),
        .here = here == use.runs.running.end() ? 0 : here->second,
        .used_until = use.runs.used_until};
    return schema::room_in(use.group, load, now) > 0;
}

}  // namespace

NodeView nodes_seen_from(const JobFacts& facts) {
    NodeView view;
    for (const Node& node : facts.nodes) {
        const bool is_alive = node.lease_until >= facts.now;
        if (is_alive) {
            view.living.push_back(&node);
        }
        if (facts.placed && node.identity.node == facts.placed->job.lock_owner) {
            view.owner = &node;
            view.is_owner_alive = is_alive;
        }
    }
    view.drained = part_of(view.living, is_draining);
    if (!facts.placed) {
        return view;
    }
    const schema::Job& job = facts.placed->job;
    const schema::JobPlace place = facts.placed->place;
    view.passive = part_of(view.living, [&](const Node& node) {
        return !is_draining(node) && !fetches(node, place);
    });
    view.with_type = part_of(view.living, [&](const Node& node) {
        return !is_draining(node) && fetches(node, place) &&
               std::ranges::count(node.handler_types, job.handler_type) > 0;
    });
    view.with_needs = part_of(view.with_type, [&](const Node& node) {
        return facts.needs.empty() || std::ranges::count(node.needs, facts.needs) > 0;
    });
    view.in_scope = part_of(view.with_needs, [&](const Node& node) {
        return schema::contains(node.scope, job);
    });
    view.idle = part_of(view.in_scope, [](const Node& node) {
        return node.load.running < node.load.workers;
    });
    return view;
}

std::vector<const LimitUse*> full_limits(const JobFacts& facts, const NodeView& nodes) {
    std::vector<const LimitUse*> full;
    for (const LimitUse& use : facts.limits) {
        const bool is_open_somewhere =
            nodes.in_scope.empty() ? has_room(use, {}, facts.now)
                                   : std::ranges::any_of(nodes.in_scope, [&](const Node* node) {
                                         return has_room(use, node->identity.node, facts.now);
                                     });
        if (!is_open_somewhere) {
            full.push_back(&use);
        }
    }
    return full;
}

std::int64_t running_of(const LimitUse& use) {
    std::int64_t running = 0;
    for (const auto& [owner, count] : use.runs.running) {
        running += count;
    }
    return running;
}

namespace {

/// What the conditions ask.
struct Case {
    const JobFacts& facts;
    const NodeView& nodes;

    [[nodiscard]] const Job& job() const { return facts.placed->job; }
    [[nodiscard]] bool is_in(JobPlace place) const { return facts.placed->place == place; }

    [[nodiscard]] bool is_locked() const {
        return !job().lock_owner.empty() && !schema::waits_for_exclusive(job()) &&
               !schema::waits_for_limit(job());
    }
    [[nodiscard]] bool is_lock_over() const {
        return is_locked() && job().lock_expiration.value_or(facts.now) < facts.now;
    }
    [[nodiscard]] bool is_held() const { return is_locked() && !is_lock_over(); }
    [[nodiscard]] bool is_held_by_node() const {
        return is_held() && !is_in(JobPlace::external_worker) && nodes.is_owner_alive;
    }
    [[nodiscard]] bool is_for_workers() const {
        return is_in(JobPlace::external_worker) || job().type == schema::kExternalWorkerType;
    }
    [[nodiscard]] bool is_due_later() const {
        return (is_in(JobPlace::timer) || is_in(JobPlace::suspended)) &&
               job().due_date.value_or(facts.now) > facts.now;
    }

    /// Only a claim asks who has its group, and whether its limits have room.
    [[nodiscard]] bool is_for_claim() const { return is_in(JobPlace::executable) && !is_locked(); }
};

bool is_gone(const Case& c) {
    return !c.facts.placed;
}

bool is_dead_letter(const Case& c) {
    return c.is_in(JobPlace::dead_letter);
}

bool is_running(const Case& c) {
    return c.is_held_by_node() && c.facts.running_since.has_value();
}

bool is_behind_sibling(const Case& c) {
    const auto& group = c.facts.group;
    return c.is_held_by_node() && group && group->lock_owner == c.job().lock_owner &&
           std::ranges::any_of(group->siblings, [](const HeldSibling& one) {
               return one.since.has_value();
           });
}

bool is_held(const Case& c) {
    return c.is_held_by_node();
}

bool is_held_by_worker(const Case& c) {
    return c.is_held() && c.is_in(JobPlace::external_worker);
}

bool is_suspended(const Case& c) {
    return c.is_in(JobPlace::suspended) || (!c.facts.suspended_by.empty() && !c.is_locked());
}

bool is_not_due(const Case& c) {
    return c.is_due_later();
}

bool is_of_dead_node(const Case& c) {
    return c.is_locked() && !c.is_in(JobPlace::external_worker) && !c.nodes.is_owner_alive;
}

bool is_lock_over(const Case& c) {
    return c.is_lock_over() && (c.nodes.is_owner_alive || c.is_in(JobPlace::external_worker));
}

/// Workers ask for external jobs themselves; a timer of theirs needs a node that moves it.
bool needs_node(const Case& c) {
    return !c.is_for_workers() || c.is_in(JobPlace::timer);
}

bool is_without_node(const Case& c) {
    return needs_node(c) && c.nodes.living.empty();
}

bool are_nodes_paused(const Case& c) {
    return needs_node(c) && !c.nodes.living.empty() && !c.nodes.is_any_taking();
}

/// Some node takes jobs, and the job is one for nodes.
bool could_be_taken(const Case& c) {
    return c.nodes.is_any_taking() && !c.is_for_workers();
}

bool has_no_handler(const Case& c) {
    return could_be_taken(c) && c.nodes.with_type.empty();
}

bool lacks_need(const Case& c) {
    return could_be_taken(c) && !c.nodes.with_type.empty() && c.nodes.with_needs.empty();
}

bool is_out_of_scope(const Case& c) {
    return could_be_taken(c) && !c.nodes.with_needs.empty() && c.nodes.in_scope.empty();
}

bool waits_for_group(const Case& c) {
    if (c.is_in(JobPlace::external_worker)) {
        return !c.is_locked() && c.facts.group.has_value();
    }
    return c.is_for_claim() && !schema::waits_for_limit(c.job()) &&
           (schema::waits_for_exclusive(c.job()) || c.facts.group.has_value());
}

bool waits_for_limit(const Case& c) {
    return c.is_for_claim() && !schema::waits_for_exclusive(c.job()) &&
           (schema::waits_for_limit(c.job()) || !full_limits(c.facts, c.nodes).empty());
}

bool is_for_external_worker(const Case& c) {
    return c.is_in(JobPlace::external_worker);
}

bool are_workers_busy(const Case& c) {
    return !c.is_locked() && !c.is_for_workers() && !c.is_due_later() &&
           !c.nodes.in_scope.empty() && c.nodes.idle.empty();
}

bool is_overdue(const Case& c) {
    return c.is_in(JobPlace::timer) && !c.is_locked() && !c.is_due_later();
}

bool is_free(const Case& c) {
    return c.is_for_claim();
}

/// What comes behind it in the list.
enum class Then {
    more,  ///< Further reasons may hold as well.
    end,   ///< It says all.
    only,  ///< It is told only where no reason was found before, and says all.
};

struct Rule {
    ReasonCode code;
    std::string_view name;
    bool (*holds)(const Case&);
    Then then;
};

// From the most decisive reason to the least.
constexpr std::array kRules{
    Rule{ReasonCode::not_found, "not_found", is_gone, Then::end},
    Rule{ReasonCode::dead_letter, "dead_letter", is_dead_letter, Then::end},
    Rule{ReasonCode::running, "running", is_running, Then::end},
    Rule{ReasonCode::behind_sibling, "behind_sibling", is_behind_sibling, Then::end},
    Rule{ReasonCode::held, "held", is_held, Then::end},
    Rule{ReasonCode::held_by_worker, "held_by_worker", is_held_by_worker, Then::end},
    Rule{ReasonCode::suspended, "suspended", is_suspended, Then::more},
    Rule{ReasonCode::not_due, "not_due", is_not_due, Then::more},
    Rule{ReasonCode::dead_node, "dead_node", is_of_dead_node, Then::more},
    Rule{ReasonCode::lock_over, "lock_over", is_lock_over, Then::more},
    Rule{ReasonCode::no_node, "no_node", is_without_node, Then::more},
    Rule{ReasonCode::paused, "paused", are_nodes_paused, Then::more},
    Rule{ReasonCode::no_handler, "no_handler", has_no_handler, Then::more},
    Rule{ReasonCode::lacks_need, "lacks_need", lacks_need, Then::more},
    Rule{ReasonCode::out_of_scope, "out_of_scope", is_out_of_scope, Then::more},
    Rule{ReasonCode::exclusive, "exclusive", waits_for_group, Then::more},
    Rule{ReasonCode::limit, "limit", waits_for_limit, Then::more},
    Rule{ReasonCode::external_worker, "external_worker", is_for_external_worker, Then::only},
    Rule{ReasonCode::workers_busy, "workers_busy", are_workers_busy, Then::only},
    Rule{ReasonCode::overdue_timer, "overdue_timer", is_overdue, Then::only},
    Rule{ReasonCode::free, "free", is_free, Then::only},
};

}  // namespace

std::string_view name_of(ReasonCode code) {
    return std::ranges::find(kRules, code, &Rule::code)->name;
}

std::vector<ReasonCode> explain(const JobFacts& facts) {
    const NodeView nodes = nodes_seen_from(facts);
    const Case all{.facts = facts, .nodes = nodes};
    std::vector<ReasonCode> reasons;
    for (const Rule& rule : kRules) {
        const bool is_asked = rule.then != Then::only || reasons.empty();
        if (is_asked && rule.holds(all)) {
            reasons.push_back(rule.code);
            if (rule.then != Then::more) {
                break;
            }
        }
    }
    return reasons;
}

JobFacts Explainer::facts_of(const std::string& id, const NeedOf& need_of) const {
    JobFacts facts{.id = id, .now = clock_.now(), .placed = stores_.jobs.find(id)};
    if (!facts.placed) {
        facts.is_a_series = stores_.series.find_series(id).has_value();
        return facts;
    }
    const Job& job = facts.placed->job;
    if (facts.placed->place == JobPlace::dead_letter) {
        const auto owner =
            job.unique_key.empty() ? std::nullopt : stores_.jobs.key_owner(job.unique_key);
        facts.key_holder = owner && owner->job != id ? owner->job : "";
        return facts;
    }
    facts.needs = job.needs.empty() ? need_of(job) : job.needs;
    add_way(facts);
    return facts;
}

void Explainer::add_way(JobFacts& facts) const {
    const Job& job = facts.placed->job;
    facts.suspended_by = stores_.jobs.suspensions_of(job);
    facts.nodes = stores_.nodes.nodes();
    facts.group = stores_.jobs.group_hold(job);
    const schema::JobLimits limits(stores_.limits.limits());
    for (schema::LimitedGroup& group : limits.groups_of(job)) {
        persistence::GroupRuns runs = stores_.limits.runs_of_group(group.name);
        facts.limits.push_back({.group = std::move(group), .runs = std::move(runs)});
    }
    facts.running_since = running_since(stores_.nodes, job);
}

}  // namespace jobstrand::deadletter
