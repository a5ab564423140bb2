#pragma once

#include "persistence/sql/connection.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

namespace jobstrand::bench {

/// What the connections of a pool have sent so far.
struct StatementCount {
    std::atomic<std::uint64_t> statements{0};
    std::atomic<std::uint64_t> transactions{0};  ///< Their BEGIN and COMMIT are not in statements.
};

/// Counts what goes through a connection.
class CountingConnection final : public persistence::Connection {
public:
    /// `count` must outlive it.
    CountingConnection(std::unique_ptr<persistence::Connection> inner, StatementCount& count)
        : inner_(std::move(inner)), count_(count) {}

    [[nodiscard]] const persistence::Dialect& dialect() const noexcept override {
        return inner_->dialect();
    }
    std::int64_t execute(std::string_view sql, std::span<const persistence::Value> values)
        override {
        ++count_.statements;
        return inner_->execute(sql, values);
    }
    [[nodiscard]] bool copy_in(const persistence::NewRows& rows) override {
        const bool is_done = inner_->copy_in(rows);
        count_.statements += is_done ? 1 : 0;
        return is_done;
    }
    void query(
        persistence::Query query,
        std::span<const persistence::Value> values,
        const persistence::RowReader& read
    ) override {
        ++count_.statements;
        inner_->query(query, values, read);
    }
    void run_script(std::string_view sql) override {
        ++count_.statements;
        inner_->run_script(sql);
    }
    void begin() override { inner_->begin(); }
    void announce_jobs() override { inner_->announce_jobs(); }
    void commit() override {
        ++count_.transactions;
        inner_->commit();
    }
    void rollback() noexcept override { inner_->rollback(); }
    [[nodiscard]] bool is_usable() const noexcept override { return inner_->is_usable(); }

private:
    const std::unique_ptr<persistence::Connection> inner_;
    StatementCount& count_;
};

}  // namespace jobstrand::bench
