#include "schema/unique_key.hpp"

#include "schema/limits.hpp"
#include "schema/text/time_text.hpp"

#include <array>
#include <utility>

namespace jobstrand::schema {

namespace {

constexpr std::array kNames{
    std::pair{OnDuplicate::reject, std::string_view("reject")},
    std::pair{OnDuplicate::keep, std::string_view("keep")},
    std::pair{OnDuplicate::replace, std::string_view("replace")},
};

}  // namespace

std::string_view name_of(OnDuplicate on_duplicate) {
    return kNames.at(static_cast<std::size_t>(on_duplicate)).second;
}

std::optional<OnDuplicate> on_duplicate_named(std::string_view name) {
    for (const auto& [on_duplicate, known] : kNames) {
        if (known == name) {
            return on_duplicate;
        }
    }
    return std::nullopt;
}

std::string problem_of(const KeyRule& rule, std::string_view key) {
    if (key.empty() && rule != KeyRule{}) {
        return "onDuplicate and uniqueFor go with uniqueKey";
    }
    if (rule.period && (*rule.period < Duration{1} || *rule.period > limits::kUniquePeriod)) {
        return "uniqueFor must be 1 ms to P3660D";
    }
    return {};
}

bool holds_key(const KeyHolder& holder, TimePoint now) {
    return holder.until ? *holder.until > now : holder.state != HolderState::gone;
}

KeyDecision decide(const KeyHolder& holder, OnDuplicate on_duplicate, TimePoint now) {
    if (!holds_key(holder, now)) {
        return KeyDecision::take;
    }
    switch (on_duplicate) {
        case OnDuplicate::reject:
            return KeyDecision::refuse;
        case OnDuplicate::keep:
            return KeyDecision::keep;
        case OnDuplicate::replace:
            break;
    }
    return holder.state == HolderState::waiting ? KeyDecision::replace : KeyDecision::refuse;
}

std::string why_refused(std::string_view key, const KeyHolder& holder, OnDuplicate on_duplicate) {
    std::string why = "job " + holder.job + " has the unique key " + std::string(key);
    if (holder.until) {
        why += " until " + format_instant(*holder.until);
    }
    if (on_duplicate == OnDuplicate::replace) {
        why += holder.state == HolderState::gone
                   ? ", and has ended: there is nothing to be replaced"
                   : ", and is running or being changed: it cannot be replaced";
    }
    return why;
}

}  // namespace jobstrand::schema
