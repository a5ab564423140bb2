#pragma once

#include "persistence/job_filter.hpp"

#include <string>
#include <string_view>

/// A filter as a text, by which a batch finds its jobs again: a line for each thing that is asked.
///
///     HANDLER_TYPE_ equal send-invoice
///     FAILED_TIME_ before 2026-11-20T09:00:00.000Z
///     locked no
///     where
///     any 2
///     TENANT_ID_ equal acme
///     locked
namespace jobstrand::persistence {

/// Precondition: no ids in the filter.
[[nodiscard]] std::string text_of(const JobFilter& filter);

/// The inverse. Throws DbError unreadable for a text that it does not write: a newer version did,
/// or somebody's SQL.
[[nodiscard]] JobFilter filter_in(std::string_view text);

}  // namespace jobstrand::persistence
