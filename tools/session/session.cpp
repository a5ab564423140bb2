#include "tools/session/session.hpp"

#include "persistence/drivers/database_url.hpp"
#include "persistence/sql/db_error.hpp"
#include "tools/access/narrowed_store.hpp"
#include "tools/calls/http_client.hpp"
#include "tools/calls/span_exporter.hpp"
#include "tools/process/boost_log.hpp"
#include "tools/process/exit_code.hpp"
#include "tools/process/queued_outlet.hpp"
#include "tools/process/this_process.hpp"
#include "tools/settings/settings_file.hpp"
#include "tools/text/http_address.hpp"
#include "tools/text/terminal_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <ranges>
#include <utility>
#include <vector>

namespace jobstrand::cli {

namespace {

/// For the programs of a service that was started without one.
constexpr std::string_view kDefaultPath = "/usr/local/bin:/usr/bin:/bin";

/// What the system may tell of a user; more than its name is not asked for.
constexpr std::size_t kOwnerBytes = 16 * 1024;

[[nodiscard]] OutputFormat checked_format(const std::string& name) {
    if (const auto format = output_format_named(name)) {
        return *format;
    }
    throw WrongUsage("-o must be table, json, jsonl, csv or name, not {}", printable(name));
}

/// As the system knows whoever runs this process; empty: it does not.
[[nodiscard]] std::string name_of_process_owner() {
    std::vector<char> texts(kOwnerBytes);
    passwd entry{};
    passwd* found = nullptr;
    const int error = ::getpwuid_r(::geteuid(), &entry, texts.data(), texts.size(), &found);
    return error == 0 && found != nullptr ? entry.pw_name : "";
}

/// By --color; `auto` is on a terminal that takes them.
[[nodiscard]] bool
is_coloured(const std::string& when, bool is_terminal, const Environment& environment) {
    if (when == "always" || when == "never") {
        return when == "always";
    }
    if (when != "auto") {
        throw WrongUsage("--color must be auto, always or never, not {}", quoted_if_needed(when));
    }
    return is_terminal && takes_colours(environment);
}

[[nodiscard]] const Environment& no_environment() {
    static const Environment none;
    return none;
}

using Engines = std::map<std::string, Settings, std::less<>>;

[[nodiscard]] std::string names_of(const Engines& engines) {
    return engines.empty() ? "none"
                           : fmt::format("{}", fmt::join(engines | std::views::keys, ", "));
}

[[nodiscard]] Settings settings_of_engine(const std::string& name, const Engines& engines) {
    if (const auto found = engines.find(name); found != engines.end()) {
        return found->second;
    }
    throw WrongUsage(
        "there is no engine {} in the configuration file; it has {}",
        quoted_if_needed(name),
        names_of(engines)
    );
}

[[nodiscard]] ConfigChoice
config_choice(const GlobalOptions& options, const Environment& environment) {
    return {
        .option = options.config_file,
        .variable = variable(environment, "JOBSTRAND_CONFIG"),
        .is_database_named = options.database_url || variable(environment, "JOBSTRAND_DB")};
}

}  // namespace

Session::Session(Streams streams, const Environment& environment, GlobalOptions options)
    : Session(streams, environment, std::move(options), std::nullopt) {}

Session::Session(Streams streams, GlobalOptions options, const ServedClient& client)
    : Session(streams, no_environment(), std::move(options), std::optional(client)) {}

Session::Session(
    Streams streams,
    const Environment& environment,
    GlobalOptions options,
    std::optional<ServedClient> client
)
    : streams_(streams),
      environment_(environment),
      options_(std::move(options)),
      client_(client),
      format_(checked_format(options_.output)),
      style_{
          .columns = streams_.out_columns,
          .is_coloured =
              is_coloured(options_.color, streams_.out_columns.has_value(), environment_)},
      http_client_(std::make_unique<HttpClient>()) {}

Session::~Session() = default;

std::string Session::path() const {
    return variable(environment_, "PATH").value_or(std::string(kDefaultPath));
}

void Session::refuse_to_wait(std::string_view option, std::string_view instead) const {
    if (client_) {
        throw WrongUsage("{} waits, which a service does for nobody: {}", option, instead);
    }
}

std::string Session::engine_name() const {
    return options_.engine.value_or(std::string(service::kFirstEngine));
}

Input Session::input(std::string_view option, const std::string& file) const {
    if (!client_) {
        return Input::open(streams_.in, option, file);
    }
    if (file == "-") {
        return Input::of_text(
            "stdin", std::string(std::istreambuf_iterator<char>(streams_.in), {})
        );
    }
    const auto sent = client_->files.find(file);
    if (sent == client_->files.end()) {
        throw WrongUsage(
            "{}: a service reads no files: send the content of {} as input, and say -",
            option,
            quoted_if_needed(file)
        );
    }
    return Input::of_text(printable(file), sent->second);
}

std::string Session::user() const {
    if (client_) {
        return client_->user;
    }
    for (const std::string_view name : {"USER", "LOGNAME"}) {
        if (const auto user = variable(environment_, name)) {
            return *user;
        }
    }
    return name_of_process_owner();
}

std::string Session::actor() const {
    // Without tokens a service knows of its clients what they say.
    const bool has_token = client_ && client_->caller != "local";
    return has_token || (client_ && client_->user.empty()) ? client_->caller : user();
}

const Settings& Session::settings() {
    if (client_) {
        return client_->settings;
    }
    if (!settings_) {
        SettingsFile read = read_file();
        settings_ = std::move(read.settings);
        further_engines_ = std::move(read.engines);
        remarks_ = std::move(read.remarks);
    }
    return *settings_;
}

Settings Session::settings_anew() const {
    Settings settings = read_file().settings;
    settings.http.listen = listen_.value_or(settings.http.listen);
    return settings;
}

void Session::listen_on(const std::string& address) {
    if (const auto parsed = service::parse_listen_address(address); !parsed) {
        throw WrongUsage("--http " + parsed.error().message);
    }
    (void)settings();
    listen_ = address;
    settings_->http.listen = address;
}

const std::vector<std::string>& Session::remarks() {
    (void)settings();
    return remarks_;
}

std::optional<std::string> Session::config_file() const {
    return chosen_config_file(config_choice(options_, environment_));
}

SettingsFile Session::read_whole_file() const {
    const auto file = config_file();
    SettingsFile read = file ? read_settings_file(*file) : SettingsFile{};
    if (!read.problems.empty()) {
        throw WrongUsage("{}", fmt::join(read.problems, "\n"));
    }
    return read;
}

SettingsFile Session::read_file() const {
    SettingsFile read = read_whole_file();
    if (options_.engine) {
        read.settings = settings_of_engine(*options_.engine, read.engines);
        read.engines.clear();
    }
    return read;
}

Settings Session::settings_of(const std::string& engine) const {
    SettingsFile read = read_whole_file();
    const bool is_first = engine == service::kFirstEngine && !read.settings.database_url.empty();
    return is_first ? std::move(read.settings) : settings_of_engine(engine, read.engines);
}

const std::map<std::string, Settings, std::less<>>& Session::further_engines() {
    (void)settings();
    return further_engines_;
}

std::string Session::given_database_url() {
    if (options_.database_url) {
        return *options_.database_url;
    }
    if (auto url = variable(environment_, "JOBSTRAND_DB")) {
        return std::move(*url);
    }
    return url_with_password_source(settings());
}

const std::string& Session::database_url() {
    if (database_url_) {
        return *database_url_;
    }
    std::string given = given_database_url();
    if (given.empty() && !further_engines().empty()) {
        throw WrongUsage(
            "no database: pass --engine NAME, or --engine all; the configuration file has " +
            names_of(further_engines())
        );
    }
    if (given.empty()) {
        std::string kept;
        if (is_package_config_kept(config_choice(options_, environment_))) {
            kept = fmt::format(
                "; this user may not read that of the package, {}: sudo -u jobstrand jobstrand ...",
                kPackageConfig
            );
        }
        throw WrongUsage(
            "no database: pass --db URL (for example sqlite:jobs.db), set JOBSTRAND_DB, or put db "
            "into the configuration file" +
            kept
        );
    }
    if (const auto url = persistence::parse_database_url(given); !url) {
        throw WrongUsage("the database URL: " + url.error().message);
    }
    database_url_ = std::move(given);
    return *database_url_;
}

std::string Session::shown_database_url() {
    const auto url = persistence::parse_database_url(database_url());
    return persistence::without_password(url.value());
}

schema::Log& Session::log() {
    if (!log_) {
        log_ = std::make_unique<BoostLog>(
            streams_.err,
            BoostLog::Settings{
                .level = std::max(settings().log_level, schema::LogLevel::warn),
                .format = settings().log_format,
            }
        );
    }
    return *log_;
}

void Session::use_service_log() {
    if (streams_.err_descriptor && err_queue_ == nullptr) {
        const LogFormat format = settings().log_format;
        const auto told_drop = [format](std::uint64_t lines) {
            const LogField field = schema::LogField("lines", lines);
            return format_line(
                {.level = schema::LogLevel::warn,
                 .message = "log lines were dropped: whoever reads this log had stalled",
                 .fields = {&field, 1}},
                schema::machine_clock().now(),
                format
            );
        };
        err_queue_ = std::make_unique<QueuedStream>(
            streams_.err, *streams_.err_descriptor, QueuedOutlet::Settings{.told_drop = told_drop}
        );
    }
    set_log_level(settings().log_level);
}

const std::atomic<std::uint64_t>* Session::dropped_log_lines() const {
    return err_queue_ == nullptr ? nullptr : &err_queue_->outlet().dropped();
}

void Session::flush_log(std::chrono::milliseconds patience) {
    streams_.err.flush();
    if (err_queue_ != nullptr) {
        err_queue_->outlet().close(patience);
    }
}

void Session::set_log_level(schema::LogLevel level) {
    (void)log();
    log_->set_level(level);
}

engine::Wiring& Session::engine(OpenFor purpose) {
    if (client_) {
        return client_->engine;
    }
    if (!engine_) {
        engine_ = open_engine(database_url(), settings(), purpose, surroundings());
    }
    return *engine_;
}

persistence::OperatorStore& Session::store() {
    if (!client_ || !client_->scope.is_restricted()) {
        return engine().store();
    }
    if (!narrowed_store_) {
        narrowed_store_ =
            std::make_unique<service::NarrowedStore>(engine().store(), client_->scope);
    }
    return *narrowed_store_;
}

service::SeenRuns Session::last_runs() {
    static const service::Scope everything;
    return {engine().run_store(), client_ ? client_->scope : everything};
}

deadletter::DeadLetters& Session::dead_letters() {
    if (!client_ || !client_->scope.is_restricted()) {
        return engine().dead_letters();
    }
    if (!narrowed_dead_letters_) {
        narrowed_dead_letters_.emplace(store(), engine().clock());
    }
    return *narrowed_dead_letters_;
}

deadletter::BatchAdmin Session::batches() {
    if (is_narrowed()) {
        throw service::OutOfScope(
            "a batch cannot be narrowed to the topics or tenants of the token: leave --background "
            "out"
        );
    }
    return {engine().batch_store(), engine().clock()};
}

void Session::export_spans() {
    const SpanSettings& wanted = settings().spans;
    if (!wanted.endpoint.empty()) {
        spans_ = std::make_shared<SpanExporter>(*http_client_, log(), wanted);
        spans_->start();
    }
}

EngineSurroundings Session::surroundings() {
    return {
        .clock = clock_,
        .log = log(),
        .guardian = guardian_,
        .http_client = *http_client_,
        .path = path(),
        .handler_counts = &handler_counts_,
        .threads = threads_,
        .spans = spans_,
        .dropped_log_lines = dropped_log_lines(),
        .engine_name = engine_name()};
}

std::string Session::missing_rights() {
    // Defended catch: what is missing is told by an error.
    try {
        if (engine_) {
            engine_->require_rights();
        }
        return {};
    } catch (const persistence::DbError& error) {
        return error.what();
    }
}

void Session::tell(const std::string& line) {
    streams_.err << line << '\n';
}

}  // namespace jobstrand::cli
