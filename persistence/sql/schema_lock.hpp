#pragma once

#include "persistence/sql/sql_transaction.hpp"

#include <memory>

namespace jobstrand::persistence {

/// Keeps all other processes from changing the schema as long as it lives.
class SchemaLock {
public:
    virtual ~SchemaLock() = default;

    /// Without this, the destructor takes back all changes that the database can take back.
    virtual void keep_changes() {}
};

/// A lock where changes of the schema are part of a transaction.
class SchemaTransaction final : public SchemaLock {
public:
    explicit SchemaTransaction(Connection& connection) : transaction_(connection) {}

    void keep_changes() override { transaction_.commit(); }

private:
    Transaction transaction_;
};

/// For databases that have one writer: the transaction itself is the lock.
[[nodiscard]] inline std::unique_ptr<SchemaLock> lock_as_only_writer(Connection& connection) {
    return std::make_unique<SchemaTransaction>(connection);
}

}  // namespace jobstrand::persistence
