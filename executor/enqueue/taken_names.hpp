#pragma once

#include "executor/enqueue/new_job.hpp"
#include "persistence/enqueuer_store.hpp"
#include "persistence/series_store.hpp"

#include <optional>
#include <string>
#include <unordered_set>

namespace jobstrand::executor {

/// What a new job wants and cannot have: its id, its unique key, or the key of its series.
struct TakenName {
    bool is_series = false;
    std::string name;
    std::string why = {};  ///< Of a unique key: one sentence that says who has it.
};

/// The ids and the keys of series that a list of new jobs uses up.
class NewNames final {
public:
    /// nullopt: the job's are new. Else what an earlier job of the list has.
    [[nodiscard]] std::optional<TakenName> add(const NewJob& job);

private:
    std::unordered_set<std::string> ids_;
    std::unordered_set<std::string> keys_;
};

/// After a duplicate key: what is stored already; nullopt: neither of the two.
[[nodiscard]] std::optional<TakenName> find_taken(
    persistence::EnqueuerStore& store,
    persistence::SeriesStore& series_store,
    const NewJob& job
);

}  // namespace jobstrand::executor
