#pragma once

#include "persistence/sql/connection.hpp"
#include "persistence/sql/health/answer_watch.hpp"

#include <memory>

namespace jobstrand::persistence {

/// What SOCI's connection to PostgreSQL lacks: it is lost when the server does not answer in time,
/// and it announces jobs. Scripts, such as changes of the schema, may take as long as the server
/// lets them.
class PostgresqlConnection final : public Connection {
public:
    struct Settings {
        int socket = -1;  ///< That of the connection.
        schema::Duration answer_limit{0};
        bool announces_jobs = true;
        bool has_engine = false;  ///< A Flowable engine has its tables here too.
    };

    PostgresqlConnection(std::unique_ptr<Connection> connection, const Settings& settings);

    [[nodiscard]] const Dialect& dialect() const noexcept override { return dialect_; }
    std::int64_t execute(std::string_view sql, std::span<const Value> parameters) override;
    [[nodiscard]] bool copy_in(const NewRows& rows) override;
    void query(Query query, std::span<const Value> parameters, const RowReader& read) override;
    void run_script(std::string_view sql) override { connection_->run_script(sql); }
    void begin() override;
    void announce_jobs() override;
    void commit() override;
    void rollback() noexcept override;
    [[nodiscard]] bool is_usable() const noexcept override { return connection_->is_usable(); }

private:
    [[nodiscard]] bool has_just_announced() const;

    const std::unique_ptr<Connection> connection_;
    const Dialect& dialect_;
    const bool announces_jobs_;
    bool copies_ = true;                                             ///< The server takes a COPY.
    bool is_announcing_ = false;                                     ///< This transaction does.
    schema::SteadyPoint announced_at_ = schema::SteadyPoint::min();  ///< A commit did.
    AnswerWatch watch_;  ///< Ends before the socket is closed.
};

}  // namespace jobstrand::persistence
