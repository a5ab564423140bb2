#include "tools/jobstrand/commands/schema_changes.hpp"

#include "persistence/database.hpp"
#include "persistence/database_url.hpp"
#include "persistence/db_error.hpp"
#include "persistence/schema_migration.hpp"
#include "schema/ddl.hpp"
#include "tools/jobstrand/output/printable.hpp"

#include <fmt/format.h>

#include <array>
#include <memory>

namespace jobstrand::cli {

namespace {

using persistence::SessionPool;
using schema::DatabaseKind;

constexpr std::array kKinds{DatabaseKind::sqlite, DatabaseKind::mysql, DatabaseKind::postgresql};

[[nodiscard]] std::unique_ptr<SessionPool> open(Session& session, bool create_if_missing) {
    return persistence::open_database(
        persistence::parse_database_url(session.database_url()).value(),
        {.create_if_missing = create_if_missing}
    );
}

void tell_upgrade(Session& session, const persistence::UpgradeResult& result) {
    std::string what = fmt::format("the tables have version {} already", result.to);
    if (result.from == 0) {
        what = fmt::format("created the tables of version {}", result.to);
    } else if (result.from != result.to) {
        what = fmt::format("upgraded the tables from version {} to {}", result.from, result.to);
    }
    session.streams().out << what << '\n';
}

[[nodiscard]] DatabaseKind kind_of(Session& session, const std::optional<std::string>& name) {
    if (!name) {
        return persistence::parse_database_url(session.database_url()).value().kind;
    }
    for (const DatabaseKind kind : kKinds) {
        if (name_of(kind) == *name) {
            return kind;
        }
    }
    throw CliError(
        ExitCode::wrong_usage,
        fmt::format(
            "--dialect must be sqlite, mysql or postgresql, not {}", quoted_if_needed(*name)
        )
    );
}

}  // namespace

ExitCode create_schema(Session& session, const SchemaOptions&) {
    const auto pool = open(session, true);
    const auto connection = pool->lease(SessionPool::Access::write);
    tell_upgrade(session, persistence::upgrade_schema(*connection));
    return ExitCode::done;
}

ExitCode upgrade_existing_schema(Session& session, const SchemaOptions&) {
    const auto pool = open(session, false);
    const auto connection = pool->lease(SessionPool::Access::write);
    if (!persistence::schema_version(*connection)) {
        persistence::require_current_schema(*connection);
    }
    tell_upgrade(session, persistence::upgrade_schema(*connection));
    return ExitCode::done;
}

ExitCode check_live_schema(Session& session, const SchemaOptions&) {
    const auto pool = open(session, false);
    const auto connection = pool->lease(SessionPool::Access::read);
    const auto differences = persistence::check_schema(*connection);
    for (const persistence::SchemaDifference& difference : differences) {
        session.streams().out << difference.description << '\n';
        if (!difference.mend.empty()) {
            session.streams().out << "  " << difference.mend << '\n';
        }
    }
    if (!differences.empty()) {
        return ExitCode::check_found;
    }
    session.streams().out << "the tables are as this program expects them\n";
    return ExitCode::done;
}

ExitCode print_schema(Session& session, const SchemaOptions& options) {
    for (const std::string& statement :
         schema::create_statements(kind_of(session, options.dialect))) {
        session.streams().out << statement << ";\n";
    }
    return ExitCode::done;
}

}  // namespace jobstrand::cli
