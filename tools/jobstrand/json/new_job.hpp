#pragma once

#include "executor/new_job.hpp"

namespace jobstrand::cli {

using executor::NewJob;

}  // namespace jobstrand::cli
