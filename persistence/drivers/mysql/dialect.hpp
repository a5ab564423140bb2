#pragma once

#include "persistence/sql/dialect.hpp"

namespace jobstrand::persistence {

/// That of MySQL and MariaDB, with Flowable's type for times, which ends in 2038.
extern const Dialect kMysqlDialect;

/// The same where an operator has had the times made `datetime`, which ends in 9999.
extern const Dialect kMysqlDatetimeDialect;

}  // namespace jobstrand::persistence
