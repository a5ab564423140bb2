#pragma once

#include "schema/database_kind.hpp"

#include <string>
#include <string_view>

namespace jobstrand::persistence {

/// What truly differs between the databases in the statements of the job store. Everything else is
/// written once, in the SQL that all of them understand.
struct Dialect {
    /// After a SELECT: the rows are ours until the transaction ends. Empty on SQLite, where the
    /// writing transaction is alone anyway.
    std::string_view for_update;

    /// The same, leaving out rows that another transaction has locked.
    std::string_view skip_locked;

    /// After a SELECT: nobody may delete the rows until the transaction ends.
    std::string_view for_share;

    /// `{insert_if_absent} INTO ... VALUES ... {if_absent}` keeps the row that is already there.
    std::string_view insert_if_absent;
    std::string_view if_absent;

    /// `INSERT INTO T (ID_, ...) VALUES ... {on_existing_id} X_ = {new_value with X_}, ...` changes
    /// the rows that are already there.
    std::string_view on_existing_id;
    std::string_view new_value;

    /// A text parameter for the column BYTES_, and that column as text_of_bytes takes it.
    std::string_view bytes_parameter;
    std::string_view bytes_as_text;

    /// The function that finds the position of its second argument in its first; 0: not in it.
    std::string_view position_in;

    /// Behind the table, in a SELECT that locks and in an UPDATE of rows by their ids. MySQL and
    /// MariaDB would read the whole of a table with few rows more than that, lock all of it, and
    /// wait for what others have locked there: that is how deadlocks begin.
    std::string_view by_id;

    /// The condition for rows behind a priority and an id, which are its parameters, in the order
    /// of the index schema::kPriorityIndex. Only PostgreSQL and SQLite seek with a pair of values;
    /// PostgreSQL is given one because with an equality it would take the order of the key as good
    /// enough, and read all other priorities on the way.
    std::string_view behind_in_priority;

    /// The time of the database's clock, UTC, to the millisecond. Empty on SQLite, which has none
    /// but the machine's.
    std::string_view now;
};

[[nodiscard]] const Dialect& dialect_of(schema::DatabaseKind kind);

/// `DELETE FROM table WHERE`, to be followed by a condition on ID_; by its key for the same reason.
[[nodiscard]] std::string delete_where(schema::DatabaseKind kind, std::string_view table);

/// As Dialect::by_id, for rows in the order of an index.
[[nodiscard]] std::string by_index(schema::DatabaseKind kind, std::string_view index);

}  // namespace jobstrand::persistence
