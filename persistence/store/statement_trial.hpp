#pragma once

#include "persistence/sql/connection.hpp"
#include "schema/acquisition.hpp"
#include "schema/series.hpp"

#include <string>
#include <string_view>
#include <vector>

/// Some engines that speak the protocol of a database know only a part of its SQL. Such an engine
/// must be found out before a job is taken: one that takes jobs and refuses to write what became of
/// them would have them run again and again.
namespace jobstrand::persistence {

/// What a database refuses.
struct RefusedActivity {
    std::string_view activity;  ///< What cannot be done without it: `take jobs`.
    std::string reason;         ///< Names the statement, with what the database says about it.

    bool operator==(const RefusedActivity&) const = default;
};

/// How the nodes of this program are set, as far as their statements depend on it.
struct TriedSettings {
    schema::LockGranularity locks = schema::LockGranularity::row;
    schema::AcquisitionOrder order = {};
    bool instances_together = false;
};

/// Does with jobs of its own what nodes do unattended, each activity in a transaction that is
/// rolled back. What is left out reads whole tables, or is asked for by people, who are told at
/// once when the database refuses it.
///
/// The jobs are of a type that no handler has, and live in January 1970: nothing that belongs to
/// others is due, expired or behind them, so that no row of others is read for longer than a
/// moment, or locked. Returns what is refused, in the order of the activities.
///
/// What the locks of others keep from being tried counts as taken. Throws DbError when the database
/// is away, when there is no transaction to be had in time, or when the user lacks a right.
[[nodiscard]] std::vector<RefusedActivity> refused_activities(
    Connection& connection,
    const schema::SeriesSchedule& schedule,
    const TriedSettings& settings
);

/// Throws DbError `other`, which names all that is refused; see refused_activities().
void require_statements(
    Connection& connection,
    const schema::SeriesSchedule& schedule,
    const TriedSettings& settings
);

}  // namespace jobstrand::persistence
