#pragma once

#include "schema/tables.hpp"

#include <vector>

/// The tables by what they are about, each group in the order in which it is created.
namespace jobstrand::schema {

inline constexpr Column kId{"ID_", ColumnKind::id, "", true};
inline constexpr Column kAppId{"ID_", ColumnKind::app_id, "", true};

/// Flowable's: the places of jobs, and what belongs to them.
[[nodiscard]] std::vector<Table> job_tables();

/// What is suspended, series, calendars.
[[nodiscard]] std::vector<Table> series_tables();

/// Nodes, what they hold by page, and what they serve and do.
[[nodiscard]] std::vector<Table> node_tables();

/// Jobs that regard each other: exclusive ones, unique keys, limits.
[[nodiscard]] std::vector<Table> group_tables();

/// What is known of kinds of jobs.
[[nodiscard]] std::vector<Table> definition_tables();

/// What people have changed, requests that are carried out once, and bulk operations.
[[nodiscard]] std::vector<Table> journal_tables();

/// The past of jobs: the log, the last runs, and incidents.
[[nodiscard]] std::vector<Table> history_tables();

}  // namespace jobstrand::schema
