#include "tools/engine/engine_parts.hpp"

#include "executor/job_handler.hpp"
#include "schema/clock.hpp"
#include "schema/text/time_text.hpp"
#include "schema/text/utf8.hpp"
#include "tools/engine/conversions.hpp"
#include "tools/engine/public_transaction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace jobstrand {

void log_to_stderr(const LogLine& line) {
    const std::string text = engine::text_of(line, schema::SystemClock().now()) + '\n';
    std::fwrite(text.data(), 1, text.size(), stderr);
}

namespace engine {

namespace {

constexpr std::array<std::string_view, 4> kLevels{"DEBUG", "INFO ", "WARN ", "ERROR"};

LogLevel to_public(schema::LogLevel level) {
    return static_cast<LogLevel>(level);
}

}  // namespace

std::string text_of(const LogLine& line, schema::TimePoint time) {
    std::string text = fmt::format(
        "{} {} {}",
        schema::format_instant(time),
        kLevels.at(static_cast<std::size_t>(line.level)),
        schema::printable(line.message)
    );
    for (const LogField& field : line.fields) {
        if (!field.value.empty()) {
            text += fmt::format(
                " {}={}", schema::printable(field.name), schema::quoted_if_needed(field.value)
            );
        }
    }
    return text;
}

bool ShownLog::enabled(schema::LogLevel level) const noexcept {
    return write_ && to_public(level) >= least_;
}

void ShownLog::write(
    schema::LogLevel level,
    std::string_view message,
    std::initializer_list<schema::LogField> fields
) noexcept {
    if (!enabled(level)) {
        return;
    }
    // Defended catch: a log that fails must not end what is logged.
    try {
        std::vector<LogField> shown;
        for (const schema::LogField& field : fields) {
            shown.push_back({.name = field.name, .value = field.value, .is_number = field.is_number}
            );
        }
        write_({.level = to_public(level), .message = message, .fields = shown});
    } catch (const std::exception&) {
        return;
    }
}

}  // namespace engine

namespace {

engine::WiringOptions wiring_of_test(const EngineOptions& options, const auto& by_hand) {
    engine::WiringOptions wiring = engine::wiring_options_of(options);
    wiring.follows_database_clock = false;
    wiring.ids = by_hand.ids;
    wiring.decorate_connection = by_hand.decorate;
    return wiring;
}

/// A run of ours as the app sees it.
class ShownRun final : public AsyncRun {
public:
    explicit ShownRun(std::shared_ptr<executor::AsyncRun> run)
        : run_(std::move(run)), context_(engine::context_of(run_->context())) {}

    [[nodiscard]] const JobContext& context() const override { return context_; }
    void end(HandlerResult result) override { run_->end(engine::result_of(std::move(result))); }

private:
    const std::shared_ptr<executor::AsyncRun> run_;
    const JobContext context_;
};

}  // namespace

Engine::Parts::Parts(const EngineOptions& options)
    : Parts(options, engine::wiring_options_of(options), schema::machine_clock(), true) {}

Engine::Parts::Parts(const EngineOptions& options, const ByHand& by_hand)
    : Parts(options, wiring_of_test(options, by_hand), by_hand.clock, false) {}

Engine::Parts::Parts(
    const EngineOptions& options,
    engine::WiringOptions wiring,
    const schema::Clock& clock,
    bool has_threads
)
    : has_threads_(has_threads),
      retry_(engine::policy_of(options.retry)),
      hooks_(options.hooks),
      on_run_(wiring.on_run),
      log_(options.log, options.log_level),
      wiring_(std::move(wiring), clock, log_),
      plain_(wiring_.clock(), retry_, wiring_.ids()) {}

template <typename Call>
auto Engine::Parts::show(persistence::Transaction& transaction, const Call& call) {
    const engine::TransactionThreads::Stay stay(inside_);
    engine::ShownTransaction shown(wiring_, transaction);
    return engine::with_own_errors([&] { return call(shown.face()); });
}

void Engine::Parts::in_transaction(const std::function<void(Transaction&)>& work) {
    wiring_.in_transaction([&](persistence::Transaction& transaction) { show(transaction, work); });
}

void Engine::Parts::before_enqueue(std::span<NewJob> jobs) const {
    if (hooks_.before_enqueue) {
        std::ranges::for_each(jobs, hooks_.before_enqueue);
    }
}

void Engine::Parts::before_run(const JobContext& context) const {
    if (hooks_.before_run) {
        hooks_.before_run(context);
    }
}

void Engine::Parts::add(const std::string& handler_type, const std::function<void()>& add_it) {
    const std::lock_guard lock(mutex_);
    if (phase_ != Phase::fresh && phase_ != Phase::running) {
        throw std::logic_error(
            fmt::format("the handler for '{}' was added after stop()", handler_type)
        );
    }
    add_it();
    wiring_.serve_anew();
}

bool Engine::Parts::remove_handler(const std::string& handler_type) {
    const std::lock_guard lock(mutex_);
    const bool was_there = wiring_.handlers().remove(handler_type);
    wiring_.serve_anew();
    return was_there;
}

void Engine::Parts::add_handler(const std::string& handler_type, Handler handler) {
    require_function(handler_type, handler != nullptr);
    add(handler_type, [&] {
        wiring_.handlers().add(
            handler_type,
            [this, handler = std::move(handler)](const executor::JobContext& context) {
                return engine::with_own_errors([&] {
                    const JobContext shown = engine::context_of(context);
                    before_run(shown);
                    return engine::result_of(handler(shown));
                });
            }
        );
    });
}

void Engine::Parts::add_transactional_handler(
    const std::string& handler_type,
    TransactionalHandler handler
) {
    require_function(handler_type, handler != nullptr);
    add(handler_type, [&] {
        wiring_.handlers().add_transactional(
            handler_type,
            [this, handler = std::move(handler)](
                const executor::JobContext& context, persistence::Transaction& transaction
            ) {
                return show(transaction, [&](Transaction& face) {
                    const JobContext shown = engine::context_of(context);
                    before_run(shown);
                    return engine::result_of(handler(shown, face));
                });
            }
        );
    });
}

void Engine::Parts::add_async_handler(const std::string& handler_type, AsyncHandler handler) {
    require_function(handler_type, handler != nullptr);
    add(handler_type, [&] {
        wiring_.handlers().add_async(
            handler_type,
            [this, handler = std::move(handler)](std::shared_ptr<executor::AsyncRun> run) {
                engine::with_own_errors([&] {
                    auto shown = std::make_shared<ShownRun>(std::move(run));
                    before_run(shown->context());
                    handler(std::move(shown));
                });
            }
        );
    });
}

void Engine::Parts::require_function(const std::string& handler_type, bool is_there) {
    if (!is_there) {
        throw std::logic_error(
            fmt::format("the handler for '{}' is an empty function: give it one", handler_type)
        );
    }
}

void Engine::Parts::start() {
    const std::lock_guard lock(mutex_);
    if (phase_ == Phase::running) {
        throw std::logic_error("this engine runs already: call start() once");
    }
    if (phase_ != Phase::fresh) {
        throw std::logic_error("this engine was stopped: make a new one to run jobs again");
    }
    if (has_threads_) {
        wiring_.start();
    }
    phase_ = Phase::running;
}

bool Engine::Parts::stop(StopMode mode) {
    bool is_first = false;
    {
        const std::lock_guard lock(mutex_);
        if (phase_ == Phase::stopped) {
            return has_ended_well_;
        }
        is_first = phase_ != Phase::stopping;
        phase_ = Phase::stopping;
    }
    const bool has_ended_well =
        !has_threads_ ||
        wiring_.stop(
            mode == StopMode::drain ? executor::StopMode::drain : executor::StopMode::at_once
        );
    if (is_first) {
        const std::lock_guard lock(mutex_);
        phase_ = Phase::stopped;
        has_ended_well_ = has_ended_well;
    }
    return has_ended_well;
}

bool Engine::Parts::is_running() const {
    const std::lock_guard lock(mutex_);
    return phase_ == Phase::running;
}

// Where one transaction writes at a time, this one would wait for itself.
void Engine::Parts::require_no_transaction(const char* instead) const {
    if (would_wait_for_itself()) {
        throw std::logic_error(fmt::format(
            "a transaction of this engine is open in this thread, and SQLite has one writer: {}",
            instead
        ));
    }
}

}  // namespace jobstrand
