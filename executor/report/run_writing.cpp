#include "executor/report/run_writing.hpp"

#include "persistence/sql/db_error.hpp"

#include <chrono>
#include <utility>
#include <vector>

namespace jobstrand::executor {

namespace {

/// Between two transactions.
constexpr schema::Duration kWriteInterval = std::chrono::seconds(1);

}  // namespace

schema::Duration RunWriting::run_once() {
    const schema::SteadyPoint now = clock_.steady_now();
    if (now < next_) {
        return std::chrono::ceil<schema::Duration>(next_ - now);
    }
    if (write()) {
        next_ = now + kWriteInterval;
    }
    return kUntilWoken;
}

bool RunWriting::write() {
    const std::vector<persistence::EndedRun> runs = runs_.take();
    if (runs.empty()) {
        return false;
    }
    try {
        store_.add_runs(runs);
    } catch (const persistence::DbError&) {
        dropped_ += runs.size();
        throw;
    }
    if (const std::size_t dropped = std::exchange(dropped_, 0); dropped > 0) {
        log_.write(
            schema::LogLevel::warn,
            "runs that ended while the database took none are missing among the last ones",
            {{"runs", dropped}}
        );
    }
    return true;
}

}  // namespace jobstrand::executor
