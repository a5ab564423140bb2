#include "executor/enqueue/definition_use.hpp"

#include "persistence/sql/sql_transaction.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace jobstrand::executor {

namespace {

using schema::Job;
using schema::JobDefinitionName;

JobDefinitionName name_of_kind(const Job& job) {
    return {
        .definition = job.process_definition_id,
        .element = job.element_id,
        .type = job.handler_type,
    };
}

}  // namespace

persistence::KnownDefinitions
DefinitionUse::of(persistence::Transaction* transaction, std::span<const Job> jobs) {
    static const auto kNone = std::make_shared<const schema::JobDefinitions>();
    const bool is_any = std::ranges::any_of(jobs, [](const Job& job) {
        return !job.process_definition_id.empty();
    });
    if (!is_any) {
        return kNone;
    }
    if (records_) {
        record(transaction, jobs);
    }
    return store_.known_definitions(transaction, clock_.steady_now());
}

void DefinitionUse::record(persistence::Transaction* transaction, std::span<const Job> jobs) {
    std::vector<JobDefinitionName> names = unseen(jobs);
    if (names.empty()) {
        return;
    }
    store_.record_definitions(transaction, names);
    if (transaction == nullptr) {
        remember(names);
    } else {
        transaction->on_commit([this, names = std::move(names)] { remember(names); });
    }
}

std::vector<JobDefinitionName> DefinitionUse::unseen(std::span<const Job> jobs) {
    std::vector<JobDefinitionName> names;
    std::set<std::string> new_ones;
    const std::lock_guard lock(mutex_);
    for (const Job& job : jobs) {
        JobDefinitionName name = name_of_kind(job);
        const bool has_room = seen_.size() + new_ones.size() < schema::kMostJobDefinitions;
        if (!has_room || !schema::can_be_named(name)) {
            continue;
        }
        std::string id = schema::id_of(name);
        if (!seen_.contains(id) && new_ones.insert(std::move(id)).second) {
            names.push_back(std::move(name));
        }
    }
    return names;
}

void DefinitionUse::remember(const std::vector<JobDefinitionName>& names) {
    const std::lock_guard lock(mutex_);
    for (const JobDefinitionName& name : names) {
        seen_.insert(schema::id_of(name));
    }
}

}  // namespace jobstrand::executor
