#pragma once

#include "persistence/sql/connection.hpp"

#include <string>
#include <vector>

namespace jobstrand::persistence {

struct SchemaFinding {
    std::string table;
    std::string description;

    /// Statements, in their order; empty: a person has to decide. Of a remark: for who wants it
    /// otherwise.
    std::vector<std::string> mend = {};
};

struct SchemaReport {
    /// In which the tables are not what this program needs; empty: they are as they must be.
    std::vector<SchemaFinding> differences;

    /// What is there besides, and disturbs nothing: an operator may know why.
    std::vector<SchemaFinding> remarks;
};

/// Compares the tables with those that this program creates: columns, types with their lengths,
/// NULL, defaults, character sets and collations, keys, indexes, and the version. Changes nothing.
/// Throws DbError.
[[nodiscard]] SchemaReport check_schema(Connection& connection);

/// Reports the rows of jobs that a producer's SQL has written wrong: for each table and column how
/// many there are, the id of one of them, and the statement that mends those which can be. Reads
/// all rows, once for each column. The tables must be complete. Throws DbError.
void check_rows(Connection& connection, SchemaReport& report);

/// Tries, without changing a row, whether the connection's user may read, insert, update and delete
/// in all tables that a node writes. Throws DbError: access_denied with the GRANT that is missing,
/// or what else stands in the way of writing (read_only on a replica).
void require_write_rights(Connection& connection);

/// Throws std::invalid_argument, which says why, where pages of jobs must not be claimed: on
/// SQLite, and on tables that a Flowable engine shares, which would not see these locks.
void require_claimable(const Connection& connection);

}  // namespace jobstrand::persistence
