#include "executor/handler_registry.hpp"

#include "schema/limits.hpp"
#include "schema/text/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace jobstrand::executor {

void HandlerRegistry::add(std::string handler_type, JobHandler handler) {
    insert(std::move(handler_type), std::move(handler));
}

void HandlerRegistry::add(std::string handler_type, JobHandler handler, Needs needs) {
    insert(handler_type, std::move(handler));
    needs_.emplace(std::move(handler_type), std::move(needs));
}

void HandlerRegistry::add_transactional(std::string handler_type, TransactionalJobHandler handler) {
    insert(std::move(handler_type), std::move(handler));
}

const HandlerRegistry::Handler* HandlerRegistry::find(const std::string& handler_type) const {
    const auto found = handlers_.find(handler_type);
    return found == handlers_.end() ? nullptr : &found->second;
}

std::vector<std::string> HandlerRegistry::types() const {
    std::vector<std::string> types;
    types.reserve(handlers_.size());
    for (const auto& [type, handler] : handlers_) {
        types.push_back(type);
    }
    return types;
}

std::vector<std::string> HandlerRegistry::needs() const {
    std::vector<std::string> all;
    for (const auto& [type, needs] : needs_) {
        all.insert(all.end(), needs.here.begin(), needs.here.end());
    }
    std::ranges::sort(all);
    return all;
}

std::string HandlerRegistry::need_of(const schema::Job& job) const {
    const auto found = needs_.find(job.handler_type);
    // It comes out of a payload, so it may be anything.
    return found == needs_.end()
               ? std::string()
               : schema::first_characters(found->second.of(job), schema::limits::kNameLength);
}

std::string HandlerRegistry::lacks(const schema::Job& job) const {
    std::string need = need_of(job);
    if (!need.empty() && std::ranges::count(needs_.at(job.handler_type).here, need) > 0) {
        need.clear();
    }
    return need;
}

void HandlerRegistry::insert(std::string handler_type, Handler handler) {
    if (handler_type.empty() || handler_type.size() > schema::limits::kNameLength) {
        throw std::invalid_argument(
            fmt::format("a handler type has 1 to {} characters", schema::limits::kNameLength)
        );
    }
    const auto [place, inserted] =
        handlers_.try_emplace(std::move(handler_type), std::move(handler));
    if (!inserted) {
        throw std::invalid_argument(
            fmt::format("the handler type '{}' is registered already", place->first)
        );
    }
}

}  // namespace jobstrand::executor
