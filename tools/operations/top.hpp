#pragma once

#include "deadletter/overview.hpp"
#include "schema/time.hpp"
#include "tools/output/fields.hpp"
#include "tools/output/output_style.hpp"
#include "tools/output/record.hpp"
#include "tools/process/exit_code.hpp"
#include "tools/session/session.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace jobstrand::cli {

/// What goes on as one object.
[[nodiscard]] Record record_of(const deadletter::Overview& overview);

[[nodiscard]] std::vector<DescribedField> described_overview();

/// The same for a person, some lines. `before`, which may be null, is what was shown last, and says
/// how fast places fill and empty. Of the types the slowest ones are shown.
[[nodiscard]] std::string frame_of(
    const deadletter::Overview& overview,
    const deadletter::Overview* before,
    const OutputStyle& style
);

struct TopOptions {
    bool once = false;
    std::string interval = "2s";
    bool soon = false;
};

/// Shows what goes on, until somebody ends it; `once`, and to a client of a service: one time, in
/// any format. Throws CliError wrong_usage where stdout is no terminal.
[[nodiscard]] ExitCode show_top(Session& session, const TopOptions& options);

/// Whether it is to be shown again and again, and can be: on a terminal, for people.
[[nodiscard]] bool goes_on(Session& session, const TopOptions& options);

/// Shows on the terminal what `look` says, for so many columns, until somebody ends it.
void show_again(
    Session& session,
    const TopOptions& options,
    const std::function<std::string(std::optional<std::size_t> columns)>& look
);

}  // namespace jobstrand::cli
