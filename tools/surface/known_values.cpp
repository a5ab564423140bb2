#include "tools/surface/known_values.hpp"

#include "deadletter/causes/cause_tally.hpp"

#include <fmt/format.h>

#include <set>

namespace jobstrand::cli {

namespace {

using schema::JobPlace;
using Candidates = std::vector<Candidate>;

/// Nobody reads more in a shell.
constexpr std::size_t kShown = 200;

/// Of each place: whose handler types are looked at.
constexpr std::size_t kLookedAt = 500;

/// Dead letters whose causes are offered: the latest ones.
constexpr std::size_t kDeadLookedAt = 2'000;

[[nodiscard]] std::string meaning_of(const schema::PlacedJob& placed) {
    const schema::Job& job = placed.job;
    return job.exception_message.empty()
               ? fmt::format("{}, {}", job.handler_type, name_of(placed.place))
               : fmt::format("{}: {}", job.handler_type, job.exception_message);
}

// Ids are listed in their order, so those that begin with what was typed come first behind it.
[[nodiscard]] Candidates
ids(Session& session, const std::vector<JobPlace>& places, std::string_view typed) {
    Candidates candidates;
    const auto page =
        session.search().list({.places = places, .after = std::string(typed), .limit = kShown});
    for (const schema::PlacedJob& placed : page.items) {
        candidates.push_back({placed.job.id, meaning_of(placed)});
    }
    return candidates;
}

[[nodiscard]] Candidates handler_types(Session& session) {
    const std::vector<std::string> own = session.engine().handlers().types();
    std::set<std::string> types(own.begin(), own.end());
    for (const JobPlace place : schema::kJobPlaces) {
        const auto page = session.search().list({.places = {place}, .limit = kLookedAt});
        for (const schema::PlacedJob& placed : page.items) {
            types.insert(placed.job.handler_type);
        }
    }
    Candidates candidates;
    for (const std::string& type : types) {
        candidates.push_back({type});
    }
    return candidates;
}

[[nodiscard]] Candidates series(Session& session, std::string_view typed) {
    Candidates candidates;
    for (const auto& summary : session.series().list({}, typed, kShown).items) {
        candidates.push_back({summary.series.key, summary.series.repeat});
    }
    return candidates;
}

[[nodiscard]] Candidates groups(Session& session) {
    Candidates candidates;
    for (const auto& [name, group] : session.series().groups()) {
        candidates.push_back({name, fmt::format("{} series", group.series)});
    }
    return candidates;
}

[[nodiscard]] Candidates causes(Session& session) {
    Candidates candidates;
    for (const auto& group : deadletter::latest_causes(session.store(), kDeadLookedAt).groups) {
        const auto& [type, error_class, message] = group.cause;
        candidates.push_back(
            {group.id,
             fmt::format(
                 "{} of {}: {}{}{}",
                 group.jobs,
                 type,
                 error_class,
                 error_class.empty() || message.empty() ? "" : ": ",
                 message
             )}
        );
    }
    return candidates;
}

[[nodiscard]] Candidates calendars(Session& session) {
    Candidates candidates;
    for (const auto& calendar : session.series_store().calendars()) {
        candidates.push_back({calendar.name, calendar.text});
    }
    return candidates;
}

[[nodiscard]] Candidates nodes(Session& session) {
    Candidates candidates;
    for (const persistence::Node& node : session.nodes().list()) {
        candidates.push_back({node.identity.node, std::string(name_of(node.state))});
    }
    return candidates;
}

[[nodiscard]] Candidates instances(Session& session, std::string_view typed) {
    Candidates candidates;
    for (const auto& instance :
         session.search().scopes({.after = std::string(typed), .limit = kShown}).items) {
        candidates.push_back({instance.id, instance.suspended_since ? "suspended" : ""});
    }
    return candidates;
}

}  // namespace

std::vector<Candidate> known_values(Session& session, ValueSource source, std::string_view typed) {
    switch (source) {
        case ValueSource::jobs:
            return ids(session, {schema::kJobPlaces.begin(), schema::kJobPlaces.end()}, typed);
        case ValueSource::dead_letters:
            return ids(session, {JobPlace::dead_letter}, typed);
        case ValueSource::timers:
            return ids(session, {JobPlace::timer}, typed);
        case ValueSource::handler_types:
            return handler_types(session);
        case ValueSource::series:
            return series(session, typed);
        case ValueSource::groups:
            return groups(session);
        case ValueSource::causes:
            return causes(session);
        case ValueSource::calendars:
            return calendars(session);
        case ValueSource::nodes:
            return nodes(session);
        case ValueSource::instances:
            return instances(session, typed);
        case ValueSource::free_text:
        case ValueSource::words:
        case ValueSource::files:
        case ValueSource::nouns:
            break;
    }
    return {};
}

}  // namespace jobstrand::cli
