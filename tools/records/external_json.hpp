#pragma once

#include "deadletter/desk/external_topics.hpp"
#include "tools/output/record.hpp"

#include <vector>

namespace jobstrand::cli {

/// The jobs of external workers of one type, and who asks for them, as `top` and `stats` write it.
[[nodiscard]] Record record_of(const deadletter::ExternalTopic& topic);

/// `"external":[{...}]`
[[nodiscard]] RecordField external_field(const std::vector<deadletter::ExternalTopic>& topics);

}  // namespace jobstrand::cli
