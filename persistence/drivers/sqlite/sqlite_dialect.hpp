#pragma once

#include "persistence/sql/dialect.hpp"
#include "persistence/sql/table_dialect.hpp"

namespace jobstrand::persistence {

extern const Dialect kSqliteDialect;

extern const Catalog kSqliteCatalog;

}  // namespace jobstrand::persistence
