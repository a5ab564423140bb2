#include "tools/operations/explain/waiting_reasons.hpp"

#include "tools/text/printable.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace jobstrand::cli {

using deadletter::LimitUse;

namespace {

[[nodiscard]] std::string use_of(const LimitUse& use, const Telling& t) {
    const schema::LimitedGroup& group = use.group;
    std::vector<std::string> parts;
    const std::int64_t running = deadletter::running_of(use);
    if (group.concurrent) {
        parts.push_back(fmt::format("{} of {} jobs run", running, *group.concurrent));
    }
    if (group.per_node) {
        std::vector<std::string> nodes;
        for (const auto& [owner, count] : use.runs.running) {
            nodes.push_back(fmt::format("{} on {}", count, holder_name(owner)));
        }
        parts.push_back(fmt::format(
            "at most {} run on a node{}{}",
            *group.per_node,
            nodes.empty() ? "" : ": ",
            list_of(nodes)
        ));
    }
    if (group.rate && schema::starts_left(*group.rate, use.runs.used_until, t.facts.now) == 0) {
        parts.push_back(fmt::format(
            "the rate {} is used up until {}",
            schema::text_of(*group.rate),
            t.when(
                t.facts.now +
                schema::until_next_starts(*group.rate, use.runs.used_until, t.facts.now)
            )
        ));
    }
    return fmt::format("{} ({})", quoted_if_needed(group.name), fmt::join(parts, "; "));
}

}  // namespace

Words describe_exclusive(const Telling& t) {
    const auto& group = t.facts.group;
    if (!group || group->lock_owner.empty()) {
        return {
            fmt::format(
                "it waits for its instance{}, which nobody holds any more",
                group ? " " + quoted_if_needed(group->group) : std::string()
            ),
            "a node takes it at its next look"};
    }
    const std::string instance = quoted_if_needed(group->group);
    const std::string holder = holder_name(group->lock_owner);
    const bool is_over = group->until.value_or(t.facts.now) < t.facts.now;
    const std::string end =
        is_over ? fmt::format("; that hold ended at {}: {}", t.when(group->until), kFreedSoon)
                : std::string();
    if (group->siblings.empty()) {
        return {
            fmt::format(
                "its instance {} is held by {}, one job at a time{}", instance, holder, end
            ),
            fmt::format("to see its jobs: jobstrand job ls --instance {} --locked", instance)};
    }
    const persistence::HeldSibling& first = group->siblings.front();
    const std::string since = first.since ? " since " + t.when(*first.since) : std::string();
    return {
        fmt::format(
            "an exclusive job of the same instance {}, {}, {} {}{}{}",
            instance,
            quoted_if_needed(first.id),
            first.since ? "runs on" : "is held by",
            holder,
            since,
            end
        ),
        fmt::format(
            "wait for it, or take it away: jobstrand job cancel {} --reason TEXT",
            quoted_if_needed(first.id)
        )};
}

Words describe_limit(const Telling& t) {
    std::vector<std::string> full;
    for (const LimitUse* use : deadletter::full_limits(t.facts, t.nodes)) {
        full.push_back(use_of(*use, t));
    }
    if (full.empty()) {
        return {
            "it waits for a limit, which has room for it now",
            "a node looks for such jobs once a second"};
    }
    return {
        fmt::format("no room within the limit {}", fmt::join(full, ", ")),
        "wait, or raise it: jobstrand limit ls, jobstrand limit set NAME --concurrent N"};
}

}  // namespace jobstrand::cli
