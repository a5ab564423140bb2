#pragma once

#include "persistence/database_url.hpp"
#include "persistence/job_listener.hpp"

namespace jobstrand::persistence {

/// Whether the URL leaves announcements on.
[[nodiscard]] bool announces_jobs(const DatabaseUrl& url);

/// Listens on a connection of its own. Throws DbError as open_postgresql does.
[[nodiscard]] std::unique_ptr<JobListener> listen_to_postgresql(const DatabaseUrl& url);

}  // namespace jobstrand::persistence
