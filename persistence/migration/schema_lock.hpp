#pragma once

#include "persistence/sql/transaction.hpp"

#include <optional>

namespace jobstrand::persistence {

/// Keeps all other processes from changing the schema as long as it lives. Where DDL is
/// transactional (SQLite, PostgreSQL) it is a transaction as well: without keep_changes() the
/// destructor takes everything back. On MySQL each statement is final; there it is a named lock,
/// and on a Galera cluster nothing.
class SchemaLock final {
public:
    /// Waits for the others. Throws DbError, busy when they take too long. The connection must
    /// outlive this object.
    explicit SchemaLock(Connection& connection);
    ~SchemaLock();

    SchemaLock(const SchemaLock&) = delete;
    SchemaLock& operator=(const SchemaLock&) = delete;

    void keep_changes();

private:
    Connection& connection_;
    std::optional<Transaction> transaction_;
    bool has_named_lock_ = false;
};

}  // namespace jobstrand::persistence
