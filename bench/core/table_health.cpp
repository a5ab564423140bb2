#include "bench/core/table_health.hpp"

#include "persistence/sql/db_error.hpp"

#include <charconv>
#include <filesystem>
#include <optional>
#include <system_error>

namespace jobstrand::bench {

namespace {

using schema::DatabaseKind;
using Access = persistence::SessionPool::Access;

constexpr double kMiB = 1024.0 * 1024.0;

/// A figure and the query for it.
struct Question {
    std::string_view name;
    std::string_view unit;
    std::string_view sql;
    bool is_counter = false;
};

constexpr std::array kSqlite{
    Question{"pages in the database", "pages", "SELECT page_count FROM pragma_page_count"},
    Question{"free pages", "pages", "SELECT freelist_count FROM pragma_freelist_count"},
};

constexpr std::array kMysql{
    Question{
        "history list length",
        "transactions",
        "SELECT COUNT FROM information_schema.INNODB_METRICS WHERE NAME = 'trx_rseg_history_len'"},
    Question{
        "redo log written",
        "bytes",
        "SELECT VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS "
        "WHERE VARIABLE_NAME = 'INNODB_OS_LOG_WRITTEN'",
        true},
    Question{
        "commits",
        "commits",
        "SELECT VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS "
        "WHERE VARIABLE_NAME = 'COM_COMMIT'",
        true},
};

constexpr std::array kPostgresql{
    Question{"dead tuples", "rows", "SELECT SUM(n_dead_tup) FROM pg_stat_user_tables"},
    Question{"WAL written", "bytes", "SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')", true},
    Question{
        "commits",
        "commits",
        "SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()",
        true},
};

std::span<const Question> questions_for(DatabaseKind kind) {
    switch (kind) {
        case DatabaseKind::sqlite:
            return kSqlite;
        case DatabaseKind::mysql:
            return kMysql;
        case DatabaseKind::postgresql:
            return kPostgresql;
    }
    return {};
}

std::optional<double> answer(persistence::Connection& connection, const Question& question) {
    std::optional<double> number;
    // Defended catch: not every user may ask, and not every version knows each figure.
    try {
        connection.query({.sql = question.sql, .columns = 1}, {}, [&](const auto& row) {
            double value = 0;
            const std::string_view text = row.text(0);
            if (std::from_chars(text.begin(), text.end(), value).ec == std::errc{}) {
                number = value;
            }
        });
    } catch (const persistence::DbError& error) {
        if (error.poisons_connection()) {
            throw;
        }
    }
    return number;
}

}  // namespace

std::vector<HealthFigure> table_health(BenchDatabase& database) {
    std::vector<HealthFigure> figures;
    const auto session = database.lease(Access::read);
    for (const Question& question : questions_for(database.kind())) {
        if (const auto value = answer(*session, question)) {
            figures.push_back(
                {.name = std::string(question.name),
                 .unit = std::string(question.unit),
                 .value = *value,
                 .is_counter = question.is_counter}
            );
        }
    }
    if (database.kind() == DatabaseKind::sqlite) {
        std::error_code ignored;
        const auto log = std::filesystem::file_size(database.parsed_url().path + "-wal", ignored);
        figures.push_back(
            {.name = "write-ahead log", .unit = "MiB", .value = ignored ? 0 : double(log) / kMiB}
        );
    }
    return figures;
}

}  // namespace jobstrand::bench
