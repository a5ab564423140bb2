#pragma once

#include "tools/engine/wiring.hpp"

namespace jobstrand::engine {

/// Throws std::invalid_argument for options that no engine takes, one sentence per mistake, in the
/// words of the EngineOptions that they come from.
void require_sound(const WiringOptions& options);

}  // namespace jobstrand::engine
