#pragma once

#include "persistence/sql/catalog.hpp"

namespace jobstrand::persistence {

extern const Catalog kPostgresqlCatalog;

}  // namespace jobstrand::persistence
