#include "executor/handler_registry.hpp"

#include "schema/limits.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

namespace jobstrand::executor {

void HandlerRegistry::add(std::string handler_type, JobHandler handler) {
    insert(std::move(handler_type), std::move(handler));
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
