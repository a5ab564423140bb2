#pragma once

#include "executor/acquisition_pace.hpp"
#include "executor/activity.hpp"
#include "executor/executor_settings.hpp"
#include "executor/job_intake.hpp"
#include "persistence/job_store.hpp"
#include "schema/clock.hpp"

#include <string>
#include <vector>

namespace jobstrand::executor {

/// Takes executable jobs from the table, as many as the queue has room for. In a backlog each page
/// begins behind the last one, so that the jobs that this node runs are not read again with every
/// page. After a page that is not full, and every sixteen pages, it begins with the oldest again:
/// jobs that were freed or committed late have older ids.
///
/// Thread safety: run_once() belongs to the loop's strand.
class JobAcquirer final : public Activity {
public:
    JobAcquirer(
        persistence::JobStore& store,
        JobIntake& intake,
        const schema::Clock& clock,
        std::vector<std::string> handler_types,
        const ExecutorSettings& settings
    );

    [[nodiscard]] std::string_view name() const noexcept override { return "job acquisition"; }
    [[nodiscard]] schema::Duration run_once() override;

private:
    void go_on_behind(const std::vector<schema::Job>& page, std::size_t limit);

    // Constant after construction.
    persistence::JobStore& store_;
    JobIntake& intake_;
    const schema::Clock& clock_;
    const std::vector<std::string> handler_types_;
    const std::size_t page_;
    const std::size_t least_room_;  ///< Fewer free places are not worth a transaction.
    const schema::Duration queue_full_wait_;

    // Touched only on the strand.
    AcquisitionPace pace_;
    std::string last_id_;  ///< The next page comes behind it; empty: from the oldest job on.
    int pages_ = 0;        ///< Since the oldest.
};

}  // namespace jobstrand::executor
