#pragma once

#include "persistence/operator_store.hpp"
#include "schema/time.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::deadletter {

/// Stands for what differs between two failures of one cause.
inline constexpr std::string_view kPlaceholder = "<*>";

/// Bytes of a pattern at most.
inline constexpr std::size_t kPatternBytes = 240;

/// What is the same in all messages that tell of one kind of failure: one line, in which quoted
/// texts, numbers, dates, addresses, UUIDs, other hexadecimal ids and long tokens are `<*>`.
///
///     order 17 of 'anna' was refused    ->    order <*> of <*> was refused
///
/// A number behind `code`, `status`, `http`, `error`, `errno`, `signal` or `sqlstate` stays, since
/// it says what went wrong: `failed with exit code 3`. Runs of blanks, line breaks and control
/// characters are one blank; what is not UTF-8 is `?`. Of a long message the beginning counts.
///
/// The pattern of a pattern is that pattern.
[[nodiscard]] std::string failure_pattern(std::string_view message);

/// The beginning of a text on one line, as failure_pattern() has it, with its numbers and all else
/// as they are.
[[nodiscard]] std::string on_one_clean_line(std::string_view text);

/// What dead letters died of, as far as their rows tell: two with one cause need one remedy.
struct FailureCause {
    std::string handler_type = {};
    /// See schema::error_class_of(), of the message on one line.
    std::string error_class = {};
    std::string message = {};  ///< failure_pattern() of the rest.

    bool operator==(const FailureCause&) const = default;
};

[[nodiscard]] FailureCause cause_of(std::string_view handler_type, std::string_view message);

/// 12 hexadecimal digits that name it: the same on every machine and whenever it is asked.
[[nodiscard]] std::string id_of(const FailureCause& cause);

/// Whether a text has the form of such an id.
[[nodiscard]] bool is_cause_id(std::string_view text);

/// Causes that are told apart at most. Who has more has messages that no pattern fits.
inline constexpr std::size_t kCausesKept = 1000;

/// The dead letters of one cause.
struct CauseGroup {
    std::string id = {};  ///< id_of(cause).
    FailureCause cause = {};
    std::int64_t jobs = 0;
    std::optional<schema::TimePoint> first_failed = {};  ///< nullopt: none of them says when.
    std::optional<schema::TimePoint> last_failed = {};
    std::string example = {};  ///< The id of the one that failed last, as far as they say.
    std::optional<std::size_t> looked_at = {};  ///< See CauseSummary.
};

/// Dead letters by cause.
struct CauseSummary {
    std::vector<CauseGroup> groups;  ///< The largest first.
    std::int64_t others = 0;         ///< Dead letters of causes beyond the bound.
    /// How many of the latest dead letters were examined; nullopt: all.
    std::optional<std::size_t> looked_at = {};
};

/// Sorts dead letters by their causes, however many there are.
class CauseTally final {
public:
    void add(const persistence::DeadLetterFailure& failure);

    /// Ends the tally.
    [[nodiscard]] CauseSummary take();

private:
    std::map<std::string, CauseGroup, std::less<>> groups_;
    std::int64_t others_ = 0;
};

/// Groups by cause those of the latest `most` dead letters that the filter matches. Throws DbError.
[[nodiscard]] CauseSummary latest_causes(
    persistence::OperatorStore& store,
    std::size_t most,
    persistence::JobFilter filter = {}
);

}  // namespace jobstrand::deadletter
