#include "bench/core/environment.hpp"

#include <fmt/format.h>
#include <sys/utsname.h>
#include <sys/vfs.h>

#include <fstream>
#include <string>
#include <thread>
#include <utility>

namespace jobstrand::bench {

namespace {

using schema::DatabaseKind;
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

bool is_in_memory(const BenchDatabase& database) {
    struct statfs info {};
    return statfs(database.parsed_url().path.c_str(), &info) == 0 && info.f_type == kTmpfsMagic;
}

std::string version(BenchDatabase& database) {
    switch (database.kind()) {
        case DatabaseKind::sqlite:
            return "SQLite " + answer(database, "SELECT sqlite_version()");
        case DatabaseKind::mysql:
            return "MySQL/MariaDB " + answer(database, "SELECT version()");
        case DatabaseKind::postgresql:
            return "PostgreSQL " + answer(database, "SHOW server_version");
    }
    return {};
}

std::string durability(BenchDatabase& database) {
    switch (database.kind()) {
        case DatabaseKind::sqlite:
            return fmt::format(
                "journal_mode={}, synchronous={}{}",
                answer(database, "PRAGMA journal_mode"),
                answer(database, "PRAGMA synchronous"),
                is_in_memory(database) ? ", on tmpfs: nothing survives a power cut" : ""
            );
        case DatabaseKind::mysql:
            return fmt::format(
                "innodb_flush_log_at_trx_commit={}, sync_binlog={}, log_bin={}",
                answer(database, "SELECT @@innodb_flush_log_at_trx_commit"),
                answer(database, "SELECT @@sync_binlog"),
                answer(database, "SELECT @@log_bin")
            );
        case DatabaseKind::postgresql:
            return fmt::format(
                "fsync={}, synchronous_commit={}",
                answer(database, "SHOW fsync"),
                answer(database, "SHOW synchronous_commit")
            );
    }
    return {};
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

}  // namespace jobstrand::bench
