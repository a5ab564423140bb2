#pragma once

#include "persistence/answer_watch.hpp"
#include "persistence/connection.hpp"

#include <memory>

namespace jobstrand::persistence {

/// A connection that is lost when the server does not answer in time. Scripts, such as changes of
/// the schema, may take as long as the server lets them.
class WatchedConnection final : public Connection {
public:
    /// `socket` is that of `connection`.
    WatchedConnection(
        std::unique_ptr<Connection> connection,
        int socket,
        schema::Duration answer_limit
    );

    [[nodiscard]] schema::DatabaseKind kind() const noexcept override {
        return connection_->kind();
    }
    std::int64_t execute(std::string_view sql, std::span<const Value> parameters) override;
    void query(Query query, std::span<const Value> parameters, const RowReader& read) override;
    void run_script(std::string_view sql) override { connection_->run_script(sql); }
    void begin() override;
    void commit() override;
    void rollback() noexcept override;
    [[nodiscard]] bool is_usable() const noexcept override { return connection_->is_usable(); }

private:
    const std::unique_ptr<Connection> connection_;
    AnswerWatch watch_;  ///< Ends before the socket is closed.
};

}  // namespace jobstrand::persistence
