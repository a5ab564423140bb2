#pragma once

#include "persistence/batch_store.hpp"
#include "schema/batch/batch.hpp"
#include "tools/jobstrand/exit_code.hpp"
#include "tools/jobstrand/output/record.hpp"
#include "tools/jobstrand/session.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace jobstrand::cli {

/// The jobs that a verb means as a batch, when that is worth it; nullopt: there are too few, or
/// what was asked for cannot be written down.
[[nodiscard]] std::optional<persistence::NewBatch>
worth_a_batch(Session& session, persistence::NewBatch batch, std::int64_t jobs);

/// Writes a batch down and carries it out, as carry_out_batch() does.
[[nodiscard]] ExitCode
run_as_batch(Session& session, const persistence::NewBatch& batch, const Record& more = {});

/// Goes on with a running batch: progress on stderr, and at the end what became of the jobs. An
/// interrupt (Ctrl-C), or the service's end, stops it between two pages, and says how to go on.
/// `more` is added to the record.
[[nodiscard]] ExitCode
carry_out_batch(Session& session, const schema::Batch& batch, const Record& more = {});

}  // namespace jobstrand::cli
