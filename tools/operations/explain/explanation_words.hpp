#pragma once

#include "deadletter/explain/explanation.hpp"

#include <string>
#include <vector>

namespace jobstrand::cli {

/// A reason as a person reads it.
struct ReasonWords {
    deadletter::ReasonCode code;
    std::string text;
    std::string advice;  ///< What to do; empty: nothing.
};

/// The reasons why the job does not run, in their order. Texts of apps in them are not escaped.
[[nodiscard]] std::vector<ReasonWords> in_words(const deadletter::JobFacts& facts);

}  // namespace jobstrand::cli
