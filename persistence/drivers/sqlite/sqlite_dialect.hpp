#pragma once

#include "persistence/sql/dialect.hpp"

namespace jobstrand::persistence {

extern const Dialect kSqliteDialect;

}  // namespace jobstrand::persistence
