#include "tools/program/further_engine.hpp"

#include "persistence/sql/db_error.hpp"
#include "tools/calls/span_exporter.hpp"
#include "tools/settings/settings_file.hpp"

#include <chrono>
#include <stdexcept>
#include <utility>

namespace jobstrand::cli {

namespace {

constexpr std::chrono::seconds kOpenAgain{5};

}  // namespace

FurtherEngine::FurtherEngine(
    std::string name,
    const Settings& settings,
    const EngineSurroundings& around,
    std::vector<service::EngineAddress> engines,
    service::EngineSet* set,
    bool runs_jobs
)
    : name_(std::move(name)),
      settings_(settings),
      log_(name_, around.log),
      around_{
          around.clock,
          log_,
          around.guardian,
          around.http_client,
          around.path,
          &handler_counts_,
          around.threads,
          around.spans,
          around.dropped_log_lines,
          name_},
      engines_(std::move(engines)),
      set_(set != nullptr && set->has(name_) ? set : nullptr),
      runs_jobs_(runs_jobs),
      opening_([this] { open_until_it_works(); }) {}

FurtherEngine::~FurtherEngine() {
    (void)stop(executor::StopMode::drain);
    if (set_ != nullptr) {
        set_->stop();
    }
    stop_serving();
}

void FurtherEngine::open_until_it_works() {
    while (!open()) {
        std::unique_lock lock(mutex_);
        if (stopping_.wait_for(lock, kOpenAgain, [this] { return is_stopping_; })) {
            return;
        }
    }
}

bool FurtherEngine::open() {
    // Defended catch: what is wrong with one database is told, and tried again; the others run.
    try {
        auto engine =
            open_engine(url_with_password_source(settings_), settings_, OpenFor::service, around_);
        const service::ApiParts parts{
            .engine = *engine,
            .settings = settings_,
            .log = log_,
            .spans = around_.spans == nullptr ? nullptr : &around_.spans->counts(),
            .handlers = &handler_counts_,
            .dropped_log_lines = around_.dropped_log_lines,
            .engine_name = name_,
            .engines = engines_,
            .set = set_};
        std::unique_ptr<service::HttpService> http;
        if (!settings_.http.listen.empty()) {
            http = std::make_unique<service::HttpService>(parts, runs_jobs_);
        }
        // Not under the mutex: a frozen database would keep say_stopping() waiting.
        if (runs_jobs_) {
            engine->start();
        }
        const std::lock_guard lock(mutex_);
        if (is_stopping_) {
            engine_ = std::move(engine);  // stop() waits for this thread, and then ends its jobs.
            return true;
        }
        if (http) {
            http->start();
        }
        if (set_ != nullptr) {
            set_->join(parts);
        }
        engine_ = std::move(engine);
        http_ = std::move(http);
        log_.write(schema::LogLevel::info, "ready", {{"lock_owner", engine_->lock_owner()}});
        return true;
    } catch (const std::exception& error) {
        log_.write(
            schema::LogLevel::error,
            "this engine could not be started; it is tried again",
            {{"error", error.what()}, {"wait_s", kOpenAgain.count()}}
        );
        return false;
    }
}

void FurtherEngine::say_stopping() {
    const std::lock_guard lock(mutex_);
    if (http_) {
        http_->say_stopping();
    }
}

void FurtherEngine::read_certificate_again() {
    const std::lock_guard lock(mutex_);
    if (http_) {
        http_->read_certificate_again();
    }
}

bool FurtherEngine::stop(executor::StopMode mode) {
    {
        const std::lock_guard lock(mutex_);
        is_stopping_ = true;
    }
    stopping_.notify_all();
    std::call_once(joined_, [this] { opening_.join(); });
    return engine_ == nullptr || engine_->stop(mode);
}

void FurtherEngine::stop_serving() {
    if (http_) {
        http_->stop();
    }
}

}  // namespace jobstrand::cli
