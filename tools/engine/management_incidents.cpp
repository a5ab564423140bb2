#include "tools/engine/management_desks.hpp"

namespace jobstrand {

using engine::with_public_errors;

std::vector<Incident>
Management::incidents(const IncidentQuery& query, const std::string& behind, std::size_t limit) {
    return with_public_errors([&] {
        const auto page = desks_->history().incidents(
            {.is_open = query.is_open,
             .job = query.job,
             .handler_type = query.handler_type,
             .definition = query.process_definition_id,
             .instance = query.process_instance_id,
             .tenant = query.tenant_id},
            behind,
            limit
        );
        std::vector<Incident> incidents;
        for (const persistence::Incident& incident : page.items) {
            incidents.push_back(engine::face_of(incident));
        }
        return incidents;
    });
}

ChangeAnswer Management::annotate_incident(const std::string& job, const std::string& text) {
    return desks_->change([&] {
        return engine::answer_of([&](const deadletter::BulkWatch& watch) {
            desks_->history().annotate({job}, text, watch);
        });
    });
}

ChangeAnswer Management::resolve_incident(const std::string& job) {
    return desks_->change([&] {
        return engine::answer_of([&](const deadletter::BulkWatch& watch) {
            desks_->history().resolve({job}, watch);
        });
    });
}

}  // namespace jobstrand
