#pragma once

#include "deadletter/admin/overview.hpp"
#include "tools/output/fields.hpp"
#include "tools/output/output_style.hpp"
#include "tools/output/record.hpp"

#include <optional>
#include <string>
#include <vector>

namespace jobstrand::cli {

/// What goes on as one object.
[[nodiscard]] Record record_of(const deadletter::Overview& overview);

[[nodiscard]] std::vector<DescribedField> described_overview();

/// The same for a person, some lines. `before`, which may be null, is what was shown last, and says
/// how fast places fill and empty. Of the types the slowest ones are shown.
[[nodiscard]] std::string frame_of(
    const deadletter::Overview& overview,
    const deadletter::Overview* before,
    const OutputStyle& style
);

}  // namespace jobstrand::cli
