#pragma once

#include "executor/job_handler.hpp"
#include "persistence/operator_store.hpp"
#include "schema/clock.hpp"
#include "schema/text/parse_result.hpp"

#include <string>
#include <string_view>

namespace jobstrand::cli {

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
