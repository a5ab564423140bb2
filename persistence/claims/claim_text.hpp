#pragma once

#include "schema/job.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace jobstrand::persistence {

/// Jobs that claims name, each with the revision that its row had. A row with another one is not
/// held any more: it was freed, or has gone its way. Then a second claim may name it, with that
/// one.
using ClaimedJobs = std::multimap<std::string, int, std::less<>>;

/// Whether a claim names the job under this revision.
[[nodiscard]] bool is_named(const ClaimedJobs& jobs, std::string_view id, std::int64_t revision);

/// What stands in JS_CLAIM.BYTES_: the ids with their revisions, each as it differs from the one
/// before. Ids of one time begin alike.
[[nodiscard]] std::string claim_text_of(std::span<const schema::Job> jobs);

/// Adds the jobs of such a text. Throws DbError `unreadable` when it is none.
void read_claim_text(std::string_view text, ClaimedJobs& jobs);

}  // namespace jobstrand::persistence
