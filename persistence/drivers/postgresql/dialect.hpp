#pragma once

#include "persistence/sql/dialect.hpp"

namespace jobstrand::persistence {

extern const Dialect kPostgresqlDialect;

}  // namespace jobstrand::persistence
