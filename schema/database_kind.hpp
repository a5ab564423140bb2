#pragma once

#include <string_view>

namespace jobstrand::schema {

/// The families of databases that differ in SQL. MariaDB is mysql here.
enum class DatabaseKind { sqlite, mysql, postgresql };

/// sqlite, mysql, postgresql: also the URL scheme.
[[nodiscard]] constexpr std::string_view name_of(DatabaseKind kind) {
    switch (kind) {
        case DatabaseKind::sqlite:
            return "sqlite";
        case DatabaseKind::mysql:
            return "mysql";
        case DatabaseKind::postgresql:
            return "postgresql";
    }
    return {};
}

}  // namespace jobstrand::schema
