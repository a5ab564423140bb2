#pragma once

#include "persistence/connection.hpp"
#include "persistence/db_error.hpp"
#include "persistence/postgresql_database.hpp"
#include "test/fixtures/postgresql_database.hpp"
#include "test/fixtures/postgresql_server.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <memory>
#include <optional>
#include <string>

namespace jobstrand::test {

/// A case with an empty database and a connection to it: on the shared server, or on the first
/// server of the kind that the environment names.
class PostgresqlTest : public testing::Test {
protected:
    void SetUp() override;

    [[nodiscard]] std::unique_ptr<persistence::Connection> connect() const {
        return persistence::open_postgresql(url_);
    }

    std::int64_t
    execute(std::string_view sql, std::initializer_list<persistence::Value> parameters = {}) {
        return connection_->execute(sql, {parameters.begin(), parameters.size()});
    }

    /// The first column of the first row.
    [[nodiscard]] std::string
    text_of(std::string_view sql, std::initializer_list<persistence::Value> parameters = {});

    /// Whether the server is the shared one, which a case may stop and whose options it knows.
    [[nodiscard]] static bool is_own_server();

    /// NOTE (ID_, TEXT_, NUMBER_), with the rows a and b.
    void create_notes();

    std::optional<PostgresqlDatabase> database_;
    persistence::DatabaseUrl url_;
    std::unique_ptr<persistence::Connection> connection_;
};

/// The error that a call ends with; kind `other` and an empty text when there is none.
template <typename Call>
persistence::DbError error_of(Call call) {
    try {
        call();
    } catch (const persistence::DbError& error) {
        return error;
    }
    ADD_FAILURE() << "no error";
    return {persistence::DbErrorKind::other, ""};
}

}  // namespace jobstrand::test
