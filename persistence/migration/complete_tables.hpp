#pragma once

#include "persistence/migration/live_schema.hpp"
#include "persistence/sql/connection.hpp"

#include <string_view>

namespace jobstrand::persistence {

/// Gives tables of Flowable, or of an older version, the columns that they do not have, and the
/// defaults that an INSERT of ours, or of an app, goes by: REV_ above all, because one row without
/// a revision keeps an engine from acquiring any. What an engine writes names all its columns, so
/// that no default touches it. Throws DbError.
void complete_tables(Connection& connection, const LiveSchema& live);

/// Where each change is final, a step that was interrupted has been done in part, or another server
/// of a cluster does it at the same time: what exists already is no error there.
void run_unless_done(Connection& connection, std::string_view statement);

/// Lets the ids of apps hold any text where an earlier version has made their columns narrower.
/// Columns of others stay as they are: Flowable's have foreign keys, which allow no change of one
/// side, and `schema check` tells what they cannot hold. Rewrites the tables. Throws DbError.
void widen_app_ids(Connection& connection, const LiveSchema& live);

}  // namespace jobstrand::persistence
