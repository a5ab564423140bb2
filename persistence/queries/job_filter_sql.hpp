#pragma once

#include "persistence/job_filter.hpp"
#include "persistence/sql/connection.hpp"
#include "schema/job.hpp"

#include <memory>
#include <string>
#include <vector>

namespace jobstrand::persistence {

/// A filter as the condition of a WHERE clause. The texts of the parameters are borrowed from the
/// filter, but for those in `texts`.
struct Condition {
    std::string sql;  ///< Always something: `1 = 1` for an empty filter.
    std::vector<Value> parameters;
    std::vector<std::shared_ptr<const std::string>> texts = {};
};

/// The condition without the ids, whose list has to be cut (see cut_id_list).
[[nodiscard]] Condition
condition_of(const JobFilter& filter, schema::JobPlace place, const Dialect& dialect);

}  // namespace jobstrand::persistence
