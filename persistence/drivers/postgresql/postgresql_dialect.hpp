#pragma once

#include "persistence/sql/dialect.hpp"

namespace jobstrand::persistence {

extern const Dialect kPostgresqlDialect;

/// The same where a Flowable engine has its tables too.
extern const Dialect kPostgresqlEngineDialect;

}  // namespace jobstrand::persistence
