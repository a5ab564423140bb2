#pragma once

#include "persistence/executor_store.hpp"
#include "persistence/sql/connection.hpp"
#include "schema/job_place.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::persistence {

/// A job whose lock has expired, or one whose lock nobody can read.
struct LockedRow {
    std::string id;
    std::string series;
};

/// For ids_of().
[[nodiscard]] inline std::string_view id_of(const LockedRow& row) {
    return row.id;
}

/// A part of a table, and what is to be done in it.
struct PartRead {
    std::string first;  ///< Empty: there is no row in it.
    std::string end;    ///< Empty: the table ends in it.
    std::vector<LockedRow> expired;
    std::vector<LockedRow> unreadable;
    bool is_any_nameless = false;
    std::string last;          ///< Of read_part(); empty: there is no row in it.
    bool do_any_wait = false;  ///< Of read_part(): there are locks that nearly never end.
};

/// The first `search.rows` rows behind `search.after`, in id order.
[[nodiscard]] PartRead
read_part(Connection& connection, schema::JobPlace place, const LockSearch& search);

/// All rows that `search.owners` have locked.
[[nodiscard]] PartRead
read_locks_of_owners(Connection& connection, schema::JobPlace place, const LockSearch& search);

/// The first `search.rows` due timers: the movers take the others away, so in a backlog too those
/// that are locked come to the front.
[[nodiscard]] PartRead read_due_timers(Connection& connection, const LockSearch& search);

}  // namespace jobstrand::persistence
