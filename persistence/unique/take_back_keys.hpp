#pragma once

#include "persistence/sql/transaction.hpp"
#include "schema/job.hpp"

#include <span>
#include <string>
#include <vector>

namespace jobstrand::persistence {

/// Gives dead letters that are about to be requeued their keys back, which they hold while they are
/// open, or for what is left of their period. Returns the ids of those whose key another job has by
/// now; they must stay where they are. The rows were read for update.
[[nodiscard]] std::vector<std::string> take_back_keys(
    Transaction& transaction,
    std::span<const schema::Job> dead_letters,
    schema::TimePoint now
);

}  // namespace jobstrand::persistence
