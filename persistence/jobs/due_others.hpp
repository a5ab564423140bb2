#pragma once

#include "persistence/sql/id_lists.hpp"

#include <span>
#include <string>

namespace jobstrand::persistence {

/// The condition of a timer that none of these handler types serve, with its parameters: it is of
/// another type, or for external workers. It needs at least one type.
[[nodiscard]] BoundStatement condition_of_others(std::span<const std::string> handler_types);

}  // namespace jobstrand::persistence
