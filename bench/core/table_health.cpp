#include "bench/core/table_health.hpp"

#include "persistence/sql/db_error.hpp"

#include <charconv>
#include <filesystem>
#include <optional>
#include <system_error>

namespace jobstrand::bench {

namespace {

using persistence::Diagnostics;
using Access = persistence::SessionPool::Access;

constexpr double kMiB = 1024.0 * 1024.0;

std::optional<double>
answer_to(persistence::Connection& connection, const Diagnostics::Figure& question) {
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
    const Diagnostics& diagnostics = database.driver().diagnostics;
    for (const Diagnostics::Figure& question : diagnostics.health) {
        if (const auto value = answer_to(*session, question)) {
            figures.push_back(
                {.name = std::string(question.name),
                 .unit = std::string(question.unit),
                 .value = *value,
                 .is_counter = question.is_counter}
            );
        }
    }
    if (!diagnostics.log_suffix.empty()) {
        std::error_code ignored;
        const std::string path = database.parsed_url().path + std::string(diagnostics.log_suffix);
        const auto log = std::filesystem::file_size(path, ignored);
        figures.push_back(
            {.name = "write-ahead log", .unit = "MiB", .value = ignored ? 0 : double(log) / kMiB}
        );
    }
    return figures;
}

}  // namespace jobstrand::bench
