#include "bench/core/bench_database.hpp"

#include "persistence/drivers/database.hpp"
#include "persistence/drivers/database_url.hpp"
#include "persistence/migration/schema_migration.hpp"
#include "persistence/migration/table_changes.hpp"
#include "persistence/sql/db_error.hpp"
#include "persistence/sql/dialect.hpp"

#include <fmt/format.h>

#include <chrono>
#include <stdexcept>
#include <thread>

namespace jobstrand::bench {

namespace {

using persistence::DatabaseUrl;
using persistence::SessionPool;
using Access = SessionPool::Access;

std::string
url_or_file(const std::string& url, std::optional<test::TemporaryDirectory>& directory) {
    if (!url.empty()) {
        return url;
    }
    directory.emplace();
    return "sqlite:" + (directory->path() / "bench.db").string();
}

}  // namespace

BenchDatabase::BenchDatabase(const std::string& url, bool wipe_first, schema::Log& log)
    : url_(url_or_file(url, directory_)),
      parsed_(persistence::required_database_url(url_)),
      pool_(persistence::open_database(parsed_, {.create_if_missing = true})),
      store_(*pool_, log, schedule_) {
    persistence::upgrade_schema(*lease(Access::write));
    if (wipe_first) {
        wipe();
    }
    if (!is_empty()) {
        throw std::runtime_error(fmt::format(
            "{} holds jobs; a benchmark would run and delete them: name another database, or "
            "delete them with --wipe",
            persistence::without_password(parsed_)
        ));
    }
}

SessionPool::Lease BenchDatabase::lease(Access access) {
    return pool_->lease(access);
}

bool BenchDatabase::is_empty(std::span<const schema::JobPlace> places) {
    const auto session = lease(Access::read);
    bool is_any = false;
    for (const schema::JobPlace place : places) {
        const std::string sql = fmt::format("SELECT 1 FROM {} LIMIT 1", schema::table_of(place));
        session->query({.sql = sql, .columns = 1}, {}, [&](const auto&) { is_any = true; });
    }
    return !is_any;
}

bool BenchDatabase::wait_until_empty(
    schema::Duration limit,
    std::span<const schema::JobPlace> places
) {
    const auto give_up = std::chrono::steady_clock::now() + limit;
    while (!is_empty(places)) {
        if (std::chrono::steady_clock::now() > give_up) {
            return false;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
}

bool BenchDatabase::set_index(const schema::OptionalIndex& index, bool is_wanted) {
    const auto session = lease(Access::write);
    if (is_wanted) {
        return !persistence::create_index(*session, index);
    }
    return persistence::drop_index(*session, index);
}

IndexForRun::~IndexForRun() {
    // Defended catch: nobody catches what a destructor throws.
    try {
        database_.set_index(index_, was_there_);
    } catch (const persistence::DbError&) {
    }
}

void BenchDatabase::tidy_up() {
    const auto session = lease(Access::write);
    if (session->dialect().name == "postgresql") {
        session->run_script("VACUUM (ANALYZE) ACT_RU_JOB");
        session->run_script("VACUUM (ANALYZE) ACT_RU_TIMER_JOB");
    }
}

void BenchDatabase::wipe() {
    const auto session = lease(Access::write);
    const auto empty = [&session](std::string_view table) {
        const std::string_view sql = session->dialect().tables.empty_table;
        session->run_script(fmt::format(fmt::runtime(sql), table));
    };
    for (const schema::JobPlace place : schema::kJobPlaces) {
        empty(schema::table_of(place));
    }
    empty("ACT_GE_BYTEARRAY");
}

}  // namespace jobstrand::bench
