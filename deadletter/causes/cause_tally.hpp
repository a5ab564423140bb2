#pragma once

#include "deadletter/causes/failure_cause.hpp"
#include "persistence/operator_store.hpp"
#include "schema/time.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace jobstrand::deadletter {

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
