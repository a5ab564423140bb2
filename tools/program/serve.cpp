#include "tools/calls/span_exporter.hpp"
#include "tools/engine/wiring.hpp"
#include "tools/operations/nouns.hpp"
#include "tools/process/exit_code.hpp"
#include "tools/process/signals.hpp"
#include "tools/process/this_process.hpp"
#include "tools/program/further_engine.hpp"
#include "tools/program/slow_step.hpp"
#include "tools/service/api/engine_set.hpp"
#include "tools/service/http_service.hpp"
#include "tools/session/session.hpp"
#include "tools/settings/setting_table.hpp"
#include "tools/text/http_address.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <future>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace jobstrand::cli {

using namespace std::chrono_literals;
using executor::StopMode;
using schema::LogLevel;

namespace {

/// The settings whose values differ, in the order of the documentation.
[[nodiscard]] std::vector<std::string_view> changes(const Settings& from, const Settings& to) {
    std::vector<std::string_view> names;
    for (const Setting* setting : all_settings()) {
        if (text_of(from, *setting) != text_of(to, *setting)) {
            names.push_back(setting->name);
        }
    }
    if (from.commands != to.commands) {
        names.push_back(kCommandsName);
    }
    if (from.targets != to.targets) {
        names.push_back(kTargetsName);
    }
    if (from.flowable != to.flowable) {
        names.push_back(kFlowableName);
    }
    return names;
}

/// Takes over into a running service what its configuration file says now: `logLevel`, [commands]
/// and [targets] with their secrets, and which jobs the node serves. Jobs that run end with what
/// they began with. What else has changed is named in the log: it counts when the service is
/// started again.
///
/// Thread safety: none needed; the thread that waits for signals calls it.
class Reload final {
public:
    /// `engine` is the service's only one; nullptr: it has several, and then of the file `logLevel`
    /// alone counts at once. Both are borrowed.
    Reload(Session& session, engine::Wiring* engine)
        : session_(session), engine_(engine), running_(session.settings()) {}

    /// Without a configuration file there is nothing to read again.
    [[nodiscard]] bool is_possible() const { return session_.config_file().has_value(); }

    /// A file with a mistake is told in the log, and changes nothing.
    void run() {
        // Defended catch: a service goes on with the settings that it has.
        try {
            take_over(session_.settings_anew());
        } catch (const std::exception& error) {
            session_.log().write(
                LogLevel::error,
                "the configuration file is not taken over: what counted before still counts",
                {{"error", error.what()}}
            );
        }
    }

private:
    void take_over(const Settings& anew) {
        if (engine_ != nullptr) {
            take_over_scope(anew);
            take_over_handlers(anew);
        }
        session_.set_log_level(anew.log_level);
        running_.log_level = anew.log_level;
        session_.log().write(LogLevel::info, "the configuration file was read again", {});
        print_what_waits(anew);
    }

    void take_over_handlers(const Settings& anew) {
        for (const std::string& obstacle : obstacles_to_handlers(anew)) {
            session_.log().write(
                LogLevel::warn, "these jobs are not taken here", {{"obstacle", obstacle}}
            );
        }
        replace_configured_handlers(*engine_, session_.surroundings(), anew);
        engine_->serve_anew();
        running_.commands = anew.commands;
        running_.targets = anew.targets;
    }

    void take_over_scope(const Settings& anew) {
        if (anew.executor.scope == running_.executor.scope) {
            return;
        }
        engine_->limit_to(anew.executor.scope);
        running_.executor.scope = anew.executor.scope;
    }

    void print_what_waits(const Settings& anew) {
        const auto names = changes(running_, anew);
        if (!names.empty()) {
            session_.log().write(
                LogLevel::warn,
                "these settings count when the service is started again",
                {{"settings", fmt::format("{}", fmt::join(names, ", "))}}
            );
        }
    }

    Session& session_;
    engine::Wiring* const engine_;
    Settings running_;  ///< What counts now.
};

/// After the second signal the executor waits five seconds for its handlers and writes their
/// outcomes; beyond that there is nothing to wait for.
constexpr schema::Duration kPatienceAtOnce = 8s;

/// One deadline for all that stopping does, beyond the time that running jobs may take: to end the
/// handlers that are left, to write the last outcomes, to tell that this node leaves, to end
/// requests. A database that is frozen would hold each of them for as long as it waits for an
/// answer.
constexpr schema::Duration kPatienceAfterJobs = 15s;

/// For the last lines of the log, where the process ends at once.
constexpr std::chrono::milliseconds kPatienceForLog = 1s;

/// For the last spans.
constexpr schema::Duration kPatienceForSpans = 5s;

void notify_ready(Session& session, engine::Wiring& engine, bool is_executing) {
    const executor::ExecutorSettings& settings = session.settings().executor;
    session.log().write(
        LogLevel::info,
        is_executing ? "ready" : "ready, but running no jobs: the executor is off",
        {
            {"database", session.shown_database_url()},
            {"lock_owner", engine.lock_owner()},
            {"workers", fmt::format("{}-{}", settings.core_pool_size, settings.max_pool_size)},
            {"queue_size", settings.queue_size},
            {"commands", session.settings().commands.size()},
            {"clock_skew_ms", engine.clock_skew().count()},
        }
    );
}

/// All engines of the service: at most one that the command names, and those beside it.
struct Engines {
    engine::Wiring* first = nullptr;
    std::vector<std::unique_ptr<FurtherEngine>> further = {};
    service::HttpService* http = nullptr;  ///< Of the first, if it has one.
    service::EngineSet* set = nullptr;     ///< nullptr: each stands alone.

    void read_certificates_again() {
        if (http != nullptr) {
            http->read_certificate_again();
        }
        for (const auto& engine : further) {
            engine->read_certificate_again();
        }
    }

    /// All at once, since each may take as long as its jobs. As AsyncExecutor::stop().
    [[nodiscard]] bool stop(StopMode mode) {
        std::vector<std::future<bool>> ends;
        for (const auto& engine : further) {
            ends.push_back(std::async(std::launch::async, [&] { return engine->stop(mode); }));
        }
        bool have_all_ended = first == nullptr || first->stop(mode);
        for (std::future<bool>& end : ends) {
            have_all_ended = end.get() && have_all_ended;
        }
        return have_all_ended;
    }

    /// Requests are told from now on that it is not ready.
    void say_stopping() {
        if (http != nullptr) {
            http->say_stopping();
        }
        for (const auto& engine : further) {
            engine->say_stopping();
        }
    }

    /// Ends what requests have begun; then all services at once.
    void stop_serving() {
        if (set != nullptr) {
            set->stop();
        }
        std::vector<std::future<void>> ends;
        for (const auto& engine : further) {
            ends.push_back(std::async(std::launch::async, [&] { engine->stop_serving(); }));
        }
        if (http != nullptr) {
            http->stop();
        }
    }
};

void wait_for_stop(
    Session& session,
    StopSignals& signals,
    const Supervisor& supervisor,
    Engines& engines
) {
    Reload reload(session, engines.further.empty() ? engines.first : nullptr);
    while (true) {
        const auto event = signals.wait(supervisor.alive_interval());
        if (event == StopSignals::Event::timed_out) {
            // For this it has to get at the jobs that it holds: an executor that is stuck cannot.
            if (engines.first == nullptr || engines.first->standstill().empty()) {
                supervisor.notify_alive();
            }
        } else if (event == StopSignals::Event::hangup && reload.is_possible()) {
            reload.run();
            engines.read_certificates_again();
        } else {
            return;
        }
    }
}

/// Ends the process without destroying what running handlers still use.
[[noreturn]] void leave(Session& session, const char* why) {
    session.log().write(LogLevel::error, why, {});
    session.streams().out.flush();
    session.flush_log(kPatienceForLog);
    std::_Exit(static_cast<int>(ExitCode::failed));
}

/// What the thread that stops and the one that hurries it tell each other.
struct Drain {
    Session& session;
    Engines& engines;
    StopSignals& signals;
    std::atomic<bool> have_jobs_ended = false;

    [[noreturn]] void leave_late(const char* with_jobs) const {
        leave(
            session,
            have_jobs_ended ? "requests did not end in time, perhaps for want of the database"
                            : with_jobs
        );
    }
};

/// Hurries the drain when a further signal comes, and ends the process when the drain is not over
/// within `limit`. true: it came before the drain had begun, so this call has stopped all jobs,
/// cleanly.
[[nodiscard]] bool hurry(Drain& drain, schema::Duration limit) {
    switch (drain.signals.wait(limit)) {
        case StopSignals::Event::timed_out:
            drain.leave_late("not stopped in time, perhaps for want of the database: locks expire");
        case StopSignals::Event::stop:
            break;
        case StopSignals::Event::hangup:
        case StopSignals::Event::cancelled:
            return false;
    }
    bool have_ended = false;
    if (!drain.have_jobs_ended) {
        drain.session.log().write(LogLevel::warn, "second signal: stopping running jobs", {});
        have_ended = drain.engines.stop(StopMode::at_once);
        if (have_ended) {
            drain.have_jobs_ended = true;
        }
    }
    if (drain.signals.wait(kPatienceAtOnce) != StopSignals::Event::cancelled) {
        drain.leave_late("running jobs did not stop: their locks will expire");
    }
    return have_ended;
}

/// Stops all engines, and what serves their requests.
void drain(Session& session, Engines& engines, StopSignals& signals) {
    session.log().write(
        LogLevel::info, "stopping: running jobs may finish, a second signal stops them", {}
    );
    signals.ignore_hangups();
    Drain state{session, engines, signals};
    bool was_hurried = false;  // Read after the thread has ended.
    const schema::Duration limit = session.settings().executor.shutdown_wait + kPatienceAfterJobs;
    std::thread hurrying([&] { was_hurried = hurry(state, limit); });
    engines.say_stopping();
    const bool was_drained = engines.stop(StopMode::drain);
    if (was_drained) {
        state.have_jobs_ended = true;
    }
    engines.stop_serving();
    signals.cancel();
    hurrying.join();
    if (!was_drained && !was_hurried) {
        leave(session, "running jobs did not finish in time: their locks will expire");
    }
    session.log().write(LogLevel::info, "stopped", {});
}

/// Where the engines of this service answer HTTP, on ports that the configuration names.
[[nodiscard]] std::vector<service::EngineAddress> addresses_of(Session& session) {
    std::vector<service::EngineAddress> all;
    const auto add = [&all](const std::string& name, const Settings& settings) {
        const auto address = service::parse_listen_address(settings.http.listen);
        if (address && address.value().port != 0) {
            all.push_back({name, address.value().port});
        }
    };
    add(session.engine_name(), session.settings());
    for (const auto& [name, settings] : session.further_engines()) {
        add(name, settings);
    }
    return all;
}

/// nullptr: each stands alone.
[[nodiscard]] std::unique_ptr<service::EngineSet> set_of(Session& session) {
    const std::vector<std::string>& names = session.settings().spread_over;
    return names.empty() ? nullptr : std::make_unique<service::EngineSet>(names, session.log());
}

[[nodiscard]] service::ApiParts
api_parts(Session& session, engine::Wiring& engine, service::EngineSet* set) {
    return {
        .engine = engine,
        .settings = session.settings(),
        .log = session.log(),
        .spans = session.spans() == nullptr ? nullptr : &session.spans()->counts(),
        .handlers = &session.handler_counts(),
        .dropped_log_lines = session.dropped_log_lines(),
        .engine_name = session.engine_name(),
        .engines = addresses_of(session),
        .set = set != nullptr && set->has(session.engine_name()) ? set : nullptr};
}

/// nullptr: nobody wants one.
[[nodiscard]] std::unique_ptr<service::HttpService>
http_service(const service::ApiParts& parts, bool runs_jobs) {
    if (parts.settings.http.listen.empty()) {
        return nullptr;
    }
    // Defended catch: what cannot be listened on is a mistake in the settings.
    try {
        return std::make_unique<service::HttpService>(parts, runs_jobs);
    } catch (const std::runtime_error& error) {
        throw WrongUsage(error.what());
    }
}

void start_http(Session& session, service::HttpService& http) {
    http.start();
    session.log().write(
        LogLevel::info,
        "serving HTTP",
        {{"address", session.settings().http.listen}, {"port", http.port()}}
    );
}

void print_settings(Session& session) {
    for (const std::string& remark : session.remarks()) {
        session.log().write(LogLevel::warn, "setting without effect", {{"setting", remark}});
    }
    for (const std::string& obstacle : obstacles_to_handlers(session.settings())) {
        session.log().write(
            LogLevel::warn, "these jobs are not taken here", {{"obstacle", obstacle}}
        );
    }
}

/// For what is configured: an app's connections and those of HTTP clients, and enough for
/// databases, files and programs.
[[nodiscard]] std::size_t descriptors_for(const Settings& settings) {
    constexpr std::size_t others = 512;
    std::size_t calls = 0;
    for (const auto& [name, target] : settings.targets) {
        calls += target.calls;
    }
    const std::size_t clients = settings.http.listen.empty() ? 0 : settings.http.connections;
    return others + clients + std::min(calls, settings.executor.async_runs);
}

/// Engines beside each other share the threads of the settings at the top; nullptr: there is one.
[[nodiscard]] std::shared_ptr<executor::SharedThreads> threads_to_share(Session& session) {
    const std::size_t further = session.further_engines().size();
    const std::size_t threads = session.settings().executor.max_pool_size;
    if (further == 0) {
        return nullptr;
    }
    if (threads <= further) {
        throw WrongUsage(
            "maxPoolSize is {}, but {} engines share these threads, and each needs one",
            threads,
            further + 1
        );
    }
    return std::make_shared<executor::SharedThreads>(threads);
}

[[nodiscard]] engine::Wiring& opened(Session& session) {
    const SlowStep step(session.log(), "the database");
    return session.engine(OpenFor::service);
}

/// Opens the first engine and starts it, with its HTTP service.
[[nodiscard]] std::unique_ptr<service::HttpService>
start_first(Session& session, Engines& engines, service::EngineSet* set, bool is_executing) {
    engine::Wiring& engine = opened(session);
    const service::ApiParts parts = api_parts(session, engine, set);
    // It listens before jobs run, so that a port which is taken is told at once.
    auto http = http_service(parts, is_executing);
    if (is_executing) {
        const SlowStep step(session.log(), "the database, to register this node");
        engine.start();
    }
    if (http) {
        start_http(session, *http);
    }
    if (parts.set != nullptr) {
        set->join(parts);
    }
    notify_ready(session, engine, is_executing);
    engines.first = &engine;
    engines.http = http.get();
    return http;
}

struct ServeOptions {
    bool no_executor = false;
    std::optional<std::string> http;  ///< Where to listen, in place of httpListen.
};

/// `serve`: runs jobs until a signal says stop; SIGHUP makes it read its configuration file again,
/// and without one stops it too. The first signal lets running jobs finish (within
/// awaitTerminationPeriod) and frees those that wait; a second one stops them. Jobs that do not end
/// even then are left to their locks, and the process ends at once, with exit code 1.
[[nodiscard]] ExitCode serve(Session& session, const ServeOptions& options) {
    session.use_service_log();
    StopSignals signals;
    // A closed stderr must end no job; writing to it fails like any other write.
    std::signal(SIGPIPE, SIG_IGN);
    if (options.http) {
        session.listen_on(*options.http);
    }
    print_settings(session);
    const Settings& settings = session.settings();
    const bool is_executing = settings.executor_active && !options.no_executor;
    allow_descriptors(descriptors_for(settings));
    if (is_executing && !settings.commands.empty()) {
        session.guardian().start();  // While this process is small.
    }
    session.export_spans();
    const auto threads = threads_to_share(session);
    session.share(threads);
    const auto set = set_of(session);
    Engines engines{.set = set.get()};
    for (const auto& [name, further] : session.further_engines()) {
        engines.further.push_back(std::make_unique<FurtherEngine>(
            name,
            further,
            session.surroundings(),
            addresses_of(session),
            set.get(),
            further.executor_active && is_executing
        ));
    }
    std::unique_ptr<service::HttpService> http;
    if (engines.further.empty() || !session.given_database_url().empty()) {
        http = start_first(session, engines, set.get(), is_executing);
    }
    const Supervisor supervisor = session.supervisor();
    supervisor.notify_ready(is_executing ? "running jobs" : "running no jobs");
    wait_for_stop(session, signals, supervisor, engines);
    supervisor.notify_stopping();
    drain(session, engines, signals);
    if (session.spans() != nullptr) {
        session.spans()->flush(kPatienceForSpans);
    }
    return ExitCode::done;
}

}  // namespace

OperationNoun serve_verb() {
    return {
        .operations = {local_operation<ServeOptions>(
            {.words = "serve",
             .summary = "Run jobs, in the foreground, until SIGTERM (a second one stops at once)",
             .examples = "  jobstrand serve --db sqlite:jobs.db\n"
                         "  jobstrand serve --config jobstrand.toml\n"
                         "  jobstrand serve --db sqlite:jobs.db --http 127.0.0.1:8080"},
            {{"--no-executor", &ServeOptions::no_executor, "Run no jobs, only be there"},
             {"--http",
              &ServeOptions::http,
              "Answer HTTP there, whatever httpListen says",
              {.unit = "ADDRESS:PORT", .may_be_empty = true}}},
            serve
        )}};
}

}  // namespace jobstrand::cli
