#include "persistence/sql/connection.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace jobstrand::persistence {

void refuse_column(std::size_t column, std::size_t columns) {
    throw std::logic_error(fmt::format(
        "column {} was read, but the statement selects {}: columns count from 0", column, columns
    ));
}

}  // namespace jobstrand::persistence
