#include "deadletter/explain/job_facts.hpp"

#include <algorithm>
#include <iterator>

namespace jobstrand::deadletter {

namespace {

using persistence::Node;
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
    view.in_scope =
        part_of(view.with_needs, [&](const Node& node) { return node.scope.contains(job); });
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

}  // namespace jobstrand::deadletter
