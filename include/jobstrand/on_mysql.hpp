#pragma once

#include <jobstrand/enqueuer.hpp>
#include <mysql.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand {

namespace bridge {

/// Parameters as the client library takes them. All go as texts, which the server converts.
class MysqlParameters final {
public:
    explicit MysqlParameters(std::span<const Value> parameters) : binds_(parameters.size()) {
        texts_.reserve(parameters.size());
        for (const Value& parameter : parameters) {
            MYSQL_BIND& bind = binds_[texts_.size()];
            texts_.push_back(parameter.text());
            if (std::optional<std::string>& text = texts_.back()) {
                bind.buffer_type = MYSQL_TYPE_STRING;
                bind.buffer = text->data();
                bind.buffer_length = text->size();
            } else {
                bind.buffer_type = MYSQL_TYPE_NULL;
            }
        }
    }

    [[nodiscard]] MYSQL_BIND* data() { return binds_.data(); }

private:
    std::vector<std::optional<std::string>> texts_;
    std::vector<MYSQL_BIND> binds_;
};

inline void run_on_mysql(MYSQL* db, std::string_view sql, std::span<const Value> parameters) {
    const auto close = [](MYSQL_STMT* statement) { mysql_stmt_close(statement); };
    const std::unique_ptr<MYSQL_STMT, decltype(close)> statement(mysql_stmt_init(db), close);
    if (statement == nullptr) {
        fail_on_mysql(mysql_errno(db), mysql_error(db), sql);
    }
    MysqlParameters binds(parameters);
    const unsigned long length = sql.size();
    if (mysql_stmt_prepare(statement.get(), sql.data(), length) != 0 ||
        mysql_stmt_bind_param(statement.get(), binds.data()) != 0 ||
        mysql_stmt_execute(statement.get()) != 0) {
        fail_on_mysql(mysql_stmt_errno(statement.get()), mysql_stmt_error(statement.get()), sql);
    }
}

inline bool is_in_transaction(const MYSQL* db) {
    return (db->server_status & SERVER_STATUS_IN_TRANS) != 0 ||
           (db->server_status & SERVER_STATUS_AUTOCOMMIT) == 0;
}

}  // namespace bridge

/// Enqueues on an open connection of the app's own to MySQL or MariaDB, whose character set is
/// utf8mb4; it must outlive what is made of it.
[[nodiscard]] inline AppConnection on_mysql(MYSQL* db) {
    return {
        .database = Database::mysql,
        .run =
            [db](std::string_view sql, std::span<const Value> parameters) {
                if (std::string_view(mysql_character_set_name(db)) != "utf8mb4") {
                    throw std::logic_error(
                        "this connection does not send utf8mb4, as jobs are stored: call "
                        "mysql_set_character_set(connection, \"utf8mb4\") first"
                    );
                }
                if (!bridge::is_in_transaction(db)) {
                    bridge::refuse_without_transaction();
                }
                bridge::run_on_mysql(db, sql, parameters);
            },
    };
}

}  // namespace jobstrand
