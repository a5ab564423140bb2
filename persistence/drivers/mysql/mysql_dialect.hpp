#pragma once

#include "persistence/sql/dialect.hpp"
#include "persistence/sql/table_dialect.hpp"

namespace jobstrand::persistence {

/// That of MySQL and MariaDB, with Flowable's type for times, which ends in 2038.
extern const Dialect kMysqlDialect;

/// The same where an operator has had the times made `datetime`, which ends in 9999.
extern const Dialect kMysqlDatetimeDialect;

/// Both where a Flowable engine has its tables too.
extern const Dialect kMysqlEngineDialect;
extern const Dialect kMysqlEngineDatetimeDialect;

/// For a shard of Vitess that the URL aims at.
extern const Dialect kMysqlShardDialect;
extern const Dialect kMysqlShardDatetimeDialect;

extern const Catalog kMysqlCatalog;

}  // namespace jobstrand::persistence
