#pragma once

#include "tools/process/exit_code.hpp"
#include "tools/session/session.hpp"

#include <optional>
#include <string>

namespace jobstrand::cli {

struct SchemaOptions {
    std::optional<std::string> dialect;
    bool with_optional_indexes = false;
    bool with_datetimes = false;
};

struct IndexOptions {
    std::string name;
    bool create = false;
    bool drop = false;
};

/// Refuses tables of others under our names.
[[nodiscard]] ExitCode create_schema(Session& session, const SchemaOptions& options);

/// Adds to tables of others what they lack.
[[nodiscard]] ExitCode upgrade_existing_schema(Session& session, const SchemaOptions& options);

/// Prints each difference with the statements that mend it, and then remarks; check_found when
/// there is a difference.
[[nodiscard]] ExitCode check_live_schema(Session& session, const SchemaOptions& options);

/// Needs no database when --dialect says which one is meant.
[[nodiscard]] ExitCode print_schema(Session& session, const SchemaOptions& options);

/// Creates or drops an index that only some setting needs, or tells whether it is there.
[[nodiscard]] ExitCode change_index(Session& session, const IndexOptions& options);

}  // namespace jobstrand::cli
