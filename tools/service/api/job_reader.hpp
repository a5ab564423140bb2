#pragma once

#include "executor/enqueue/new_job.hpp"
#include "schema/series/series.hpp"
#include "tools/service/api/api_parts.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::service {

/// A job that somebody wants to enqueue, and every mistake in it; empty: it can be.
struct ReadJob {
    executor::NewJob job;
    std::vector<std::string> problems;
};

/// Reads new jobs from JSON, as `job add --from` reads them, and checks them in the same way.
///
/// For one request or batch: what it asks the database (only for texts that may need a calendar) it
/// asks once. Throws DbError. Thread safety: none.
class JobReader final {
public:
    explicit JobReader(const ApiParts& parts) : parts_(parts) {}

    [[nodiscard]] ReadJob read(std::string_view json);

private:
    const schema::CalendarTexts& calendars();

    const ApiParts& parts_;
    std::optional<schema::CalendarTexts> calendars_;
};

}  // namespace jobstrand::service
