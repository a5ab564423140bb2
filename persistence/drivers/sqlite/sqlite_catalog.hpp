#pragma once

#include "persistence/sql/catalog.hpp"

namespace jobstrand::persistence {

extern const Catalog kSqliteCatalog;

}  // namespace jobstrand::persistence
