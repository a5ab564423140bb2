#include "persistence/sql/dialect.hpp"

#include <fmt/format.h>

namespace jobstrand::persistence {

std::string
delete_where(const Dialect& dialect, std::string_view table, std::string_view any_column) {
    return fmt::format(fmt::runtime(dialect.delete_where), table, any_column);
}

std::string on_existing(const Dialect& dialect, std::string_view key) {
    return fmt::format(fmt::runtime(dialect.on_existing), key);
}

std::string by_index(const Dialect& dialect, std::string_view index) {
    return fmt::format(fmt::runtime(dialect.by_index), index);
}

}  // namespace jobstrand::persistence
