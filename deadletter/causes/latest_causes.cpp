#include "deadletter/causes/latest_causes.hpp"

#include <algorithm>
#include <optional>
#include <vector>

namespace jobstrand::deadletter {

namespace {

constexpr std::size_t kPage = 500;

}  // namespace

CauseSummary latest_causes(persistence::OperatorStore& store, std::size_t most) {
    CauseTally tally;
    std::optional<persistence::DeadLetterMark> behind;
    for (std::size_t left = most; left > 0;) {
        const std::size_t wanted = std::min(left, kPage);
        const std::vector<schema::Job> page = store.newest_dead_letters({}, behind, wanted);
        for (const schema::Job& job : page) {
            tally.add(
                {.id = job.id,
                 .handler_type = job.handler_type,
                 .message = job.exception_message,
                 .failed_time = job.failed_time}
            );
        }
        if (page.size() < wanted) {
            break;
        }
        behind = {.failed_time = page.back().failed_time, .id = page.back().id};
        left -= page.size();
    }
    return tally.take();
}

}  // namespace jobstrand::deadletter
