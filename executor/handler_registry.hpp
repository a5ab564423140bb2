#pragma once

#include "executor/job_handler.hpp"

#include <map>
#include <string>
#include <variant>
#include <vector>

namespace jobstrand::executor {

/// Which code runs which handler type. Filled before the executor starts, and not changed while it
/// runs. The types named here are the only ones that this node acquires (I7).
///
/// Thread safety: safe to read from all threads once it is filled.
class HandlerRegistry final {
public:
    using Handler = std::variant<JobHandler, TransactionalJobHandler>;

    /// Throws std::invalid_argument for an empty or over-long type, or one that is taken.
    void add(std::string handler_type, JobHandler handler);
    void add_transactional(std::string handler_type, TransactionalJobHandler handler);

    /// nullptr: this node does not know the type.
    [[nodiscard]] const Handler* find(const std::string& handler_type) const;

    /// In alphabetical order.
    [[nodiscard]] std::vector<std::string> types() const;

private:
    void insert(std::string handler_type, Handler handler);

    std::map<std::string, Handler> handlers_;
};

}  // namespace jobstrand::executor
