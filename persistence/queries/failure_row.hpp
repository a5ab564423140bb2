#pragma once

#include "persistence/operator_store.hpp"
#include "persistence/rows/readable_columns.hpp"
#include "persistence/sql/connection.hpp"

#include <string>
#include <string_view>

namespace jobstrand::persistence {

inline constexpr std::string_view kFailureColumns =
    "ID_, HANDLER_TYPE_, EXCEPTION_MSG_, FAILED_TIME_";

/// Of a row with these columns. An odd time of somebody else's SQL is none: the message counts.
[[nodiscard]] inline DeadLetterFailure failure_in(const Row& row) {
    return {
        .id = std::string(row.text(0)),
        .handler_type = std::string(row.text(1)),
        .message = std::string(row.text(2)),
        .failed_time = time_if_readable(row, 3),
    };
}

}  // namespace jobstrand::persistence
