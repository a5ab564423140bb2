#include "persistence/shared/execution_counts.hpp"

#include "persistence/shared/engine_columns.hpp"
#include "persistence/sql/dialect.hpp"
#include "persistence/sql/id_lists.hpp"

#include <cstddef>
#include <string_view>

namespace jobstrand::persistence {

namespace {

using schema::JobPlace;

// In the order of the places. An execution that does not count is left alone.
constexpr std::string_view kCount = R"sql(
    UPDATE ACT_RU_EXECUTION
    SET REV_ = REV_ + 1,
        JOB_COUNT_ = JOB_COUNT_ + ?,
        TIMER_JOB_COUNT_ = TIMER_JOB_COUNT_ + ?,
        SUSP_JOB_COUNT_ = SUSP_JOB_COUNT_ + ?,
        DEADLETTER_JOB_COUNT_ = DEADLETTER_JOB_COUNT_ + ?,
        EXTERNAL_WORKER_JOB_COUNT_ = EXTERNAL_WORKER_JOB_COUNT_ + ?
    WHERE IS_COUNT_ENABLED_ = ? AND ID_ IN (...))sql";

static_assert(static_cast<int>(JobPlace::executable) == 0);
static_assert(static_cast<int>(JobPlace::timer) == 1);
static_assert(static_cast<int>(JobPlace::suspended) == 2);
static_assert(static_cast<int>(JobPlace::dead_letter) == 3);
static_assert(static_cast<int>(JobPlace::external_worker) == 4);

}  // namespace

void ExecutionCounts::note(JobPlace place, const schema::Job& job, std::int64_t change) {
    if (!job.execution_id.empty() && is_of_engine(job, transaction_.dialect())) {
        by_execution_[job.execution_id].at(static_cast<std::size_t>(place)) += change;
    }
}

void ExecutionCounts::write() {
    // Nearly always all of a page go the same way.
    std::map<Changes, std::vector<std::string_view>> alike;
    for (const auto& [execution, changes] : by_execution_) {
        alike[changes].emplace_back(execution);
    }
    for (const auto& [changes, executions] : alike) {
        std::vector<Value> before(changes.begin(), changes.end());
        before.emplace_back(true);
        const IdListParameters parameters{.before = std::move(before), .ids = executions};
        execute_for_ids(transaction_, kCount, parameters);
    }
    by_execution_.clear();
}

}  // namespace jobstrand::persistence
