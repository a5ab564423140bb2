#pragma once

#include "deadletter/admin/job_search.hpp"
#include "schema/text/parse_result.hpp"
#include "schema/time.hpp"

#include <string_view>
#include <vector>

namespace jobstrand::service {

/// What stands behind the question mark of a list: `place`, `limit`, `after`, `locked`, and the
/// filters of `job ls` under the names of its options without the dashes (`type`,
/// `created-before`). Times are as the command line reads them, in UTC; `now` is the database's.
///
/// The place `done` is none of jobs: then the query names no place.
///
/// The error names what is wrong, and for an unknown name all that there are.
[[nodiscard]] schema::ParseResult<deadletter::JobQuery>
job_query_of(std::string_view query, schema::TimePoint now);

}  // namespace jobstrand::service
