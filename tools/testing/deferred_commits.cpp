#include "tools/testing/deferred_commits.hpp"

#include "persistence/sql/connection.hpp"
#include "persistence/sql/db_error.hpp"

#include <memory>
#include <utility>

namespace jobstrand::test_kit {

using persistence::Connection;
using persistence::DbError;

/// A connection whose transactions, but for the first, are savepoints while commits wait.
class DeferredCommits::Decorated final : public Connection {
public:
    Decorated(DeferredCommits& commits, std::unique_ptr<Connection> connection)
        : commits_(commits), connection_(std::move(connection)) {}

    /// The pool closes what was idle for long, while a handler ran.
    ~Decorated() override {
        const Lock lock(commits_.mutex_);
        if (commits_.open_ != this) {
            return;
        }
        commits_.open_ = nullptr;
        try {
            commit_now();
        } catch (const DbError&) {
            return;  // Whose outcome it was finds that its lock is lost.
        }
    }

    [[nodiscard]] const persistence::Dialect& dialect() const noexcept override {
        return connection_->dialect();
    }

    std::int64_t execute(std::string_view sql, std::span<const persistence::Value> parameters)
        override {
        const Lock lock = commits_.lock_for_use();
        return connection_->execute(sql, parameters);
    }

    [[nodiscard]] bool copy_in(const persistence::NewRows& rows) override {
        const Lock lock = commits_.lock_for_use();
        return connection_->copy_in(rows);
    }

    void query(
        persistence::Query query,
        std::span<const persistence::Value> parameters,
        const persistence::RowReader& read
    ) override {
        const Lock lock = commits_.lock_for_use();
        Decorated& asked = commits_.open_ == nullptr ? *this : *commits_.open_;
        asked.connection_->query(query, parameters, read);
    }

    void run_script(std::string_view sql) override {
        const Lock lock = commits_.lock_for_use();
        connection_->run_script(sql);
    }

    void begin() override {
        Lock lock = commits_.lock_for_use();
        is_nested_ = commits_.open_ == this;
        waits_ = commits_.does_wait();
        if (is_nested_) {
            connection_->execute("SAVEPOINT nested", {});
        } else {
            connection_->begin();
        }
        if (waits_) {
            transaction_ = std::move(lock);
        }
    }

    void announce_jobs() override { connection_->announce_jobs(); }

    void commit() override {
        if (is_nested_) {
            connection_->execute("RELEASE nested", {});
        } else if (waits_) {
            commits_.open_ = this;
        } else {
            connection_->commit();
        }
        transaction_ = Lock();
    }

    void rollback() noexcept override {
        const Lock lock = std::exchange(transaction_, Lock());
        if (!is_nested_) {
            connection_->rollback();
            return;
        }
        try {
            connection_->execute("ROLLBACK TO nested", {});
            connection_->execute("RELEASE nested", {});
        } catch (const DbError&) {
            connection_->rollback();  // SQLite has given the whole transaction up.
            commits_.open_ = nullptr;
        }
    }

    [[nodiscard]] bool is_usable() const noexcept override { return connection_->is_usable(); }

    void commit_now() {
        try {
            connection_->commit();
        } catch (const DbError&) {
            connection_->rollback();
            throw;
        }
    }

private:
    DeferredCommits& commits_;
    const std::unique_ptr<Connection> connection_;
    bool is_nested_ = false;
    bool waits_ = false;  ///< The commit of this transaction.
    Lock transaction_;    ///< While it waits.
};

persistence::DecorateConnection DeferredCommits::decoration() {
    return [this](std::unique_ptr<Connection> connection) {
        return std::make_unique<Decorated>(*this, std::move(connection));
    };
}

void DeferredCommits::forbid() {
    const Lock lock(mutex_);
    is_allowed_ = false;
    defers_ = false;
    commit();
}

bool DeferredCommits::set(bool defers) {
    const Lock lock(mutex_);
    test_ = std::this_thread::get_id();
    return std::exchange(defers_, defers && is_allowed_);
}

void DeferredCommits::commit() {
    if (Decorated* const open = std::exchange(open_, nullptr)) {
        open->commit_now();
    }
}

bool DeferredCommits::does_wait() const {
    return defers_ && std::this_thread::get_id() == test_;
}

DeferredCommits::Lock DeferredCommits::lock_for_use() {
    Lock lock(mutex_);
    if (!does_wait()) {
        commit();
    }
    return lock;
}

DeferredCommits::Period::Period(DeferredCommits& commits, bool defers)
    : commits_(commits), deferred_before_(commits_.set(defers)) {}

DeferredCommits::Period::~Period() {
    try {
        end();
    } catch (const DbError&) {
        return;  // Something else is told already.
    }
}

void DeferredCommits::Period::end() {
    if (std::exchange(is_over_, true)) {
        return;
    }
    commits_.set(deferred_before_);
    if (!deferred_before_) {
        const Lock lock = commits_.lock_for_use();  // Which commits.
    }
}

}  // namespace jobstrand::test_kit
