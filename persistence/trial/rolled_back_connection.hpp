#pragma once

#include "persistence/sql/sql_transaction.hpp"

#include <stdexcept>

namespace jobstrand::persistence {

/// Passes statements on to a transaction in which they all stay: to begin and to end one means
/// nothing here. Behind an error nothing passes any more (see Transaction): the server may have
/// rolled back by itself, and what came then would be committed. The transaction must outlive it.
class RolledBackConnection final : public Connection {
public:
    explicit RolledBackConnection(Transaction& real) : real_(real) {}

    [[nodiscard]] const Dialect& dialect() const noexcept override { return real_.dialect(); }

    std::int64_t execute(std::string_view sql, std::span<const Value> parameters) override {
        return real_.execute(sql, parameters);
    }

    [[nodiscard]] bool copy_in(const NewRows& rows) override { return real_.copy_in(rows); }

    void query(Query query, std::span<const Value> parameters, const RowReader& read) override {
        real_.query(query, parameters, read);
    }

    void run_script(std::string_view /*sql*/) override {
        throw std::logic_error("a script may end the transaction that it is tried in");
    }
    void begin() override {}
    void announce_jobs() override { real_.announce_jobs(); }
    void commit() override {}
    void rollback() noexcept override {}
    [[nodiscard]] bool is_usable() const noexcept override { return true; }

private:
    Transaction& real_;
};

}  // namespace jobstrand::persistence
