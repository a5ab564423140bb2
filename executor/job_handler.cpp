#include "executor/job_handler.hpp"

#include "executor/report/run_records.hpp"
#include "schema/limits.hpp"
#include "schema/text/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace jobstrand::executor {

RunningJob running_job_of(const schema::Job& job) {
    return {
        .id = job.id,
        .handler_type = job.handler_type,
        .payload = job.payload,
        .correlation_id = job.correlation_id,
        .trace_parent = job.trace_parent,
        .process_instance_id = job.process_instance_id,
        .root_process_instance_id = job.root_process_instance_id,
        .process_definition_id = job.process_definition_id,
        .execution_id = job.execution_id,
        .element_id = job.element_id,
        .element_name = job.element_name,
        .category = job.category,
        .tenant_id = job.tenant_id,
        .series = job.series,
        .exception_message = job.exception_message,
        .due_date = job.due_date,
        .create_time = job.create_time,
        .priority = job.priority,
        .retries = job.retries,
    };
}

void JobContext::progress(double part, std::string_view note) const {
    if (news != nullptr && run != nullptr) {
        news->progress(*run, part, note);
    }
}

void JobContext::log(std::string_view text) const {
    if (news != nullptr && run != nullptr) {
        news->log(*run, text);
    }
}

// It comes out of a payload, so it may be anything.
std::string HandlerRegistry::Entry::need_of(const schema::Job& job) const {
    return needs.of ? schema::first_characters(needs.of(job), schema::limits::kNameLength)
                    : std::string();
}

std::string HandlerRegistry::Entry::lacks(const schema::Job& job) const {
    std::string need = need_of(job);
    const bool is_here = std::ranges::count(needs.here, need) > 0;
    return is_here ? std::string() : need;
}

void HandlerRegistry::add(std::string handler_type, JobHandler handler) {
    insert(std::move(handler_type), {.handler = std::move(handler)});
}

void HandlerRegistry::add(std::string handler_type, JobHandler handler, Needs needs) {
    insert(std::move(handler_type), {.handler = std::move(handler), .needs = std::move(needs)});
}

void HandlerRegistry::add_transactional(std::string handler_type, TransactionalJobHandler handler) {
    insert(std::move(handler_type), {.handler = std::move(handler)});
}

void HandlerRegistry::add_async(std::string handler_type, AsyncJobHandler handler) {
    insert(std::move(handler_type), {.handler = std::move(handler)});
}

void HandlerRegistry::add_async(std::string handler_type, AsyncJobHandler handler, Needs needs) {
    insert(std::move(handler_type), {.handler = std::move(handler), .needs = std::move(needs)});
}

void HandlerRegistry::replace(const std::string& handler_type, Handler handler, Needs needs) {
    auto entry = std::make_shared<const Entry>(Entry{
        .handler = std::move(handler), .needs = std::move(needs)});
    const std::unique_lock lock(mutex_);
    const auto found = entries_.find(handler_type);
    if (found == entries_.end()) {
        throw std::invalid_argument(
            fmt::format("the handler type '{}' is not registered", handler_type)
        );
    }
    found->second = std::move(entry);
}

bool HandlerRegistry::remove(const std::string& handler_type) {
    const std::unique_lock lock(mutex_);
    return entries_.erase(handler_type) > 0;
}

HandlerRegistry::Match HandlerRegistry::match(const schema::Job& job) const {
    std::shared_ptr<const Entry> entry = entry_of(job.handler_type);
    if (entry == nullptr) {
        return {};
    }
    const Handler* const handler = &entry->handler;
    std::string lack = entry->lacks(job);
    return {.handler = {std::move(entry), handler}, .lack = std::move(lack)};
}

std::shared_ptr<const HandlerRegistry::Handler> HandlerRegistry::find(
    const std::string& handler_type
) const {
    std::shared_ptr<const Entry> entry = entry_of(handler_type);
    const Handler* handler = entry == nullptr ? nullptr : &entry->handler;
    return {std::move(entry), handler};
}

std::vector<std::string> HandlerRegistry::types() const {
    const std::shared_lock lock(mutex_);
    std::vector<std::string> types;
    types.reserve(entries_.size());
    for (const auto& [type, entry] : entries_) {
        types.push_back(type);
    }
    return types;
}

std::vector<std::string> HandlerRegistry::types_that_end_elsewhere() const {
    const std::shared_lock lock(mutex_);
    std::vector<std::string> types;
    for (const auto& [type, entry] : entries_) {
        if (!std::holds_alternative<JobHandler>(entry->handler)) {
            types.push_back(type);
        }
    }
    return types;
}

std::vector<std::string> HandlerRegistry::needs() const {
    const std::shared_lock lock(mutex_);
    std::vector<std::string> all;
    for (const auto& [type, entry] : entries_) {
        all.insert(all.end(), entry->needs.here.begin(), entry->needs.here.end());
    }
    std::ranges::sort(all);
    return all;
}

std::string HandlerRegistry::need_of(const schema::Job& job) const {
    const auto entry = entry_of(job.handler_type);
    return entry == nullptr ? std::string() : entry->need_of(job);
}

std::string HandlerRegistry::lacks(const schema::Job& job) const {
    const auto entry = entry_of(job.handler_type);
    return entry == nullptr ? std::string() : entry->lacks(job);
}

void HandlerRegistry::insert(std::string handler_type, Entry entry) {
    if (handler_type.empty() || handler_type.size() > schema::limits::kNameLength) {
        throw std::invalid_argument(
            fmt::format("a handler type has 1 to {} characters", schema::limits::kNameLength)
        );
    }
    const std::unique_lock lock(mutex_);
    const auto [place, inserted] = entries_.try_emplace(std::move(handler_type));
    if (!inserted) {
        throw std::invalid_argument(
            fmt::format("the handler type '{}' is registered already", place->first)
        );
    }
    place->second = std::make_shared<const Entry>(std::move(entry));
}

std::shared_ptr<const HandlerRegistry::Entry> HandlerRegistry::entry_of(
    const std::string& handler_type
) const {
    const std::shared_lock lock(mutex_);
    const auto found = entries_.find(handler_type);
    return found == entries_.end() ? nullptr : found->second;
}

}  // namespace jobstrand::executor
