#pragma once

#include "persistence/sql/dialect.hpp"
#include "persistence/sql/table_dialect.hpp"

namespace jobstrand::persistence {

extern const Dialect kPostgresqlDialect;

/// The same where a Flowable engine has its tables too.
extern const Dialect kPostgresqlEngineDialect;

extern const Catalog kPostgresqlCatalog;

}  // namespace jobstrand::persistence
