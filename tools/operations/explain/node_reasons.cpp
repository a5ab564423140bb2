#include "tools/operations/explain/node_reasons.hpp"

#include "tools/text/printable.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <string_view>

namespace jobstrand::cli {

using persistence::Node;
using schema::Job;
using schema::JobPlace;

namespace {

/// When a lock ends whose holder is gone.
[[nodiscard]] std::string end_of_lock(const Telling& t) {
    if (t.nodes.living.empty()) {
        return "no node lives that could free it";
    }
    const bool is_over = t.job().lock_expiration.value_or(t.facts.now) <= t.facts.now;
    if (is_over) {
        return fmt::format("its lock ended at {}: {}", t.lock_end(), kFreedSoon);
    }
    if (t.nodes.owner != nullptr) {
        return "another node is about to end that lease and to free the job";
    }
    return fmt::format("its lock ends at {}: then {}", t.lock_end(), kFreedSoon);
}

/// The setting that makes nodes leave such jobs to others.
[[nodiscard]] std::string_view setting_of_passive(const Telling& t) {
    return t.facts.placed->place == JobPlace::timer ? "timerJobAcquisitionEnabled"
                                                    : "asyncJobAcquisitionEnabled";
}

/// Those of which nobody knows what they serve, and those that leave it to others.
[[nodiscard]] std::string and_paused(const Telling& t) {
    std::string paused;
    if (!t.nodes.drained.empty()) {
        paused +=
            fmt::format("; drained, and perhaps able to: {}", list_of(names_of(t.nodes.drained)));
    }
    if (!t.nodes.passive.empty()) {
        paused += fmt::format(
            "; with {} = false: {}", setting_of_passive(t), list_of(names_of(t.nodes.passive))
        );
    }
    return paused;
}

[[nodiscard]] std::string value_of(const std::string& value) {
    return value.empty() ? "none" : quoted_if_needed(value);
}

/// What a node is limited to, as far as that leaves the job out.
[[nodiscard]] std::string scope_in_the_way(const Node& node, const Job& job) {
    std::vector<std::string> parts;
    const schema::PriorityRange& range = node.scope.priorities;
    if (!range.contains(job.priority)) {
        const bool is_above = job.priority > range.most;
        parts.push_back(fmt::format(
            "priorities {} {} (its own is {})",
            is_above ? "up to" : "from",
            is_above ? range.most : range.least,
            job.priority
        ));
    }
    constexpr std::array<std::string_view, 3> kWords{"category", "tenant", "definition"};
    for (std::size_t i = 0; i < kWords.size(); ++i) {
        const schema::ScopeList& list = schema::kScopeLists.at(i);
        const std::vector<std::string>& taken = node.scope.*list.values;
        if (!taken.empty() && std::ranges::count(taken, job.*list.field) == 0) {
            std::vector<std::string> values;
            std::ranges::transform(taken, std::back_inserter(values), value_of);
            parts.push_back(fmt::format(
                "{} {} (its own is {})", kWords.at(i), list_of(values), value_of(job.*list.field)
            ));
        }
    }
    return fmt::format(
        "{} takes only {}", quoted_if_needed(node.identity.node), fmt::join(parts, ", ")
    );
}

}  // namespace

Words describe_dead_node(const Telling& t) {
    const std::string who =
        t.nodes.owner != nullptr
            ? fmt::format(
                  "{} has it, whose lease ended at {}: it has died, or hangs",
                  holder_name(t.job().lock_owner),
                  t.when(t.nodes.owner->lease_until)
              )
            : fmt::format(
                  "{} has it, and no living node has that name: it has died, or is none of "
                  "Jobstrand's",
                  holder_name(t.job().lock_owner)
              );
    return {
        fmt::format("{}; {}", who, end_of_lock(t)),
        t.nodes.living.empty() ? "start a node: jobstrand serve" : ""};
}

Words describe_lock_over(const Telling& t) {
    if (t.facts.placed->place == JobPlace::external_worker) {
        return {
            fmt::format(
                "the lock of the external worker {} ended at {}: the next worker that asks for {} "
                "gets it",
                quoted_if_needed(t.job().lock_owner),
                t.lock_end(),
                quoted_if_needed(t.job().handler_type)
            ),
            ""};
    }
    return {
        fmt::format(
            "{} lives, but has not renewed the job's lock, which ended at {}: {}",
            holder_name(t.job().lock_owner),
            t.lock_end(),
            kFreedSoon
        ),
        "if that goes on, see the log of that node"};
}

Words describe_no_node(const Telling& t) {
    const std::string last = t.facts.nodes.empty()
                                 ? std::string()
                                 : fmt::format(
                                       "; the lease of {} ended at {}",
                                       quoted_if_needed(t.facts.nodes.back().identity.node),
                                       t.when(t.facts.nodes.back().lease_until)
                                   );
    return {"no node lives that could take it" + last, "start one: jobstrand serve"};
}

Words describe_paused(const Telling& t) {
    std::vector<std::string> why;
    std::vector<std::string> advice;
    if (!t.nodes.drained.empty()) {
        why.push_back(fmt::format("drained: {}", list_of(names_of(t.nodes.drained))));
        advice.push_back(
            fmt::format("jobstrand node resume {}", fmt::join(names_of(t.nodes.drained), " "))
        );
    }
    if (!t.nodes.passive.empty()) {
        const std::string_view setting = setting_of_passive(t);
        why.push_back(
            fmt::format("with {} = false: {}", setting, list_of(names_of(t.nodes.passive)))
        );
        advice.push_back(fmt::format("start a node with {} = true", setting));
    }
    return {
        fmt::format(
            "none of the {} living nodes takes it; {}", t.nodes.living.size(), fmt::join(why, "; ")
        ),
        fmt::format("{}", fmt::join(advice, "; or "))};
}

Words describe_no_handler(const Telling& t) {
    std::set<std::string> types;
    for (const Node* node : t.nodes.living) {
        types.insert(node->handler_types.begin(), node->handler_types.end());
    }
    const std::size_t taking =
        t.nodes.living.size() - t.nodes.drained.size() - t.nodes.passive.size();
    return {
        fmt::format(
            "none of the {} living nodes that take jobs has a handler of the type {}; they have "
            "{}{}",
            taking,
            quoted_if_needed(t.job().handler_type),
            types.empty() ? "none" : list_of({types.begin(), types.end()}),
            and_paused(t)
        ),
        fmt::format(
            "start a service or an app that has one; a misspelt job: jobstrand job rm {}", t.id()
        )};
}

Words describe_lacks_need(const Telling& t) {
    return {
        fmt::format(
            "it needs {}, which none of the {} living nodes that serve {} has{}",
            t.facts.needs,
            t.nodes.with_type.size(),
            quoted_if_needed(t.job().handler_type),
            and_paused(t)
        ),
        fmt::format(
            "add {} to the configuration file of a service, and send it SIGHUP", t.facts.needs
        )};
}

Words describe_out_of_scope(const Telling& t) {
    std::vector<std::string> nodes;
    for (const Node* node : t.nodes.with_needs) {
        nodes.push_back(scope_in_the_way(*node, t.job()));
    }
    return {
        fmt::format(
            "all living nodes that serve {} are limited to other jobs: {}{}",
            quoted_if_needed(t.job().handler_type),
            list_of(nodes),
            and_paused(t)
        ),
        "start a node without that limit, or change it (priorityRangeMin, priorityRangeMax, "
        "enabledJobCategories, enabledTenants, enabledDefinitions); or the job: jobstrand job set"};
}

}  // namespace jobstrand::cli
