#pragma once

#include "executor/workers/worker_broker.hpp"
#include "schema/history/run_news.hpp"
#include "tools/service/workers/request_members.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Reads the bodies of `/api/v1/external-jobs/...`. What cannot be meant so is
/// std::invalid_argument, whose text names it; members that are not known are refused.
namespace jobstrand::service {

/// `{"worker", "topics", "lockDuration", "jobs", "tenantId", "wait"}`.
struct WorkOrder {
    executor::AcquireOrder order;
    schema::Duration wait{0};
};
[[nodiscard]] WorkOrder work_order_in(std::string_view json);

/// A result that cannot be meant so.
struct RefusedResult {
    std::string id;  ///< Empty: it names no job.
    std::string why;
};

/// `{"worker", "results"}`; borrows the text.
struct WorkReport {
    std::string worker;
    std::vector<executor::WorkResult> results;
    std::vector<RefusedResult> refused;  ///< They keep no other from counting.
};

/// A result is `{"id", "revision", "outcome", ...}`:
///
/// | outcome               | also takes                                      |
/// |-----------------------|-------------------------------------------------|
/// | `complete`, or absent | `variables`, an object: handed on with them     |
/// | `error`               | `errorCode`, `message`, `variables`: handed on  |
/// | `fail`                | `message`, `details`, `retries`, `retryAfter`   |
///
/// std::invalid_argument only when all of them are refused: it names the first.
[[nodiscard]] WorkReport work_report_in(std::string_view json);

/// `{"worker", "jobs", "lockDuration"}`, the jobs as `{"id", "revision"}`.
struct HeldOrder {
    std::string worker;
    std::vector<persistence::HeldJob> jobs;
    schema::Duration lock{0};  ///< 0: none was given.
};
[[nodiscard]] HeldOrder held_order_in(std::string_view json);

/// `{"worker", "jobs"}`, the jobs as `{"id", "revision", "progress", "note", "lines"}`. The news of
/// a job that tells nothing are nullopt.
struct NewsOrder {
    std::string worker;
    std::vector<persistence::HeldJob> jobs;
    std::vector<std::optional<schema::RunNews>> news;
};
[[nodiscard]] NewsOrder news_order_in(std::string_view json);

}  // namespace jobstrand::service
