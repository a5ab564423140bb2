#pragma once

#include "persistence/sql/connection.hpp"

#include <cstddef>
#include <optional>

namespace jobstrand::persistence {

/// The earliest due date as it stands there.
struct FirstDue {
    std::optional<schema::TimePoint> time = {};  ///< nullopt: none, or one that cannot be read.
    bool is_odd = false;  ///< It cannot be read, or may sort elsewhere than where its time belongs.
};

[[nodiscard]] FirstDue first_due_in(const Row& row, std::size_t column, const Dialect& dialect);

}  // namespace jobstrand::persistence
