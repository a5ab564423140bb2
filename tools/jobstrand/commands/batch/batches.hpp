#pragma once

#include "tools/jobstrand/exit_code.hpp"
#include "tools/jobstrand/session.hpp"

#include <string>
#include <vector>

namespace jobstrand::cli {

struct BatchListOptions {
    std::string limit = "100";
    std::string after;
};

/// `batch ls`: bulk operations that are written down, the latest first.
[[nodiscard]] ExitCode list_batches(Session& session, const BatchListOptions& options);

struct BatchOptions {
    std::string id;
    bool in_background = false;  ///< Of `batch resume`: a node goes on with it.
};

[[nodiscard]] ExitCode show_batch(Session& session, const BatchOptions& options);

/// `batch resume`: goes on with a batch that was paused, or that nobody carries out any more.
[[nodiscard]] ExitCode resume_batch(Session& session, const BatchOptions& options);

/// `batch pause`, `batch cancel`: whoever carries it out stops behind the page that he has in hand.
[[nodiscard]] ExitCode pause_batch(Session& session, const BatchOptions& options);
[[nodiscard]] ExitCode cancel_batch(Session& session, const BatchOptions& options);

struct BatchRemoveOptions {
    std::vector<std::string> ids;
};

/// `batch rm`: forgets batches that are not running.
[[nodiscard]] ExitCode remove_batches(Session& session, const BatchRemoveOptions& options);

}  // namespace jobstrand::cli
