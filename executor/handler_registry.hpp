#pragma once

#include "executor/job_handler.hpp"

#include <functional>
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

    /// What jobs of one handler type need beside their handler (I7): a `command` job, for instance,
    /// that the node has its command.
    struct Needs {
        /// What a job needs; empty: nothing that any node could lack.
        std::function<std::string(const schema::Job&)> of;
        std::vector<std::string> here;  ///< What this node has of it.
    };

    /// Throws std::invalid_argument for an empty or over-long type, or one that is taken.
    void add(std::string handler_type, JobHandler handler);
    void add(std::string handler_type, JobHandler handler, Needs needs);
    void add_transactional(std::string handler_type, TransactionalJobHandler handler);

    /// nullptr: this node does not know the type.
    [[nodiscard]] const Handler* find(const std::string& handler_type) const;

    /// In alphabetical order.
    [[nodiscard]] std::vector<std::string> types() const;

    /// What this node has of all that jobs need, in alphabetical order.
    [[nodiscard]] std::vector<std::string> needs() const;

    /// What a job needs beside its handler, as it is stored in Job::needs; empty: nothing.
    [[nodiscard]] std::string need_of(const schema::Job& job) const;

    /// The same, if this node lacks it; empty: the job can run here.
    [[nodiscard]] std::string lacks(const schema::Job& job) const;

private:
    void insert(std::string handler_type, Handler handler);

    std::map<std::string, Handler> handlers_;
    std::map<std::string, Needs> needs_;  ///< By handler type.
};

}  // namespace jobstrand::executor
