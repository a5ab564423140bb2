#include "schema/exclusive_group.hpp"

#include <algorithm>

namespace jobstrand::schema {

std::string_view exclusive_group(const Job& job, ExclusiveOver over) {
    if (!job.exclusive) {
        return {};
    }
    const bool is_under_root =
        over == ExclusiveOver::hierarchy && !job.root_process_instance_id.empty();
    const std::string_view group =
        is_under_root ? job.root_process_instance_id : job.process_instance_id;
    return group.substr(0, group.find_last_not_of(' ') + 1);
}

bool may_exclude(const Job& job) {
    return !exclusive_group(job, ExclusiveOver::instance).empty() ||
           !exclusive_group(job, ExclusiveOver::hierarchy).empty();
}

std::int64_t may_claim_of_group(std::int64_t claimed, std::int64_t wanted) {
    return std::clamp<std::int64_t>(kMostClaimedOfGroup - claimed, 0, wanted);
}

}  // namespace jobstrand::schema
