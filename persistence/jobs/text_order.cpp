#include "persistence/jobs/text_order.hpp"

#include "persistence/rows/job_table.hpp"

#include <algorithm>

namespace jobstrand::persistence {

using schema::Job;

std::size_t
store_anew(Transaction& transaction, std::vector<Job>& timers, schema::TimePoint until) {
    const auto first = std::ranges::stable_partition(timers, [until](const Job& timer) {
        return !timer.due_date || *timer.due_date <= until;
    });
    for (Job& later : first) {
        ++later.revision;
        update_row(transaction, schema::JobPlace::timer, later);
    }
    const std::size_t stored = first.size();
    timers.erase(first.begin(), first.end());
    return stored;
}

}  // namespace jobstrand::persistence
