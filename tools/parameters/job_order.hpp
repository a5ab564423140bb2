#pragma once

#include "schema/job_fields.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace jobstrand::cli {

/// What lists of jobs may be sorted by, as --sort and `sort` name it; nullopt: not by that.
[[nodiscard]] std::optional<schema::JobMember> sort_named(std::string_view word);

/// `id, due, created, priority, retries, type or failed`.
[[nodiscard]] std::string sort_names();

/// How a sorted list goes on behind a job, whatever becomes of the job meanwhile: `VALUE,ID`, or
/// the id alone where that is what it is sorted by.
[[nodiscard]] std::string mark_behind(const schema::Job& job, const schema::JobMember& by);

/// The inverse: a job of which only that is set. nullopt: no list has said so.
[[nodiscard]] std::optional<schema::Job>
job_marked(std::string_view mark, const schema::JobMember& by);

}  // namespace jobstrand::cli
