#pragma once

#include "schema/time.hpp"

#include <optional>
#include <string>
#include <vector>

namespace jobstrand::persistence {

/// Which jobs an operator means. Set fields must all match; nothing set matches every job.
struct JobFilter {
    std::vector<std::string> ids = {};
    std::string handler_type = {};
    std::string process_instance_id = {};
    std::string process_definition_id = {};
    std::string element_id = {};
    std::string category = {};
    std::string tenant_id = {};
    std::string correlation_id = {};
    std::string error = {};  ///< Part of the exception message; case counts.
    std::optional<schema::TimePoint> created_before = {};
    std::optional<schema::TimePoint> created_after = {};
    std::optional<schema::TimePoint> due_before = {};
    std::optional<schema::TimePoint> due_after = {};
    std::optional<bool> locked =
        {};  ///< Only in places that have locks; elsewhere nothing is locked.

    [[nodiscard]] bool is_empty() const { return *this == JobFilter{}; }
    bool operator==(const JobFilter&) const = default;
};

}  // namespace jobstrand::persistence
