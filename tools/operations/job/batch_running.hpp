#pragma once

#include "persistence/batch_store.hpp"
#include "schema/batch.hpp"
#include "tools/output/record.hpp"
#include "tools/process/exit_code.hpp"
#include "tools/session/session.hpp"

#include <optional>

namespace jobstrand::cli {

/// How a verb wants its jobs done.
struct BatchManner {
    bool in_background = false;  ///< A node does it, however few they are.
    Record more = {};            ///< Added to what is reported.
};

/// Does what a verb wants with all jobs that match as a batch, if they are many or it is for the
/// background. nullopt: the verb had better do it at once. Precondition: the batch has its total.
/// Throws CliError wrong_usage for the background if the filter is too long to be written down.
[[nodiscard]] std::optional<ExitCode>
run_as_batch(Session& session, persistence::NewBatch batch, const BatchManner& manner = {});

/// Goes on with a running batch: progress on stderr, and at the end what became of the jobs. An
/// interrupt (Ctrl-C), or the service's end, stops it between two pages, and says how to go on.
[[nodiscard]] ExitCode
carry_out_batch(Session& session, const schema::Batch& batch, const Record& more = {});

/// Leaves a running batch to the nodes, unless one has it already.
[[nodiscard]] ExitCode leave_to_nodes(Session& session, const schema::Batch& batch);

}  // namespace jobstrand::cli
