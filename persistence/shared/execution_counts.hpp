#pragma once

#include "persistence/sql/sql_transaction.hpp"
#include "schema/job.hpp"
#include "schema/job_place.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace jobstrand::persistence {

/// What Flowable counts in ACT_RU_EXECUTION: how many jobs of an execution stand in each place. Its
/// engine deletes an execution without looking for jobs where a count is 0, and then fails on their
/// foreign keys; so whoever moves or deletes a job of an execution writes the counts in the same
/// transaction, and raises the revision, so that an engine that has read the row begins again.
///
/// Nothing is noted for jobs of ours, which have no execution there, nor where tables are not
/// shared.
class ExecutionCounts final {
public:
    explicit ExecutionCounts(Transaction& transaction) : transaction_(transaction) {}

    void enters(schema::JobPlace place, const schema::Job& job) { note(place, job, 1); }
    void leaves(schema::JobPlace place, const schema::Job& job) { note(place, job, -1); }

    /// Before the rows: an insert of a job locks its execution for sharing.
    void write();

private:
    using Changes = std::array<std::int64_t, 5>;  ///< By place.

    void note(schema::JobPlace place, const schema::Job& job, std::int64_t change);

    Transaction& transaction_;
    std::map<std::string, Changes> by_execution_;
};

}  // namespace jobstrand::persistence
