#include "tools/operations/doctor/node_health.hpp"

#include "tools/text/relative_time.hpp"
#include "tools/text/terminal_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <span>
#include <string>

namespace jobstrand::cli {

namespace {

using persistence::Node;

constexpr schema::Duration kSkewNoticed = std::chrono::seconds(1);

/// Zones differ by a quarter of an hour at least; clocks of machines by less.
constexpr schema::Duration kZoneNoticed = std::chrono::minutes(14);

struct NamedNodes {
    std::vector<std::string> living;
    std::vector<std::string> dead;
    std::vector<std::string> drained;
    std::set<std::string> versions;
};

NamedNodes sorted_out(const std::vector<Node>& nodes, schema::TimePoint now) {
    NamedNodes names;
    for (const Node& node : nodes) {
        const std::string name = quoted_if_needed(node.identity.node);
        if (node.lease_until < now) {
            names.dead.push_back(name);
            continue;
        }
        names.living.push_back(name);
        if (!node.identity.version.empty()) {
            names.versions.insert(node.identity.version);
        }
        if (node.state == persistence::NodeState::draining) {
            names.drained.push_back(name);
        }
    }
    return names;
}

}  // namespace

void check_lost_nodes(const std::vector<Node>& lost, schema::TimePoint now, Findings& findings) {
    constexpr std::size_t most_named = 5;
    if (lost.empty()) {
        return;
    }
    std::vector<std::string> names;
    for (const Node& node : std::span(lost).first(std::min(lost.size(), most_named))) {
        names.push_back(fmt::format(
            "{} ({}, {} jobs held)",
            quoted_if_needed(node.identity.node),
            relative_time(node.lease_until, now),
            node.load.held
        ));
    }
    findings.push_back(
        {.check = "lost nodes",
         .level = FindingLevel::note,
         .text = fmt::format(
             "{} within a day: {}{}",
             lost.size(),
             fmt::join(names, ", "),
             lost.size() > most_named ? ", ..." : ""
         ),
         .advice = "see their logs: killed, out of memory, or cut off? Others have run their jobs"}
    );
}

void check_nodes(const std::vector<Node>& nodes, schema::TimePoint now, Findings& findings) {
    const NamedNodes names = sorted_out(nodes, now);
    if (names.living.empty()) {
        findings.push_back(
            {.check = "nodes",
             .level = FindingLevel::wrong,
             .text = "no node lives: nothing runs",
             .advice = "start one: jobstrand serve"}
        );
    } else {
        findings.push_back(
            {.check = "nodes",
             .text = fmt::format("{} live: {}", names.living.size(), fmt::join(names.living, ", "))}
        );
    }
    if (!names.dead.empty()) {
        findings.push_back(
            {.check = "nodes",
             .level = FindingLevel::wrong,
             .text = fmt::format("did not renew their leases: {}", fmt::join(names.dead, ", ")),
             .advice = "a living node frees their jobs within seconds; see their logs"}
        );
    }
    if (!names.drained.empty()) {
        const bool are_all = names.drained.size() == names.living.size();
        findings.push_back(
            {.check = "nodes",
             .level = are_all ? FindingLevel::wrong : FindingLevel::note,
             .text = fmt::format("drained, and taking nothing: {}", fmt::join(names.drained, ", ")),
             .advice = fmt::format("jobstrand node resume {}", fmt::join(names.drained, " "))}
        );
    }
    for (const Node& node : nodes) {
        if (node.lease_until >= now && !node.standstill.empty()) {
            findings.push_back(
                {.check = "progress",
                 .level = FindingLevel::wrong,
                 .text = fmt::format(
                     "{} lives and stands still: {}",
                     quoted_if_needed(node.identity.node),
                     node.standstill
                 ),
                 .advice = "see its log, and restart it: others run its jobs then"}
            );
        }
    }
    if (names.versions.size() > 1) {
        findings.push_back(
            {.check = "versions",
             .level = FindingLevel::note,
             .text = fmt::format("nodes are of several: {}", fmt::join(names.versions, ", ")),
             .advice = "end the upgrade: restart the older ones with the new program"}
        );
    }
}

void check_clock(schema::Duration skew, Findings& findings) {
    const bool is_wrong = std::chrono::abs(skew) > kSkewNoticed;
    findings.push_back(
        {.check = "clock",
         .level = is_wrong ? FindingLevel::wrong : FindingLevel::ok,
         .text = fmt::format(
             "this machine's is {} ms {} the database's, which is the one that counts",
             std::chrono::abs(skew).count(),
             skew.count() < 0 ? "behind" : "ahead of"
         ),
         .advice = is_wrong ? "let chrony or systemd-timesyncd set both" : ""}
    );
}

void check_engine_times(
    const std::optional<schema::TimePoint>& last_job,
    schema::TimePoint now,
    Findings& findings
) {
    if (last_job && *last_job - now > kZoneNoticed) {
        findings.push_back(
            {.check = "engine",
             .level = FindingLevel::wrong,
             .text = fmt::format(
                 "a Flowable engine made a job {} minutes from now: its times are not UTC",
                 std::chrono::round<std::chrono::minutes>(*last_job - now).count()
             ),
             .advice = "give its JVM -Duser.timezone=UTC, or its driver the option of "
                       "docs/flowable.md; due dates that are there already stay wrong"}
        );
        return;
    }
    findings.push_back(
        {.check = "engine",
         .text = "a Flowable engine has its tables here, and none of its times lies ahead"}
    );
}

}  // namespace jobstrand::cli
