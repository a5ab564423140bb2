#include "schema/concurrency.hpp"

#include "schema/text/column_text.hpp"
#include "schema/text/time_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace jobstrand::schema {

namespace {

std::string_view without_blanks_behind(std::string_view text) {
    return text.substr(0, text.find_last_not_of(' ') + 1);
}

}  // namespace

std::string_view exclusive_group(const Job& job, ExclusiveOver over) {
    if (!job.exclusive) {
        return {};
    }
    const bool is_under_root =
        over == ExclusiveOver::hierarchy && !job.root_process_instance_id.empty();
    const std::string_view group =
        is_under_root ? job.root_process_instance_id : job.process_instance_id;
    return without_blanks_behind(group);
}

bool may_exclude(const Job& job) {
    return !exclusive_group(job, ExclusiveOver::instance).empty() ||
           !exclusive_group(job, ExclusiveOver::hierarchy).empty();
}

std::int64_t may_claim_of_group(std::int64_t claimed, std::int64_t wanted) {
    return std::clamp<std::int64_t>(kMostClaimedOfGroup - claimed, 0, wanted);
}

namespace {

using std::chrono::microseconds;

constexpr Duration kShortestRatePeriod = std::chrono::seconds(1);

/// Who waits for starts of a fast rate waits for this part of those that may come at once.
constexpr std::int64_t kPartOfBurst = 2;

std::int64_t burst_of(const StartRate& rate) {
    return std::max(rate.starts / 10, 1);
}

/// Starts of a period that come one by one: with those that may come at once before them, and with
/// both ends of the period met by one, they are what the rate allows.
std::int64_t even_starts_of(const StartRate& rate) {
    return rate.starts - burst_of(rate) + 1;
}

std::int64_t period_of(const StartRate& rate) {
    return microseconds(rate.period).count();
}

/// How far ahead of now the rate is used up.
microseconds lead_of(const StartRate& rate, std::optional<UsedUntil> used_until, TimePoint now) {
    if (!used_until || *used_until <= now || *used_until - now > rate.period) {
        return microseconds{0};
    }
    return *used_until - now;
}

/// The time that so many starts use up, rounded against them.
microseconds time_of(const StartRate& rate, std::int64_t starts) {
    const std::int64_t even = even_starts_of(rate);
    return microseconds((starts * period_of(rate) + even - 1) / even);
}

ParseError rate_error(std::string message, std::size_t position = 0) {
    return {.message = std::move(message), .position = position};
}

}  // namespace

std::string text_of(const StartRate& rate) {
    return std::to_string(rate.starts) + "/" + format_duration(rate.period);
}

ParseResult<StartRate> parse_start_rate(std::string_view text) {
    const std::size_t slash = text.find('/');
    if (slash == std::string_view::npos) {
        return rate_error("a rate is written STARTS/PERIOD, as in 100/PT1M");
    }
    StartRate rate;
    const char* const end = text.data() + slash;
    const auto [read, error] = std::from_chars(text.data(), end, rate.starts);
    if (error != std::errc() || read != end || rate.starts < 1 || rate.starts > kMostStarts) {
        return rate_error("the starts of a rate must be 1 to " + std::to_string(kMostStarts));
    }
    const ParseResult<Duration> period = parse_duration(text.substr(slash + 1));
    if (!period) {
        return rate_error(period.error().message, slash + 1 + period.error().position);
    }
    rate.period = period.value();
    if (rate.period < kShortestRatePeriod || rate.period > kLongestRatePeriod) {
        return rate_error("the period of a rate must be PT1S to P1D", slash + 1);
    }
    return rate;
}

std::int64_t
starts_left(const StartRate& rate, std::optional<UsedUntil> used_until, TimePoint now) {
    // A microsecond that rounding has added holds nobody up.
    const microseconds lead =
        std::max(lead_of(rate, used_until, now) - microseconds{1}, microseconds{0});
    const std::int64_t used = lead.count() * even_starts_of(rate);
    const std::int64_t all = burst_of(rate) * period_of(rate);
    return std::max<std::int64_t>((all - used) / period_of(rate), 0);
}

UsedUntil used_after(
    const StartRate& rate,
    std::optional<UsedUntil> used_until,
    TimePoint now,
    std::int64_t starts
) {
    return now + lead_of(rate, used_until, now) + time_of(rate, starts);
}

Duration
until_next_starts(const StartRate& rate, std::optional<UsedUntil> used_until, TimePoint now) {
    const std::int64_t burst = burst_of(rate);
    const std::int64_t wanted = std::max<std::int64_t>(burst / kPartOfBurst, 1);
    const std::int64_t even = even_starts_of(rate);
    // The lead at which so many are left.
    const microseconds enough((burst - wanted) * period_of(rate) / even);
    const microseconds wait = lead_of(rate, used_until, now) - enough;
    return std::max(std::chrono::ceil<Duration>(wait), Duration{0});
}

namespace {

constexpr std::size_t kMostNameBytes = 64;
constexpr std::size_t kMostValue = 255;
constexpr std::size_t kPartOfLongValue = 32;

struct KindRow {
    LimitKind kind;
    std::string_view name;
    std::string Job::*field;
};

constexpr std::array<KindRow, 4> kKinds{{
    {LimitKind::type, "type", &Job::handler_type},
    {LimitKind::definition, "definition", &Job::process_definition_id},
    {LimitKind::tenant, "tenant", &Job::tenant_id},
    {LimitKind::category, "category", &Job::category},
}};

std::string_view name_of_kind(LimitKind kind) {
    return std::ranges::find(kKinds, kind, &KindRow::kind)->name;
}

/// Cut where a character begins.
std::string_view part_of(std::string_view text, std::size_t bytes) {
    while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xc0U) == 0x80U) {
        --bytes;
    }
    return text.substr(0, bytes);
}

std::string mistake_in_number(const std::optional<int>& number, std::string_view name) {
    if (!number || (*number >= 0 && *number <= kMostConcurrent)) {
        return {};
    }
    return std::string(name) + " must be between 0 and " + std::to_string(kMostConcurrent);
}

/// Its text says it: what can be written can be had.
std::string mistake_in_rate(const std::optional<StartRate>& rate) {
    const auto read = rate ? parse_start_rate(text_of(*rate)) : StartRate{};
    return read ? "" : read.error().message;
}

}  // namespace

std::string name_of(const JobLimit& limit) {
    return std::string(name_of_kind(limit.kind)) + ":" + limit.value;
}

JobLimit limit_named(std::string_view name) {
    const std::size_t colon = name.find(':');
    const auto kind = std::ranges::find(kKinds, name.substr(0, colon), &KindRow::name);
    if (colon == std::string_view::npos || kind == kKinds.end()) {
        throw std::invalid_argument(
            "a limit is named KIND:VALUE, KIND being type, definition, tenant or category"
        );
    }
    const std::string_view value = without_blanks_behind(name.substr(colon + 1));
    if (value.empty() || value.size() > kMostValue) {
        throw std::invalid_argument(
            "the value behind the colon of a limit's name must have 1 to " +
            std::to_string(kMostValue) + " bytes; * stands for each value by itself"
        );
    }
    return {.kind = kind->kind, .value = std::string(value)};
}

std::string mistake_in(const JobLimit& limit) {
    if (!limit.concurrent && !limit.per_node && !limit.rate) {
        return "a limit needs a number: concurrent, perNode, rate, or several of them";
    }
    for (const std::string& mistake :
         {mistake_in_number(limit.concurrent, "concurrent"),
          mistake_in_number(limit.per_node, "perNode"),
          mistake_in_rate(limit.rate)}) {
        if (!mistake.empty()) {
            return mistake;
        }
    }
    return {};
}

std::string group_name(LimitKind kind, std::string_view value) {
    value = without_blanks_behind(value);
    if (value.empty()) {
        return {};
    }
    std::string name(name_of_kind(kind));
    name += ':';
    if (name.size() + value.size() <= kMostNameBytes) {
        return name += value;
    }
    return (name += part_of(value, kPartOfLongValue)) += "#" + digest_of(value);
}

bool is_of_kind(std::string_view group, LimitKind kind) {
    return group.substr(0, group.find(':')) == name_of_kind(kind);
}

JobLimits::JobLimits(std::span<const JobLimit> limits) {
    for (const JobLimit& limit : limits) {
        by_name_.emplace(group_name(limit.kind, limit.value), limit);
        have_rates_ = have_rates_ || limit.rate;
    }
}

const JobLimit* JobLimits::limit_of(std::string_view group) const {
    if (const auto own = by_name_.find(group); own != by_name_.end()) {
        return &own->second;
    }
    std::string each(group.substr(0, group.find(':') + 1));
    const auto found = by_name_.find(each += kEachValue);
    return found == by_name_.end() ? nullptr : &found->second;
}

LimitedGroup JobLimits::group(std::string_view name) const {
    LimitedGroup group{.name = std::string(name)};
    if (const JobLimit* const limit = limit_of(name)) {
        group.concurrent = limit->concurrent;
        group.per_node = limit->per_node;
        group.rate = limit->rate;
    }
    return group;
}

std::vector<LimitedGroup> JobLimits::groups_of(const Job& job) const {
    std::vector<LimitedGroup> groups;
    if (are_none()) {
        return groups;
    }
    for (const KindRow& row : kKinds) {
        const std::string name = group_name(row.kind, job.*row.field);
        if (!name.empty() && limit_of(name) != nullptr) {
            groups.push_back(group(name));
        }
    }
    return groups;
}

bool JobLimits::meets(const Job& job) const {
    return !are_none() && !groups_of(job).empty();
}

std::int64_t room_in(const LimitedGroup& group, const GroupLoad& load, TimePoint now) {
    std::int64_t room = std::numeric_limits<std::int64_t>::max();
    if (group.concurrent) {
        room = std::min(room, *group.concurrent - load.running);
    }
    if (group.per_node) {
        room = std::min(room, *group.per_node - load.here);
    }
    if (group.rate) {
        room = std::min(room, starts_left(*group.rate, load.used_until, now));
    }
    return std::max<std::int64_t>(room, 0);
}

}  // namespace jobstrand::schema
