#pragma once

#include "persistence/drivers/driver.hpp"

namespace jobstrand::persistence {

/// A file, and no server: `sqlite:PATH`.
///
/// Options: `synchronous` (full, the default, survives a power cut; normal; off) and `busy_timeout`
/// (default PT10S).
extern const Driver kSqliteDriver;

}  // namespace jobstrand::persistence
