#pragma once

#include "persistence/sql/job_listener.hpp"
#include "persistence/url/database_url.hpp"

namespace jobstrand::persistence {

/// Whether the URL leaves announcements on.
[[nodiscard]] bool announces_jobs(const DatabaseUrl& url);

/// Listens on a connection of its own. Throws DbError as open_postgresql does.
[[nodiscard]] std::unique_ptr<JobListener> listen_to_postgresql(const DatabaseUrl& url);

}  // namespace jobstrand::persistence
