#pragma once

#include "schema/time.hpp"

#include <jobstrand/job.hpp>

#include <optional>
#include <string>
#include <string_view>

/// Which new jobs are added although another has their unique key. Pure.
///
/// A key is held by one job: while that job is open, which is until it ends or becomes a dead
/// letter, or for a period, whatever becomes of the job. Keys are compared exactly, and all tenants
/// share them.
namespace jobstrand::schema {

using jobstrand::OnDuplicate;

/// reject, keep, replace: in options and JSON.
[[nodiscard]] std::string_view name_of(OnDuplicate on_duplicate);
[[nodiscard]] std::optional<OnDuplicate> on_duplicate_named(std::string_view name);

/// How a new job wants its key.
struct KeyRule {
    OnDuplicate on_duplicate = OnDuplicate::reject;
    std::optional<Duration> period = {};  ///< nullopt: while the job is open.

    bool operator==(const KeyRule&) const = default;
};

/// What is wrong with the rule of a job with this key (empty: without one); empty: nothing. A
/// period is 1 ms to limits::kUniquePeriod, and a rule goes with a key.
[[nodiscard]] std::string problem_of(const KeyRule& rule, std::string_view key);

using jobstrand::Enqueued;

/// What the job that has a key is doing.
enum class HolderState {
    gone,     ///< It has ended, or is a dead letter.
    waiting,  ///< It can make room.
    busy,     ///< Somebody runs it or works on it, or a series needs it.
};

struct KeyHolder {
    std::string job;
    std::optional<TimePoint> until = {};  ///< nullopt: while the job is open.
    HolderState state = HolderState::gone;
};

/// Whether the key is not free at that time.
[[nodiscard]] bool holds_key(const KeyHolder& holder, TimePoint now);

/// What happens to a new job whose key has, or had, a holder.
enum class KeyDecision {
    take,     ///< It is added: the key was free after all.
    keep,     ///< It is not: see OnDuplicate::keep.
    replace,  ///< It is added, and the holder is deleted.
    refuse,   ///< An error.
};

[[nodiscard]] KeyDecision decide(const KeyHolder& holder, OnDuplicate on_duplicate, TimePoint now);

/// Why it was refused: one sentence that names the key and its holder.
[[nodiscard]] std::string
why_refused(std::string_view key, const KeyHolder& holder, OnDuplicate on_duplicate);

}  // namespace jobstrand::schema
