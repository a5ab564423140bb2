#pragma once

#include "deadletter/batch_admin.hpp"
#include "deadletter/dead_letters.hpp"
#include "deadletter/definition_admin.hpp"
#include "deadletter/explanation.hpp"
#include "deadletter/history_admin.hpp"
#include "deadletter/job_admin.hpp"
#include "deadletter/job_search.hpp"
#include "deadletter/limit_admin.hpp"
#include "deadletter/series_admin.hpp"
#include "executor/enqueue/bulk_enqueue.hpp"
#include "persistence/named_lock_store.hpp"
#include "persistence/operator_store.hpp"
#include "persistence/series_store.hpp"
#include "schema/clock.hpp"
#include "schema/log.hpp"
#include "tools/access/access_rights.hpp"
#include "tools/access/narrowed_store.hpp"
#include "tools/engine/wiring.hpp"
#include "tools/handlers/guardian.hpp"
#include "tools/output/record_writer.hpp"
#include "tools/process/input.hpp"
#include "tools/process/this_process.hpp"
#include "tools/session/open_engine.hpp"
#include "tools/settings/settings.hpp"

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace jobstrand::cli {

/// How a lock was asked for.
struct LockTry {
    std::optional<std::int64_t> token = {};  ///< nullopt: another holds it.
    std::string why_not = {};
};

/// Who keeps named locks for a program of this machine: the database, or a service that is asked.
/// Each throws when there is no answer. They are called from one thread at a time.
struct LockCalls {
    std::function<LockTry(const persistence::NamedLockClaim& claim)> acquire;

    /// false: it is not its owner's any more.
    std::function<bool(const persistence::NamedLockClaim& claim)> renew;

    /// false: it was not.
    std::function<bool(const persistence::NamedLockClaim& claim)> release;
};

}  // namespace jobstrand::cli

namespace jobstrand::service {
class NarrowedStore;
}  // namespace jobstrand::service

namespace jobstrand::cli {

class BoostLog;
class HttpClient;
class QueuedStream;
class SpanExporter;
struct SettingsFile;

/// Options that every command takes.
struct GlobalOptions {
    std::optional<std::string> database_url = {};
    std::optional<std::string> config_file = {};
    std::optional<std::string> engine = {};  ///< Which one of the file is meant.
    std::string output = "table";
    std::string color = "auto";
    std::optional<std::string> server = {};      ///< Whose verbs are meant, in place of a database.
    std::optional<std::string> token_file = {};  ///< What lets us in there.
    std::string reason = {};                     ///< Why something is changed, for the audit.
};

/// A client of a service, for whom it runs a verb: what the client has sent, and what the service
/// lends. All of it outlives the session.
struct ServedClient {
    engine::Wiring& engine;
    const Settings& settings;
    const std::map<std::string, std::string>& files;  ///< By the names that were typed.
    const std::string& user;                          ///< As the client says; empty: it does not.
    const std::string& caller;                        ///< The name of its token, or `local`.
    const service::Scope& scope;                      ///< To what that is restricted.
    const std::function<bool()>& is_stopping;         ///< The service: what takes long should end.
    bool reads_reasons = false;                       ///< In what was done, and not on stderr.
};

/// What a command works with: streams, settings, the database. Each part is made when it is first
/// asked for, so that a command that needs no database opens none.
///
/// What cannot be made throws CliError, or DbError when the database is in trouble.
class Session final {
public:
    Session(Streams streams, const Environment& environment, GlobalOptions options);

    /// In a service, for a client. Nothing of this machine is used but the engine: no file, no
    /// variable, no program; and nobody can be asked.
    Session(Streams streams, GlobalOptions options, const ServedClient& client);
    ~Session();

    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    [[nodiscard]] Streams& streams() { return streams_; }

    [[nodiscard]] bool is_for_client() const { return client_.has_value(); }

    /// Whether records of what was not done say why.
    [[nodiscard]] bool shows_reasons() const { return client_ && client_->reads_reasons; }

    /// Whether the client's token leaves out some of the jobs.
    [[nodiscard]] bool is_narrowed() const { return client_ && client_->scope.is_narrow(); }

    /// Of settings(), as tokens name it: that of --engine.
    [[nodiscard]] std::string engine_name() const;

    /// Whether what takes long should end where it can.
    [[nodiscard]] bool must_stop() const { return client_ && client_->is_stopping(); }

    /// Where a client waits, throws CliError wrong_usage: `--rate` of a service would keep a thread
    /// of it. `instead` is what to do.
    void refuse_to_wait(std::string_view option, std::string_view instead) const;

    /// As Input::open(): a file, or `-` for stdin. For a client, what it has sent of them.
    [[nodiscard]] Input input(std::string_view option, const std::string& file) const;

    /// This machine's.
    [[nodiscard]] const schema::Clock& clock() const { return clock_; }

    /// What the database's clock shows (I6); opens the database.
    [[nodiscard]] schema::TimePoint database_now() { return engine().clock().now(); }
    [[nodiscard]] OutputFormat format() const { return format_; }
    [[nodiscard]] const std::string& format_name() const { return options_.output; }

    /// How tables look on stdout.
    [[nodiscard]] const OutputStyle& style() const { return style_; }

    /// PATH of this process, for the programs that it runs.
    [[nodiscard]] std::string path() const;

    /// Who has called the program, as USER or LOGNAME say; empty: neither does.
    [[nodiscard]] std::string user() const;

    /// Whose change it is, as the audit tells it: the token of a client that has one, else user().
    [[nodiscard]] std::string actor() const;

    /// Why something is changed, as --reason says.
    [[nodiscard]] const std::string& reason() const { return options_.reason; }

    /// The verb has changed so many things, for the audit.
    void count_changes(std::int64_t things) { changes_ = changes_.value_or(0) + things; }

    /// nullopt: it does not count them.
    [[nodiscard]] std::optional<std::int64_t> changes() const { return changes_; }

    /// A list goes on behind the item of this key.
    void note_more(std::string_view last) { more_behind_ = last; }

    /// Of each place that was asked about only so many rows were looked at.
    void note_looked_at(std::size_t rows) { looked_at_ = rows; }

    /// nullopt: all that were asked about.
    [[nodiscard]] std::optional<std::size_t> looked_at() const { return looked_at_; }

    /// nullopt: no list goes on.
    [[nodiscard]] const std::optional<std::string>& more_behind() const { return more_behind_; }

    [[nodiscard]] const Settings& settings();

    /// What the configuration file says now, for a service that reads it again; settings() stays.
    [[nodiscard]] Settings settings_anew() const;

    /// The engines that the configuration file names beside that of settings(), which is the one
    /// that --engine names.
    [[nodiscard]] const std::map<std::string, Settings, std::less<>>& further_engines();

    /// Those of an engine of the configuration file, whichever --engine names. One that is not
    /// there is wrong usage.
    [[nodiscard]] Settings settings_of(const std::string& engine) const;

    /// With whom this engine shares its threads; before the engine is asked for.
    void share(std::shared_ptr<executor::SharedThreads> threads) { threads_ = std::move(threads); }

    /// What an engine of this process needs beside its settings.
    [[nodiscard]] EngineSurroundings surroundings();

    /// Where the HTTP service listens, whatever the configuration file says. An address that cannot
    /// be meant so is wrong usage.
    void listen_on(const std::string& address);

    /// What the configuration file has that is without effect.
    [[nodiscard]] const std::vector<std::string>& remarks();

    /// See chosen_config_file(); nullopt: there is none, and the defaults apply.
    [[nodiscard]] std::optional<std::string> config_file() const;

    /// From --db, else JOBSTRAND_DB, else the configuration file; empty: from none of them.
    [[nodiscard]] std::string given_database_url();

    /// given_database_url(), checked; none, or one that cannot be meant so, is wrong usage.
    [[nodiscard]] const std::string& database_url();

    /// database_url() for messages.
    [[nodiscard]] std::string shown_database_url();

    /// Commands write warnings and errors only; from now on what is configured is written, and
    /// nothing waits for whoever reads stderr.
    void use_service_log();
    [[nodiscard]] schema::Log& log();

    /// Of the service's log, because its reader had stalled; nullptr: nothing is dropped.
    [[nodiscard]] const std::atomic<std::uint64_t>* dropped_log_lines() const;

    /// Writes what waits, as far as its reader takes it within `patience`: for who leaves at once.
    void flush_log(std::chrono::milliseconds patience);

    /// Of the service's log, while it writes.
    void set_log_level(schema::LogLevel level);

    /// An engine that is not started, with the service's handlers. The first call opens the
    /// database; `purpose` is of no meaning for the others.
    [[nodiscard]] engine::Wiring& engine(OpenFor purpose = OpenFor::command);

    /// What the database's user lacks for the work of a node, as the GRANT that gives it; empty:
    /// nothing, or no database is open.
    [[nodiscard]] std::string missing_rights();
    /// For a client, as the scope of its token leaves it.
    [[nodiscard]] persistence::OperatorStore& store();
    [[nodiscard]] persistence::SeriesStore& series_store() { return engine().series_store(); }

    [[nodiscard]] persistence::ServedStore& served() { return engine().served_store(); }

    // What an operator works with; all of it opens the database.
    [[nodiscard]] deadletter::JobSearch search() { return deadletter::JobSearch(store()); }
    [[nodiscard]] deadletter::TimerSearch timers() { return {store(), series_store()}; }
    [[nodiscard]] deadletter::JobAdmin jobs() {
        return {store(), series_store(), engine().clock()};
    }
    [[nodiscard]] deadletter::SeriesAdmin series() {
        return {store(), series_store(), engine().clock()};
    }
    [[nodiscard]] deadletter::DefinitionAdmin definitions() {
        return {engine().definition_store(), store(), engine().clock()};
    }
    [[nodiscard]] deadletter::LimitAdmin limits() {
        return deadletter::LimitAdmin(engine().limit_store());
    }
    [[nodiscard]] persistence::NamedLockStore& named_locks() { return engine().named_lock_store(); }

    /// From now on a service keeps the locks of what runs on this machine.
    void use_locks_of(LockCalls service) { lock_calls_ = std::move(service); }

    /// nullopt: they are in the database.
    [[nodiscard]] const std::optional<LockCalls>& locks_of_service() const { return lock_calls_; }

    [[nodiscard]] deadletter::Explainer explaining() {
        return {
            {store(), series_store(), engine().node_store(), engine().limit_store()},
            engine().clock()};
    }
    [[nodiscard]] deadletter::AuditTrail audit() {
        return {engine().audit_store(), engine().clock(), &engine().action_counts()};
    }
    [[nodiscard]] deadletter::HistoryAdmin history() {
        return {engine().history_store(), engine().clock()};
    }
    /// As store().
    [[nodiscard]] service::SeenRuns last_runs();
    /// Throws service::OutOfScope for a client whose token is narrow: a batch selects among all.
    [[nodiscard]] deadletter::BatchAdmin batches();
    [[nodiscard]] persistence::NodeStore& nodes() { return engine().node_store(); }
    [[nodiscard]] deadletter::DeadLetters& dead_letters();

    /// How new jobs are enqueued; opens the database. Nothing is handed to workers of this process.
    [[nodiscard]] executor::BulkEnqueue enqueueing() { return engine().enqueueing(); }

    /// Of the programs that this process runs. It is not started yet.
    [[nodiscard]] Guardian& guardian() { return guardian_; }

    /// Of the handlers of engine().
    [[nodiscard]] HandlerCounts& handler_counts() { return handler_counts_; }

    /// From now on engines send spans of their runs, if the configuration says where.
    void export_spans();
    /// nullptr: they do not.
    [[nodiscard]] const std::shared_ptr<SpanExporter>& spans() const { return spans_; }

    /// Who started this process and wants to hear how it goes.
    [[nodiscard]] Supervisor supervisor() const { return Supervisor(environment_); }

    /// One line on stderr: a text, or a format and what fills it.
    void tell(const std::string& line);
    template <typename First, typename... More>
    void tell(fmt::format_string<First, More...> format, First&& first, More&&... more) {
        tell(fmt::format(format, std::forward<First>(first), std::forward<More>(more)...));
    }

private:
    Session(
        Streams streams,
        const Environment& environment,
        GlobalOptions options,
        std::optional<ServedClient> client
    );

    [[nodiscard]] SettingsFile read_whole_file() const;

    /// As --engine chooses.
    [[nodiscard]] SettingsFile read_file() const;

    Streams streams_;
    const Environment& environment_;
    const GlobalOptions options_;
    const std::optional<ServedClient> client_;
    const OutputFormat format_;
    const OutputStyle style_;
    const schema::SystemClock clock_;
    std::optional<Settings> settings_;
    std::map<std::string, Settings, std::less<>> further_engines_;
    std::shared_ptr<executor::SharedThreads> threads_;
    std::vector<std::string> remarks_;
    std::optional<std::string> listen_;  ///< As listen_on() says.
    std::optional<std::string> database_url_;
    std::unique_ptr<QueuedStream> err_queue_;  ///< Outlives whatever writes a last line.
    std::unique_ptr<BoostLog> log_;
    Guardian guardian_;
    HandlerCounts handler_counts_;
    const std::unique_ptr<HttpClient> http_client_;
    std::shared_ptr<SpanExporter> spans_;
    std::unique_ptr<engine::Wiring> engine_;
    std::unique_ptr<service::NarrowedStore> narrowed_store_;  ///< For a restricted client.
    std::optional<deadletter::DeadLetters> narrowed_dead_letters_;
    std::optional<std::int64_t> changes_;
    std::optional<std::string> more_behind_;
    std::optional<std::size_t> looked_at_;
    std::optional<LockCalls> lock_calls_;  ///< Of a service.
};

}  // namespace jobstrand::cli
