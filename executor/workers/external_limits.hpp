#pragma once

#include "schema/time.hpp"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::executor {

/// The time limits of external jobs by handler type.
class ExternalLimits final {
public:
    /// Of texts such as `mail=PT30S`; `invoice.*=PT5M` is for all types that begin so, and
    /// `*=PT1H` for all others. Those that problem_of() finds fault with are passed over.
    explicit ExternalLimits(std::span<const std::string> texts = {});

    /// What is wrong with such a text; empty: nothing.
    [[nodiscard]] static std::string problem_of(std::string_view text);

    /// nullopt: it has none.
    [[nodiscard]] std::optional<schema::Duration> of(std::string_view handler_type) const;

    [[nodiscard]] bool are_any() const { return !limits_.empty(); }

    /// Returns the handler types in the form that job filters take.
    [[nodiscard]] std::vector<std::string> names() const;

private:
    std::map<std::string, schema::Duration, std::less<>> limits_;  ///< By type, or `beginning*`.
};

}  // namespace jobstrand::executor
