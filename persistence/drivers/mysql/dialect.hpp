#pragma once

#include "persistence/sql/dialect.hpp"

namespace jobstrand::persistence {

/// That of MySQL and MariaDB.
extern const Dialect kMysqlDialect;

}  // namespace jobstrand::persistence
