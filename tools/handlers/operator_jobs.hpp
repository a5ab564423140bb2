#pragma once

#include "executor/job_handler.hpp"
#include "persistence/batch_store.hpp"
#include "persistence/operator_store.hpp"
#include "schema/clock.hpp"
#include "schema/job.hpp"
#include "schema/text/parsing.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace jobstrand::cli {

/// The handler type of jobs that carry batches out: each has the id of its batch. A node that dies
/// leaves it to the next one, which goes on behind the last page.
inline constexpr std::string_view kBatchType = "jobstrand-batch";

/// The job for a batch that is carried out in the background (R055: it has a priority too).
[[nodiscard]] schema::Job batch_job(std::int64_t priority);

/// Carries them out, page by page. It lets go between two pages when the node stops, and while a
/// batch with a rate has to wait, so that no thread waits with it. A batch that was paused,
/// cancelled or forgotten ends its job. Both must outlive the handler.
[[nodiscard]] executor::JobHandler
batch_handler(persistence::BatchStore& store, const schema::Clock& clock);

/// The handler type of jobs that suspend or activate something at their due date. As a job it
/// outlives every process, is carried out by one node, and is tried again when that fails.
inline constexpr std::string_view kSuspensionType = "jobstrand-suspension";

/// What such a job is to do.
struct SuspensionOrder {
    bool activate = false;
    persistence::SuspensionScope scope = persistence::SuspensionScope::instance;
    std::string id;

    bool operator==(const SuspensionOrder&) const = default;
};

[[nodiscard]] std::string payload_of(const SuspensionOrder& order);

/// The inverse.
[[nodiscard]] schema::ParseResult<SuspensionOrder> order_in(std::string_view payload);

/// Carries such jobs out. A job that runs twice does nothing the second time. Both must outlive it.
[[nodiscard]] executor::JobHandler
suspension_handler(persistence::OperatorStore& store, const schema::Clock& clock);

}  // namespace jobstrand::cli
