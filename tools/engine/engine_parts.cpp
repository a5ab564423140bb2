#include "tools/engine/engine_parts.hpp"

#include "executor/job_handler.hpp"
#include "schema/clock.hpp"
#include "schema/text/time_text.hpp"
#include "schema/text/utf8.hpp"
#include "tools/engine/conversions.hpp"

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

bool ShownLog::enabled(LogLevel level) const noexcept {
    return write_ && level >= least_;
}

void ShownLog::write(
    LogLevel level,
    std::string_view message,
    std::initializer_list<schema::LogField> fields
) noexcept {
    if (!enabled(level)) {
        return;
    }
    // Defended catch: a log that fails must not end what is logged.
    try {
        const std::vector<LogField> shown(fields.begin(), fields.end());
        write_({.level = level, .message = message, .fields = shown});
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

void Engine::Parts::add(
    const std::string& handler_type,
    bool has_function,
    const std::function<void()>& add_it
) {
    if (!has_function) {
        throw std::logic_error(
            fmt::format("the handler for '{}' is an empty function: give it one", handler_type)
        );
    }
    const std::lock_guard lock(mutex_);
    if (phase_ != Phase::fresh && phase_ != Phase::running) {
        throw std::logic_error(
            fmt::format("the handler for '{}' was added after stop()", handler_type)
        );
    }
    add_it();
    wiring_.serve_anew();
}

// Where one transaction writes at a time, this one would wait for itself.
engine::Wiring& Engine::Parts::outside_transaction(const char* instead) {
    if (would_wait_for_itself()) {
        throw std::logic_error(fmt::format(
            "a transaction of this engine is open in this thread, and SQLite has one writer: {}",
            instead
        ));
    }
    return wiring_;
}

}  // namespace jobstrand
