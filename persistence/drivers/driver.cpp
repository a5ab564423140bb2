#include "persistence/drivers/driver.hpp"

#include "persistence/drivers/url_rules.hpp"
#include "persistence/sql/db_error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <vector>

namespace jobstrand::persistence {

// Declares the driver that the folder of a database defines, and gives its address. Not for an
// unnamed namespace, where it would declare another one.
#define JOBSTRAND_DRIVER(name)    \
    [] {                          \
        extern const Driver name; \
        return &name;             \
    }()

constexpr std::array kDrivers{
    JOBSTRAND_DRIVER(kSqliteDriver),
    JOBSTRAND_DRIVER(kMysqlDriver),
    JOBSTRAND_DRIVER(kPostgresqlDriver),
};

std::span<const Driver* const> drivers() {
    return kDrivers;
}

const Driver* find_driver(std::string_view name) {
    const auto found = std::ranges::find_if(kDrivers, [name](const Driver* driver) {
        return driver->url.scheme == name;
    });
    return found == kDrivers.end() ? nullptr : *found;
}

const Driver& driver_of(const DatabaseUrl& url) {
    const Driver* const driver = find_driver(url.scheme);
    if (driver == nullptr) {
        throw std::logic_error(fmt::format("no driver for the scheme \"{}\"", url.scheme));
    }
    return *driver;
}

std::string driver_names() {
    std::vector<std::string> names;
    for (const Driver* const driver : kDrivers) {
        names.emplace_back(driver->url.scheme);
    }
    return listed(names, "or");
}

namespace {

/// Not asked in SQL. The bound is four times what a log is cut to when it has been read.
constexpr Diagnostics::Symptom kLongLog{
    .name = "write-ahead log",
    .unit = "MiB",
    .sql = "",
    .most = 256,
    .advice = "somebody reads the file for long, or has died reading it: end it",
};

SymptomAnswer size_of(const std::string& log_file) {
    constexpr std::uintmax_t kMiB = 1024 * 1024;
    std::error_code is_missing;
    const std::uintmax_t size = std::filesystem::file_size(log_file, is_missing);
    return {.number = is_missing ? 0 : static_cast<std::int64_t>(size / kMiB)};
}

void ask(Connection& connection, std::string_view sql, SymptomAnswer& answer) {
    connection.query({.sql = sql, .columns = 2}, {}, [&](const Row& row) {
        if (!row.is_null(0)) {
            answer.number = row.integer(0);
            answer.words = row.text(1);
        }
    });
}

/// false: the database does not answer this, and why is in the answer.
bool was_answered(Connection& connection, std::string_view sql, SymptomAnswer& answer) {
    // Defended catch: not every user may ask, and not every version knows each of these.
    try {
        answer.error.clear();
        ask(connection, sql, answer);
        return true;
    } catch (const DbError& error) {
        if (error.poisons_connection()) {
            throw;
        }
        answer.error = error.what();
        answer.is_blind = error.kind() == DbErrorKind::access_denied;
        return false;
    }
}

}  // namespace

SymptomAnswer ask_about(Connection& connection, const Diagnostics::Symptom& symptom) {
    SymptomAnswer answer;
    if (!was_answered(connection, symptom.sql, answer) && !symptom.or_sql.empty()) {
        (void)was_answered(connection, symptom.or_sql, answer);
    }
    SymptomAnswer blind;
    if (!symptom.blind_sql.empty() && answer.error.empty() &&
        was_answered(connection, symptom.blind_sql, blind)) {
        answer.is_blind = blind.number.value_or(0) != 0;
    }
    return answer;
}

std::vector<ToldSymptom>
ask_about_all(Connection& connection, const Driver& driver, const std::string& path) {
    std::vector<ToldSymptom> told;
    if (!driver.diagnostics.log_suffix.empty()) {
        told.push_back({kLongLog, size_of(path + std::string(driver.diagnostics.log_suffix))});
    }
    for (const Diagnostics::Symptom& symptom : driver.diagnostics.symptoms) {
        told.push_back({symptom, ask_about(connection, symptom)});
    }
    return told;
}

}  // namespace jobstrand::persistence
