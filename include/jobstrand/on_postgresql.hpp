#pragma once

#include <jobstrand/enqueuer.hpp>
#include <libpq-fe.h>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand {

namespace bridge {

inline void
run_on_postgresql(PGconn* connection, std::string_view sql, std::span<const Value> parameters) {
    std::vector<std::optional<std::string>> texts;
    std::vector<const char*> values;
    texts.reserve(parameters.size());
    for (const Value& parameter : parameters) {
        texts.push_back(parameter.text());
        values.push_back(texts.back() ? texts.back()->c_str() : nullptr);
    }
    const std::unique_ptr<PGresult, void (*)(PGresult*)> result(
        PQexecParams(
            connection,
            std::string(sql).c_str(),
            static_cast<int>(values.size()),
            nullptr,
            values.data(),
            nullptr,
            nullptr,
            0
        ),
        PQclear
    );
    const ExecStatusType status = PQresultStatus(result.get());
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) {
        const char* const state = PQresultErrorField(result.get(), PG_DIAG_SQLSTATE);
        fail_on_postgresql(state == nullptr ? "" : state, PQerrorMessage(connection), sql);
    }
}

}  // namespace bridge

/// Enqueues on an open libpq connection of the app's own, whose client encoding is UTF8; it must
/// outlive what is made of it.
[[nodiscard]] inline AppConnection on_postgresql(PGconn* connection) {
    return {
        .database = Database::postgresql,
        .run =
            [connection](std::string_view sql, std::span<const Value> parameters) {
                if (PQtransactionStatus(connection) == PQTRANS_IDLE) {
                    bridge::refuse_without_transaction();
                }
                bridge::run_on_postgresql(connection, sql, parameters);
            },
    };
}

}  // namespace jobstrand
