#include "tools/operations/nouns.hpp"

namespace jobstrand::cli {

std::span<const OperationNoun> operation_nouns() {
    static const std::vector<OperationNoun> all{
        serve_verb(),    demo_verb(),       schema_noun(),   job_noun(),   timer_noun(),
        series_noun(),   group_noun(),      calendar_noun(), dead_noun(),  batch_noun(),
        instance_noun(), definition_noun(), tenant_noun(),   limit_noun(), lock_noun(),
        node_noun(),     type_noun(),       rate_noun(),     log_noun(),   incident_noun(),
        audit_noun(),    token_noun(),      stats_verb(),    top_verb(),   doctor_verb(),
        config_noun(),   completion_noun(), manual_verb(),
    };
    return all;
}

}  // namespace jobstrand::cli
