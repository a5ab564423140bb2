#include "tools/access/seen_runs.hpp"

#include <utility>
#include <vector>

namespace jobstrand::service {

using persistence::EndedRun;

schema::Page<EndedRun>
SeenRuns::list(const persistence::EndedRunFilter& filter, std::string behind, std::size_t limit) {
    schema::Page<EndedRun> page;
    for (;;) {
        std::vector<EndedRun> runs = store_.ended_runs(filter, behind, limit + 1);
        const bool is_end = runs.size() <= limit;
        if (!runs.empty()) {
            behind = runs.back().id;
        }
        for (EndedRun& run : runs) {
            if (!is_seen(run)) {
                continue;
            }
            if (page.items.size() == limit) {
                page.has_more = true;
                return page;
            }
            page.items.push_back(std::move(run));
        }
        if (is_end) {
            return page;
        }
    }
}

std::optional<EndedRun> SeenRuns::last_of(const std::string& job) {
    auto page = list({.job = job}, {}, 1);
    return page.items.empty() ? std::nullopt : std::optional(std::move(page.items.front()));
}

bool SeenRuns::is_seen(const EndedRun& run) const {
    return scope_.serves(run.handler_type) && scope_.sees(run.tenant);
}

}  // namespace jobstrand::service
