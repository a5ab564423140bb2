#pragma once

#include "persistence/audit_store.hpp"
#include "tools/jobstrand/output/record.hpp"

namespace jobstrand::cli {

[[nodiscard]] Record record_of(const persistence::AuditEntry& entry);

}  // namespace jobstrand::cli
