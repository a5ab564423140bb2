#include "test/ledger/ledger_database.hpp"

#include "test/fixtures/database_servers.hpp"
#include "test/fixtures/open_store.hpp"
#include "test/fixtures/server_database.hpp"
#include "test/fixtures/signal.hpp"

#include <fmt/format.h>
#include <sys/types.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <utility>

namespace jobstrand::test {

namespace {

using persistence::Row;

// What the triggers of each database write: an end of a run, and the end of a lease.

class SqliteLedger final : public LedgerDatabase {
public:
    SqliteLedger() {
        make_tables(
            {R"sql(
            CREATE TRIGGER LEDGER_ENDS AFTER DELETE ON ACT_RU_JOB BEGIN
                INSERT INTO LEDGER_END VALUES (OLD.ID_, OLD.REV_,
                    CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER) * 1000);
            END)sql",
             R"sql(
            CREATE TRIGGER LEDGER_BURIALS AFTER UPDATE OF STATE_ ON JS_NODE
            WHEN NEW.STATE_ = 'lost' BEGIN
                INSERT INTO LEDGER_BURIAL VALUES (NEW.PROCESS_,
                    CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER) * 1000);
            END)sql"}
        );
    }
    [[nodiscard]] std::string url() const override { return file_.url_text(); }

private:
    const SqliteFile file_;
};

/// `url` is that of its own database.
struct LedgerServer {
    persistence::DatabaseUrl url;
    std::function<void()> crash;
    /// Of the database of the jobs, on the server itself, where a proxy is in front that takes no
    /// triggers.
    std::optional<persistence::DatabaseUrl> behind = {};
};

persistence::DatabaseUrl of_jobs(persistence::DatabaseUrl url) {
    // The shard of Vitess at which it may aim stays.
    url.database.replace(0, url.database.find(':'), "jobs");
    return url;
}

LedgerServer our_own(std::shared_ptr<DatabaseServer> server) {
    return {.url = server->url(), .crash = [server] {
                server->kill();
                server->start();
            }};
}

std::optional<persistence::DatabaseUrl> behind_a_proxy() {
    const std::string_view url = std::getenv("JOBSTRAND_TEST_BEHIND") == nullptr
                                     ? std::string_view()
                                     : std::getenv("JOBSTRAND_TEST_BEHIND");
    return url.empty() ? std::nullopt : std::optional(persistence::parse_database_url(url).value());
}

/// One that somebody else runs: whose process is in the file that the environment's
/// JOBSTRAND_TEST_PROCESS names, as soon as it may be killed, and who starts it again.
/// JOBSTRAND_TEST_BEHIND is LedgerServer::behind, or empty.
LedgerServer somebodys(const persistence::DatabaseUrl& url) {
    return {
        .url = url,
        .crash =
            [url] {
                const char* const file = std::getenv("JOBSTRAND_TEST_PROCESS");
                pid_t process = 0;
                const auto is_told = [&] { return bool(std::ifstream(file) >> process); };
                if (file == nullptr) {
                    throw std::runtime_error("JOBSTRAND_TEST_PROCESS names no file of a process");
                }
                // A killed member of a group catches up first with what the others wrote.
                if (!eventually(is_told, std::chrono::minutes(5))) {
                    throw std::runtime_error("for five minutes the server could not be killed again"
                    );
                }
                ::kill(process, SIGKILL);
                const bool is_back = eventually(
                    [&] {
                        // Defended catch: it is not back yet.
                        try {
                            return open_connection(of_jobs(url)) != nullptr;
                        } catch (const persistence::DbError&) {
                            return false;
                        }
                    },
                    std::chrono::minutes(1)
                );
                if (!is_back) {
                    throw std::runtime_error("the server was not started again");
                }
            },
        .behind = behind_a_proxy()};
}

class ServerLedger : public LedgerDatabase {
public:
    [[nodiscard]] std::string url() const override { return url_text(of_jobs(server_.url)); }
    [[nodiscard]] bool is_server() const override { return true; }
    void crash() override { server_.crash(); }

protected:
    explicit ServerLedger(LedgerServer server) : server_(std::move(server)) {
        server_connection()->run_script("CREATE DATABASE jobs");
    }

    /// Not in the database of the jobs.
    [[nodiscard]] std::unique_ptr<persistence::Connection> server_connection() const {
        return open_connection(without_shard(server_.url));
    }

    /// Of the database of the jobs, on the server itself.
    [[nodiscard]] persistence::DatabaseUrl behind() const {
        return server_.behind.value_or(of_jobs(server_.url));
    }

    [[nodiscard]] std::unique_ptr<persistence::Connection> connect_behind() const override {
        return open_connection(behind());
    }

private:
    const LedgerServer server_;
};

/// MySQL too.
class MariaDbLedger final : public ServerLedger {
public:
    explicit MariaDbLedger(LedgerServer server) : ServerLedger(std::move(server)) {
        make_tables(
            {R"sql(
            CREATE TRIGGER LEDGER_ENDS AFTER DELETE ON ACT_RU_JOB FOR EACH ROW
                INSERT INTO LEDGER_END VALUES (OLD.ID_, OLD.REV_,
                    FLOOR(1000000 * UNIX_TIMESTAMP(SYSDATE(6)))))sql",
             R"sql(
            CREATE TRIGGER LEDGER_BURIALS AFTER UPDATE ON JS_NODE FOR EACH ROW
                INSERT INTO LEDGER_BURIAL
                SELECT NEW.PROCESS_, FLOOR(1000000 * UNIX_TIMESTAMP(SYSDATE(6))) FROM DUAL
                WHERE NEW.STATE_ = 'lost' AND OLD.STATE_ <> 'lost')sql"}
        );
    }
    void cut_connections() override {
        const persistence::DatabaseUrl url = behind();
        const auto own = connect_behind();
        std::vector<std::int64_t> ids;
        const persistence::Value database{std::string_view(url.database)};
        own->query(
            {.sql = "SELECT ID FROM information_schema.PROCESSLIST "
                    "WHERE DB = ? AND ID <> CONNECTION_ID()",
             .columns = 1},
            {&database, 1},
            [&](const Row& row) { ids.push_back(row.integer(0)); }
        );
        for (const std::int64_t id : ids) {
            // Defended catch: whoever has gone by himself needs no cut.
            try {
                own->run_script(fmt::format("KILL CONNECTION {}", id));
            } catch (const persistence::DbError&) {
            }
        }
    }
};

class PostgresqlLedger final : public ServerLedger {
public:
    explicit PostgresqlLedger(LedgerServer server) : ServerLedger(std::move(server)) {
        make_tables(
            {R"sql(
            CREATE FUNCTION ledger_end() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                INSERT INTO LEDGER_END VALUES (OLD.ID_, OLD.REV_,
                    floor(1000000 * extract(epoch FROM clock_timestamp())));
                RETURN NULL;
            END $$)sql",
             R"sql(
            CREATE TRIGGER LEDGER_ENDS AFTER DELETE ON ACT_RU_JOB
                FOR EACH ROW EXECUTE FUNCTION ledger_end())sql",
             R"sql(
            CREATE FUNCTION ledger_end_of_lease() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                INSERT INTO LEDGER_BURIAL VALUES (NEW.PROCESS_,
                    floor(1000000 * extract(epoch FROM clock_timestamp())));
                RETURN NULL;
            END $$)sql",
             R"sql(
            CREATE TRIGGER LEDGER_BURIALS AFTER UPDATE OF STATE_ ON JS_NODE
                FOR EACH ROW WHEN (NEW.STATE_ = 'lost') EXECUTE FUNCTION ledger_end_of_lease())sql"}
        );
    }
    void cut_connections() override {
        server_connection()->run_script(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'jobs'"
        );
    }
};

constexpr std::size_t kInstances = 200;

/// One in a hundred kinds of jobs.
schema::Job a_ledger_job(std::size_t number) {
    schema::Job job{.id = fmt::format("job-{:09}", number)};
    const std::size_t kind = number % 100;
    if (kind < 50) {
        job.handler_type = "plain";
    } else if (kind < 55) {
        job.handler_type = "few";
    } else if (kind < 75) {
        job.handler_type = "alone";
        job.process_instance_id = fmt::format("i{:03}", number / 100 % kInstances);
    } else if (kind < 90) {
        job.handler_type = "effect";
    } else if (kind < 97) {
        job.handler_type = "flaky";
    } else {
        job.handler_type = "command";
        job.payload = R"({"command": "note"})";
    }
    return job;
}

}  // namespace

std::unique_ptr<persistence::Connection> LedgerDatabase::connect() const {
    return open_connection(persistence::parse_database_url(url()).value());
}

void LedgerDatabase::make_tables(const std::vector<std::string>& triggers) const {
    const auto connection = connect();
    persistence::upgrade_schema(*connection);
    connection->run_script("CREATE TABLE LEDGER_EFFECT (JOB_ID_ varchar(64), TOKEN_ bigint)");
    connection->run_script(
        "CREATE TABLE LEDGER_END (JOB_ID_ varchar(64), TOKEN_ bigint, AT_ bigint)"
    );
    connection->run_script("CREATE TABLE LEDGER_BURIAL (PROCESS_ bigint, AT_ bigint)");
    const auto behind = connect_behind();
    for (const std::string& statement : triggers) {
        behind->run_script(statement);
    }
}

void LedgerDatabase::add_jobs(std::size_t count, Ledger& ledger) const {
    constexpr std::size_t page = 1000;
    const OpenStore store(url());
    schema::JobLimit limit = schema::limit_named("type:few");
    limit.concurrent = static_cast<int>(kMostLimited);
    store->limits().set_limit(limit);
    for (std::size_t added = 0; added < count; added += page) {
        std::vector<schema::PlacedJob> jobs;
        for (std::size_t i = added; i < std::min(added + page, count); ++i) {
            jobs.push_back({.place = schema::JobPlace::executable, .job = a_ledger_job(i)});
            ledger.jobs.push_back(jobs.back().job.id);
            if (jobs.back().job.handler_type == "effect") {
                ledger.transactional.push_back(jobs.back().job.id);
            }
            if (jobs.back().job.handler_type == "few") {
                ledger.limited.push_back(jobs.back().job.id);
            }
        }
        store->enqueuer().insert(std::move(jobs), persistence::IdOrigin::given);
    }
}

std::int64_t LedgerDatabase::count_jobs() const {
    return count_all_jobs(*connect());
}

std::string LedgerDatabase::describe_jobs() const {
    const OpenStore store(url());
    std::string lines;
    for (const schema::JobPlace place : schema::kJobPlaces) {
        for (const schema::Job& job : store->jobs().list(place, {}, "", 5)) {
            lines += fmt::format(
                "{} {} {} token {} owner {} exception {}\n",
                schema::name_of(place),
                job.id,
                job.handler_type,
                job.revision,
                job.lock_owner,
                job.exception_message
            );
        }
    }
    return lines;
}

void LedgerDatabase::report_to(Ledger& ledger) const {
    const auto connection = connect_behind();  // A proxy gives no table of that length.
    connection->query(
        {.sql = "SELECT JOB_ID_, TOKEN_, AT_ FROM LEDGER_END", .columns = 3},
        {},
        [&](const Row& row) {
            ledger.ends.push_back(
                {.job = std::string(row.text(0)),
                 .token = row.integer(1),
                 .at = Instant(std::chrono::microseconds(row.integer(2)))}
            );
        }
    );
    connection->query(
        {.sql = "SELECT JOB_ID_, TOKEN_ FROM LEDGER_EFFECT", .columns = 2},
        {},
        [&](const Row& row) {
            ledger.effects.push_back({.job = std::string(row.text(0)), .token = row.integer(1)});
        }
    );
    connection->query(
        {.sql = "SELECT PROCESS_, AT_ FROM LEDGER_BURIAL", .columns = 2},
        {},
        [&](const Row& row) {
            ledger.add_end_of_lease(
                row.integer(0), Instant(std::chrono::microseconds(row.integer(1)))
            );
        }
    );
}

std::vector<LedgerDatabaseUnderTest> ledger_databases() {
    std::vector<LedgerDatabaseUnderTest> all{
        {.name = "sqlite", .open = [] { return std::make_unique<SqliteLedger>(); }},
        {.name = "mariadb",
         .open =
             [] {
                 return std::make_unique<MariaDbLedger>(our_own(std::make_shared<MariaDbServer>()));
             },
         .missing = MariaDbServer::what_is_missing()},
        {.name = "postgresql",
         .open =
             [] {
                 return std::make_unique<PostgresqlLedger>(
                     our_own(std::make_shared<PostgresqlServer>())
                 );
             },
         .missing = PostgresqlServer::what_is_missing()}};
    for (const persistence::DatabaseUrl& url : named_databases("mysql")) {
        all.push_back({.name = "named_mysql", .open = [url] {
                           return std::make_unique<MariaDbLedger>(somebodys(url));
                       }});
    }
    for (const persistence::DatabaseUrl& url : named_databases("postgresql")) {
        all.push_back({.name = "named_postgresql", .open = [url] {
                           return std::make_unique<PostgresqlLedger>(somebodys(url));
                       }});
    }
    return all;
}

}  // namespace jobstrand::test
