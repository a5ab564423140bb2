#include "deadletter/definition_admin.hpp"

#include <stdexcept>
#include <utility>

namespace jobstrand::deadletter {

namespace {

using schema::JobDefinition;
using schema::JobDefinitionName;

void carry_out(const DefinitionSettings& settings, JobDefinition& definition) {
    definition.priority = settings.priority.value_or(definition.priority);
    definition.retry_cycle = settings.retry_cycle.value_or(definition.retry_cycle);
    definition.category = settings.category.value_or(definition.category);
    definition.exclusive = settings.exclusive.value_or(definition.exclusive);
    definition.override_priority =
        settings.override_priority.value_or(definition.override_priority);
}

void refuse_mistakes(const JobDefinition& definition) {
    if (const std::string mistake = mistake_in(definition); !mistake.empty()) {
        throw std::invalid_argument(mistake);
    }
}

}  // namespace

schema::Page<JobDefinition> DefinitionAdmin::list(const DefinitionQuery& query) {
    const std::string behind =
        query.after.empty() ? "" : schema::id_of(schema::job_definition_named(query.after));
    return schema::first_page(query.limit, [&](std::size_t limit) {
        return store_.definitions(query.filter, behind, limit);
    });
}

std::optional<JobDefinition> DefinitionAdmin::find(const JobDefinitionName& name) {
    return store_.find_definition(name);
}

JobDefinition
DefinitionAdmin::set(const JobDefinitionName& name, const DefinitionSettings& settings) {
    return store_.change_definition(name, [&settings](JobDefinition& definition) {
        carry_out(settings, definition);
        refuse_mistakes(definition);
    });
}

persistence::JobFilter DefinitionAdmin::jobs_of(const JobDefinitionName& name) {
    persistence::JobFilter filter;
    const auto add = [&filter](std::string schema::Job::*member, const std::string& value) {
        if (!value.empty()) {
            filter.fields.push_back(persistence::equals(member, value));
        }
    };
    add(&schema::Job::process_definition_id, name.definition);
    add(&schema::Job::element_id, name.element);
    add(&schema::Job::handler_type, name.type);
    return filter;
}

std::int64_t DefinitionAdmin::count_jobs(const JobDefinitionName& name) {
    const persistence::JobFilter filter = jobs_of(name);
    std::int64_t count = 0;
    for (const schema::JobPlace place : schema::kJobPlaces) {
        count += jobs_.count(place, filter);
    }
    return count;
}

BulkCounts DefinitionAdmin::cascade(const JobDefinition& definition, const BulkWatch& watch) {
    BulkCounts counts;
    if (!definition.override_priority) {
        return counts;
    }
    counts.total = count_jobs(definition.name);
    std::optional<persistence::OverridePosition> position{std::in_place};
    bool goes_on = true;
    while (position && goes_on) {
        persistence::OverrideStep step = store_.override_priorities(
            definition.name, *definition.override_priority, *position, clock_.now()
        );
        counts.done += step.changed;
        position = std::move(step.next);
        goes_on = !watch.on_page || watch.on_page(counts);
    }
    return counts;
}

void DefinitionAdmin::remove(const std::vector<std::string>& names, const BulkWatch& watch) {
    const auto remove_one = [&](const std::string& name) {
        try {
            return store_.remove_definition(schema::job_definition_named(name));
        } catch (const std::invalid_argument&) {
            return false;  // No definition has such a name.
        }
    };
    change_those_there(names, remove_one, watch);
}

}  // namespace jobstrand::deadletter
