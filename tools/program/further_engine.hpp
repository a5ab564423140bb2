#pragma once

#include "executor/executor_settings.hpp"
#include "schema/log.hpp"
#include "tools/service/api/engine_set.hpp"
#include "tools/service/http_service.hpp"
#include "tools/session/open_engine.hpp"
#include "tools/settings/settings.hpp"

#include <fmt/format.h>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace jobstrand::cli {

/// The log of one engine among several: each line begins with its name.
///
/// Thread safety: safe.
class NamedLog final : public schema::Log {
public:
    NamedLog(std::string name, schema::Log& log) : name_(std::move(name)), log_(log) {}

    [[nodiscard]] bool enabled(schema::LogLevel level) const noexcept override {
        return log_.enabled(level);
    }

    void write(
        schema::LogLevel level,
        std::string_view message,
        std::initializer_list<schema::LogField> fields
    ) noexcept override {
        log_.write(level, fmt::format("{}: {}", name_, message), fields);
    }

private:
    const std::string name_;
    schema::Log& log_;
};

/// An engine of a service beside the first one, with a database of its own (R094 to R097). A thread
/// of its own opens it, again and again until that succeeds: a database that is away keeps no other
/// engine waiting.
///
/// Thread safety: stop() and say_stopping() may be called from any thread.
class FurtherEngine final {
public:
    /// `around` is borrowed, but for its log, whose lines get the name. `engines`: see ApiParts.
    /// `set`: of the service; nullptr: it has none.
    FurtherEngine(
        std::string name,
        const Settings& settings,
        const EngineSurroundings& around,
        std::vector<service::EngineAddress> engines,
        service::EngineSet* set,
        bool runs_jobs
    );
    ~FurtherEngine();

    FurtherEngine(const FurtherEngine&) = delete;
    FurtherEngine& operator=(const FurtherEngine&) = delete;

    /// Its HTTP service, if it has one, says that it is not ready.
    void say_stopping();

    /// As HttpService::read_certificate_again(), if it has one.
    void read_certificate_again();

    /// As executor::AsyncExecutor::stop(); true where it has not come to running jobs.
    [[nodiscard]] bool stop(executor::StopMode mode);

    /// Ends what its requests have begun. Call behind stop().
    void stop_serving();

private:
    void open_until_it_works();
    [[nodiscard]] bool open();

    const std::string name_;
    const Settings& settings_;
    NamedLog log_;
    HandlerCounts handler_counts_;
    const EngineSurroundings around_;
    const std::vector<service::EngineAddress> engines_;
    service::EngineSet* const set_;  ///< That it is one of; nullptr: none.
    const bool runs_jobs_;

    std::mutex mutex_;
    std::condition_variable stopping_;
    bool is_stopping_ = false;                    ///< Guarded by mutex_.
    std::unique_ptr<engine::Wiring> engine_;      ///< Likewise, until its thread has ended.
    std::unique_ptr<service::HttpService> http_;  ///< Likewise.
    std::once_flag joined_;
    std::thread opening_;
};

}  // namespace jobstrand::cli
