#pragma once

#include "schema/time.hpp"

#include <string>

namespace jobstrand::cli {

/// How long ago something was, for people, in its largest unit: `3 d ago`, `12 min ago`, `0 s ago`.
/// What lies ahead is `0 s ago`: clocks differ.
[[nodiscard]] std::string age_text(schema::Duration age);

}  // namespace jobstrand::cli
