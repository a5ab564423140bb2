#pragma once

#include "persistence/run_news_store.hpp"
#include "schema/job.hpp"
#include "tools/output/record.hpp"

#include <optional>

/// What runs tell of themselves while they are under way.
namespace jobstrand::cli {

/// For the record of a job: `{"progress", "note", "told", "lines"}`. nullopt: the run that holds it
/// has told nothing.
[[nodiscard]] std::optional<RecordField>
news_field(persistence::RunNewsStore& store, const schema::PlacedJob& placed);

/// One of many: `{"id", "handlerType", "progress", "note", "told"}`.
[[nodiscard]] std::string told_json(const persistence::ToldRun& run);

}  // namespace jobstrand::cli
