#include "schema/ensure.hpp"
#include "tools/jobstrand/operations/nouns.hpp"

#include <algorithm>

namespace jobstrand::cli {

std::span<const OperationNoun> operation_nouns() {
    static const std::vector<OperationNoun> all{
        job_noun(),
        timer_noun(),
        series_noun(),
        calendar_noun(),
        dead_noun(),
        batch_noun(),
        limit_noun(),
        node_noun(),
        log_noun(),
        incident_noun(),
        audit_noun(),
    };
    return all;
}

const OperationNoun& operation_noun(std::string_view name) {
    const auto nouns = operation_nouns();
    const auto found = std::ranges::find(nouns, name, &OperationNoun::name);
    JOBSTRAND_ENSURE(found != nouns.end());
    return *found;
}

}  // namespace jobstrand::cli
