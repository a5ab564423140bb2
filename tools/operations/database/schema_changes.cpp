#include "tools/operations/database/schema_changes.hpp"

#include "persistence/drivers/database.hpp"
#include "persistence/drivers/parse_database_url.hpp"
#include "persistence/drivers/registry.hpp"
#include "persistence/migration/ddl.hpp"
#include "persistence/migration/lasting_times.hpp"
#include "persistence/migration/optional_index.hpp"
#include "persistence/migration/schema_check.hpp"
#include "persistence/migration/schema_migration.hpp"
#include "persistence/sql/db_error.hpp"
#include "tools/operations/database/schema_report.hpp"
#include "tools/text/terminal_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <utility>

namespace jobstrand::cli {

namespace {

using persistence::Dialect;
using persistence::SessionPool;

[[nodiscard]] std::unique_ptr<SessionPool> open(Session& session, bool create_if_missing) {
    return persistence::open_database(
        persistence::parse_database_url(session.database_url()).value(),
        {.create_if_missing = create_if_missing}
    );
}

void print_upgrade(Session& session, const persistence::UpgradeResult& result) {
    std::string what = fmt::format("the tables have version {} already", result.to);
    if (result.from == 0) {
        what = fmt::format("created the tables of version {}", result.to);
    } else if (result.from != result.to) {
        what = fmt::format("upgraded the tables from version {} to {}", result.from, result.to);
    }
    session.streams().out << what << '\n';
}

[[nodiscard]] const Dialect& dialect_of(Session& session, const std::optional<std::string>& name) {
    if (!name) {
        const auto url = persistence::parse_database_url(session.database_url());
        return persistence::driver_of(url.value()).dialect;
    }
    const persistence::Driver* const driver = persistence::find_driver(*name);
    if (driver == nullptr) {
        throw CliError(
            ExitCode::wrong_usage,
            fmt::format(
                "--dialect must be {}, not {}", persistence::driver_names(), quoted_if_needed(*name)
            )
        );
    }
    return driver->dialect;
}

[[nodiscard]] std::string index_names() {
    std::vector<std::string_view> names;
    for (const schema::OptionalIndex& index : schema::optional_indexes()) {
        names.push_back(index.name);
    }
    return fmt::format("{}", fmt::join(names, ", "));
}

[[nodiscard]] const schema::OptionalIndex& index_named(const std::string& name) {
    const auto all = schema::optional_indexes();
    const auto found = std::ranges::find(all, name, &schema::OptionalIndex::name);
    if (found == all.end()) {
        throw CliError(
            ExitCode::wrong_usage,
            fmt::format("there is no index {}; there are {}", quoted_if_needed(name), index_names())
        );
    }
    return *found;
}

/// Says once why nothing seems to happen.
[[nodiscard]] persistence::TablePatience table_patience_of(Session& session) {
    return {.on_wait = [&session, is_told = false]() mutable {
        if (!std::exchange(is_told, true)) {
            session.tell("the tables are in use by an open transaction; it is tried again");
        }
    }};
}

}  // namespace

ExitCode create_schema(Session& session, const SchemaOptions&) {
    const auto pool = open(session, true);
    const auto connection = pool->lease(SessionPool::Access::write);
    print_upgrade(session, persistence::upgrade_schema(*connection));
    return ExitCode::done;
}

ExitCode upgrade_existing_schema(Session& session, const SchemaOptions& options) {
    const auto pool = open(session, false);
    const auto connection = pool->lease(SessionPool::Access::write);
    const bool is_new = !persistence::schema_version(*connection);
    if (is_new && !persistence::has_others_tables(*connection)) {
        persistence::require_current_schema(*connection);
    }
    const auto result = persistence::upgrade_schema(
        *connection, persistence::OthersTables::take_over, table_patience_of(session)
    );
    if (is_new) {
        session.streams().out << fmt::format(
            "added to the tables that were there what version {} needs\n", result.to
        );
    } else {
        print_upgrade(session, result);
    }
    if (options.with_datetimes) {
        session.streams().out
            << (persistence::make_times_last(*connection)
                    ? "times are kept in a type that lasts now\n"
                    : "times are kept in a type that lasts already\n");
    }
    return ExitCode::done;
}

ExitCode check_live_schema(Session& session, const SchemaOptions&) {
    const auto pool = open(session, false);
    const auto connection = pool->lease(SessionPool::Access::read);
    persistence::SchemaReport report = persistence::check_schema(*connection);
    if (report.differences.empty()) {
        persistence::check_rows(*connection, report);
    }
    write_schema_report(session, report);
    return report.differences.empty() ? ExitCode::done : ExitCode::check_found;
}

ExitCode print_schema(Session& session, const SchemaOptions& options) {
    const Dialect& dialect = dialect_of(session, options.dialect);
    std::vector<std::string> statements = persistence::create_statements(dialect);
    if (options.with_optional_indexes) {
        for (const schema::OptionalIndex& index : schema::optional_indexes()) {
            statements.push_back(persistence::create_index(index.table, index.index, dialect));
        }
    }
    for (const std::string& statement : statements) {
        session.streams().out << statement << ";\n";
    }
    return ExitCode::done;
}

ExitCode change_index(Session& session, const IndexOptions& options) {
    const schema::OptionalIndex& index = index_named(options.name);
    const auto pool = open(session, false);
    const auto connection = pool->lease(
        options.create || options.drop ? SessionPool::Access::write : SessionPool::Access::read
    );
    persistence::require_current_schema(*connection);
    std::string_view what =
        persistence::has_index(*connection, index) ? "is there" : "is not there";
    if (options.create) {
        what = persistence::create_index(*connection, index, table_patience_of(session))
                   ? "created"
                   : "was there already";
    } else if (options.drop) {
        what = persistence::drop_index(*connection, index, table_patience_of(session)) ? "dropped"
                                                                                 : "was not there";
    }
    session.streams().out << fmt::format("{} of {}: {}\n", index.index.name, index.table, what);
    return ExitCode::done;
}

}  // namespace jobstrand::cli
