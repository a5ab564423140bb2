#pragma once

#include "persistence/trial/trial_stage.hpp"

#include <span>
#include <string_view>

namespace jobstrand::persistence {

/// An activity of nodes or enqueuers, done once.
struct Trial {
    std::string_view activity;  ///< What it does, after "to": `take jobs`.
    void (*run)(TrialStage& stage);
};

/// All of them. A test compares their statements with those of the conformance suite.
[[nodiscard]] std::span<const Trial> trials();

}  // namespace jobstrand::persistence
