#pragma once

#include "persistence/sql/connection.hpp"

namespace jobstrand::persistence {

/// Passes statements on to a connection in whose transaction they all stay: to begin and to end one
/// means nothing here. The connection must outlive it.
class RolledBackConnection final : public Connection {
public:
    explicit RolledBackConnection(Connection& real) : real_(real) {}

    [[nodiscard]] const Dialect& dialect() const noexcept override { return real_.dialect(); }

    std::int64_t execute(std::string_view sql, std::span<const Value> parameters) override {
        return real_.execute(sql, parameters);
    }

    void query(Query query, std::span<const Value> parameters, const RowReader& read) override {
        real_.query(query, parameters, read);
    }

    void run_script(std::string_view sql) override { real_.run_script(sql); }
    void begin() override {}
    void announce_jobs() override { real_.announce_jobs(); }
    void commit() override {}
    void rollback() noexcept override {}
    [[nodiscard]] bool is_usable() const noexcept override { return real_.is_usable(); }

private:
    Connection& real_;
};

}  // namespace jobstrand::persistence
