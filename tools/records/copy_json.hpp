#pragma once

#include "persistence/operator_store.hpp"
#include "tools/output/record.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::cli {

/// A dead letter in JSON with all that brings it back: the fields of a job (job_json.hpp) that have
/// a value, those too that are not shown otherwise, `place`, and `exceptionDetails`. A payload that
/// is no JSON is the string `payloadText`.
[[nodiscard]] Record record_of_copy(const persistence::JobCopy& copy);

/// A copy that was read, and every mistake in its text; with mistakes it is not to be used.
struct CopyFromJson {
    persistence::JobCopy copy = {};
    std::vector<std::string> problems = {};
};

/// Reads what record_of_copy() has written. Messages and details that are too long are cut as those
/// of a failure are.
[[nodiscard]] CopyFromJson copy_from_json(std::string_view text);

}  // namespace jobstrand::cli
