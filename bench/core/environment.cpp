#include "bench/core/environment.hpp"

#include "persistence/sql/db_error.hpp"

#include <fmt/format.h>
#include <sys/utsname.h>
#include <sys/vfs.h>

#include <charconv>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

namespace jobstrand::bench {

namespace {

using Access = persistence::SessionPool::Access;

constexpr long kTmpfsMagic = 0x01021994;

/// The value of the first line `key ... : value` of a file under /proc.
std::string proc_value(const char* path, std::string_view key) {
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        const auto colon = line.find(':');
        if (line.starts_with(key) && colon != std::string::npos) {
            const auto value = line.find_first_not_of(" \t", colon + 1);
            return value == std::string::npos ? "" : line.substr(value);
        }
    }
    return "unknown";
}

std::string kernel() {
    utsname name{};
    return uname(&name) == 0 ? fmt::format("{} {}", name.sysname, name.release) : "unknown";
}

std::string answer(BenchDatabase& database, std::string_view sql) {
    std::string text;
    database.lease(Access::write)->query({.sql = sql, .columns = 1}, {}, [&](const auto& row) {
        text = row.text(0);
    });
    return text;
}

/// Of a file; what a server keeps in memory, nobody sees from here.
bool is_in_memory(const BenchDatabase& database) {
    struct statfs info {};
    const std::string& path = database.parsed_url().path;
    return !path.empty() && statfs(path.c_str(), &info) == 0 && info.f_type == kTmpfsMagic;
}

std::string version(BenchDatabase& database) {
    const persistence::Diagnostics& diagnostics = database.driver().diagnostics;
    return fmt::format("{} {}", diagnostics.product, answer(database, diagnostics.version_sql));
}

std::string durability(BenchDatabase& database) {
    std::string text;
    for (const auto& setting : database.driver().diagnostics.durability) {
        text += fmt::format(
            "{}{}={}", text.empty() ? "" : ", ", setting.name, answer(database, setting.sql)
        );
    }
    return text + (is_in_memory(database) ? ", on tmpfs: nothing survives a power cut" : "");
}

}  // namespace

Facts environment_of(BenchDatabase& database) {
    return {
        {"program", "jobstrand " JOBSTRAND_VERSION ", " JOBSTRAND_BUILD_TYPE},
        {"compiler", __VERSION__},
        {"cpu", proc_value("/proc/cpuinfo", "model name")},
        {"cpus", fmt::to_string(std::thread::hardware_concurrency())},
        {"memory", proc_value("/proc/meminfo", "MemTotal")},
        {"system", kernel()},
        {"database", version(database)},
        {"durability", durability(database)},
        {"url", persistence::without_password(database.parsed_url())},
    };
}

namespace {

using persistence::Diagnostics;

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
