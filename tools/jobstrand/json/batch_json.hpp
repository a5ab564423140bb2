#pragma once

#include "schema/batch/batch.hpp"
#include "tools/jobstrand/output/record.hpp"

namespace jobstrand::cli {

[[nodiscard]] Record record_of(const schema::Batch& batch);

}  // namespace jobstrand::cli
