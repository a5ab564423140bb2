#pragma once

#include "executor/enqueue/new_job.hpp"

namespace jobstrand::cli {

using executor::NewJob;

}  // namespace jobstrand::cli
