#include "deadletter/admin/definition_admin.hpp"
#include "deadletter/bulk/bulk_pace.hpp"
#include "tools/engine/conversions.hpp"
#include "tools/engine/engine_parts.hpp"
#include "tools/engine/job_query_conversions.hpp"

// What the engine does with job definitions.
namespace jobstrand {

using engine::with_public_errors;

namespace {

constexpr const char* kOutside = "change definitions before or after it";

[[nodiscard]] deadletter::DefinitionAdmin admin_of(engine::Wiring& wiring) {
    return {wiring.definition_store(), wiring.store(), wiring.clock()};
}

}  // namespace

void Engine::set_definition(const JobDefinition& definition) {
    parts_->require_no_transaction(kOutside);
    const schema::JobDefinition ours = engine::definition_of(definition);
    with_public_errors([&] {
        admin_of(parts_->wiring())
            .set(
                ours.name,
                {.priority = ours.priority,
                 .retry_cycle = ours.retry_cycle,
                 .category = ours.category,
                 .exclusive = ours.exclusive,
                 .override_priority = ours.override_priority}
            );
    });
}

std::optional<JobDefinition> Engine::find_definition(std::string_view name) {
    const schema::JobDefinitionName ours = schema::job_definition_named(name);
    return with_public_errors([&]() -> std::optional<JobDefinition> {
        const auto found = admin_of(parts_->wiring()).find(ours);
        return found ? std::optional(engine::to_public(*found)) : std::nullopt;
    });
}

std::vector<JobDefinition> Engine::definitions(std::string_view after, std::size_t limit) {
    return with_public_errors([&] {
        const auto page =
            admin_of(parts_->wiring()).list({.after = std::string(after), .limit = limit});
        std::vector<JobDefinition> definitions;
        for (const schema::JobDefinition& definition : page.items) {
            definitions.push_back(engine::to_public(definition));
        }
        return definitions;
    });
}

bool Engine::remove_definition(std::string_view name) {
    parts_->require_no_transaction(kOutside);
    bool was_there = false;
    with_public_errors([&] {
        admin_of(parts_->wiring())
            .remove({std::string(name)}, {.on_item = [&](const deadletter::ItemResult& item) {
                        was_there = item.answer == deadletter::ItemAnswer::done;
                    }});
    });
    return was_there;
}

std::int64_t Engine::cascade_override(std::string_view name) {
    parts_->require_no_transaction(kOutside);
    const schema::JobDefinitionName ours = schema::job_definition_named(name);
    return with_public_errors([&]() -> std::int64_t {
        deadletter::DefinitionAdmin admin = admin_of(parts_->wiring());
        const auto found = admin.find(ours);
        deadletter::BulkRest rest(parts_->wiring().clock(), schema::sleep_for);
        const auto on_page = [&rest](const deadletter::BulkCounts& /*counts*/) {
            rest.take();
            return true;
        };
        return found ? admin.cascade(*found, {.on_page = on_page}).done : 0;
    });
}

}  // namespace jobstrand
