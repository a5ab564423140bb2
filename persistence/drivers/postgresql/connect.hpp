#pragma once

#include "persistence/drivers/database_url.hpp"
#include "schema/time.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace soci {
class session;
}
struct pg_conn;  // libpq's name for what it hands out as PGconn.

namespace jobstrand::persistence {

/// A URL as the client library wants it, without what guards the password, which an Approach adds
/// (see connect.cpp). It has the password in it.
[[nodiscard]] std::string postgresql_connection_text(const DatabaseUrl& url);

/// The wait for a server that does not answer.
[[nodiscard]] schema::Duration postgresql_connect_timeout(const DatabaseUrl& url);

/// After this time the server ends a statement.
[[nodiscard]] schema::Duration postgresql_statement_timeout(const DatabaseUrl& url);

/// After this time nobody waits for an answer any more: the server would have ended the statement.
[[nodiscard]] schema::Duration postgresql_answer_limit(const DatabaseUrl& url);

/// To the one host of the URL. Throws DbError: what stands in the way, and what to do about it.
[[nodiscard]] std::unique_ptr<soci::session> connect_to_postgresql(const DatabaseUrl& url);

/// The connection of the client library behind a session.
[[nodiscard]] pg_conn* native_handle(soci::session& session);

[[nodiscard]] int postgresql_socket(soci::session& session);

}  // namespace jobstrand::persistence
