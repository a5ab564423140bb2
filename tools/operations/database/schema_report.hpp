#pragma once

#include "persistence/migration/schema_check.hpp"
#include "tools/session/session.hpp"

namespace jobstrand::cli {

/// Writes what `schema check` has found: for people with the statements ready to be pasted, in the
/// other formats one record for each difference and each remark.
void write_schema_report(Session& session, const persistence::SchemaReport& report);

}  // namespace jobstrand::cli
