#pragma once

#include "executor/job_handler.hpp"

#include <functional>
#include <map>
#include <memory>
#include <shared_mutex>
#include <string>
#include <variant>
#include <vector>

namespace jobstrand::executor {

/// Which code runs which handler type. The types named here are the only ones that this node
/// acquires (I7). Who changes them while an executor runs tells it (AsyncExecutor::serve_anew).
///
/// Thread safety: safe.
class HandlerRegistry final {
public:
    using Handler = std::variant<JobHandler, TransactionalJobHandler, AsyncJobHandler>;

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
    void add_async(std::string handler_type, AsyncJobHandler handler);
    void add_async(std::string handler_type, AsyncJobHandler handler, Needs needs);

    /// Another handler for a type that is there: what begins from now on runs with it. Throws
    /// std::invalid_argument when there is no such type.
    void replace(const std::string& handler_type, Handler handler, Needs needs);

    /// Its runs that are under way go on. false: there is no such type.
    bool remove(const std::string& handler_type);

    /// What this node has for one job.
    struct Match {
        std::shared_ptr<const Handler> handler;  ///< See find().
        std::string lack;                        ///< See lacks().
    };

    /// Both with one look.
    [[nodiscard]] Match match(const schema::Job& job) const;

    /// nullptr: this node does not know the type. The handler stays as long as the caller needs it.
    [[nodiscard]] std::shared_ptr<const Handler> find(const std::string& handler_type) const;

    /// Returns the handler types in alphabetical order.
    [[nodiscard]] std::vector<std::string> types() const;

    /// Returns, in the same order, the types whose runs do not end with the return of the handler:
    /// they end in a transaction of their own, or when somebody says so.
    [[nodiscard]] std::vector<std::string> types_that_end_elsewhere() const;

    /// What this node has of all that jobs need, in alphabetical order.
    [[nodiscard]] std::vector<std::string> needs() const;

    /// What a job needs beside its handler, as it is stored in Job::needs; empty: nothing.
    [[nodiscard]] std::string need_of(const schema::Job& job) const;

    /// Returns what the job needs and this node lacks; empty: the job can run here.
    [[nodiscard]] std::string lacks(const schema::Job& job) const;

private:
    struct Entry {
        Handler handler;
        Needs needs = {};  ///< Without a function: none.

        [[nodiscard]] std::string need_of(const schema::Job& job) const;
        [[nodiscard]] std::string lacks(const schema::Job& job) const;
    };

    void insert(std::string handler_type, Entry entry);
    [[nodiscard]] std::shared_ptr<const Entry> entry_of(const std::string& handler_type) const;

    mutable std::shared_mutex mutex_;
    std::map<std::string, std::shared_ptr<const Entry>> entries_;  ///< Guarded by mutex_.
};

}  // namespace jobstrand::executor
