#pragma once

#include "persistence/drivers/prepared_statements.hpp"
#include "persistence/drivers/soci/soci_backend.hpp"
#include "persistence/drivers/soci/soci_statement.hpp"
#include "persistence/sql/connection.hpp"

#include <memory>
#include <vector>

namespace jobstrand::persistence {

/// Connection over SOCI, for SQLite and PostgreSQL.
class SociConnection : public Connection {
public:
    /// `session` is open. `backend` must outlive this object.
    SociConnection(std::unique_ptr<soci::session> session, const SociBackend& backend);
    ~SociConnection() override;

    [[nodiscard]] const Dialect& dialect() const noexcept override { return backend_.dialect(); }
    std::int64_t execute(std::string_view sql, std::span<const Value> parameters) override;
    [[nodiscard]] bool copy_in(const NewRows& rows) override;
    void query(Query query, std::span<const Value> parameters, const RowReader& read) override;
    void run_script(std::string_view sql) override;
    void begin() override;
    void commit() override;
    void rollback() noexcept override;
    [[nodiscard]] bool is_usable() const noexcept override { return usable_; }

protected:
    [[nodiscard]] soci::session& session() { return *session_; }

private:
    DbError noted(const DbError& error) noexcept;
    void discard(std::unique_ptr<SociStatement> statement);
    template <typename Call>
    void run(Call call);

    const SociBackend& backend_;
    const std::unique_ptr<soci::session> session_;
    PreparedStatements<SociStatement, soci::soci_error>
        statements_;  ///< Closed before the session.

    /// Discarded, and to be closed when the database takes more than a rollback again.
    std::vector<std::unique_ptr<SociStatement>> discarded_;
    bool usable_ = true;
};

}  // namespace jobstrand::persistence
