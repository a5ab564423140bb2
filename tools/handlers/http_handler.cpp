#include "tools/handlers/http_handler.hpp"

#include "schema/text/time_text.hpp"
#include "tools/calls/call_messages.hpp"
#include "tools/handlers/handler_payloads.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <utility>

namespace jobstrand::cli {

namespace {

namespace asio = boost::asio;

using executor::AsyncRun;
using executor::Failed;
using executor::Interrupted;
using schema::Duration;

/// Lives until the timer has fired or was cancelled.
class CallBackWait final : public std::enable_shared_from_this<CallBackWait> {
public:
    CallBackWait(asio::io_context& io, std::shared_ptr<AsyncRun> run)
        : io_(io), run_(std::move(run)), timer_(io) {}

    void begin(schema::Duration limit, std::function<void()> on_time_out, std::string too_late) {
        timer_.expires_after(limit);
        timer_.async_wait([self = shared_from_this(),
                           on_time_out = std::move(on_time_out),
                           too_late = std::move(too_late)](auto error) {
            if (!error) {
                on_time_out();
                self->end(Failed{.message = too_late});
            }
        });
        on_stop_.emplace(run_->context().stop, [&io = io_, weak = weak_from_this()] {
            asio::post(io, [weak] {
                if (const auto self = weak.lock()) {
                    self->end(Interrupted{});
                }
            });
        });
    }

private:
    void end(executor::HandlerResult result) {
        on_stop_.reset();
        timer_.cancel();
        run_->end(std::move(result));
    }

    asio::io_context& io_;
    const std::shared_ptr<AsyncRun> run_;
    asio::steady_timer timer_;
    std::optional<std::stop_callback<std::function<void()>>> on_stop_;
};

/// Keeps a run under way that an app has accepted and will tell the end of: that is written by
/// whoever is told (executor::OutcomeReceiver), and the run's stop signal comes then. The same
/// signal comes when the lock is lost or the service stops. After `limit` the run has failed with
/// this message, and `on_time_out` is called. No thread waits.
///
/// Called on the thread of the context, which must outlive the run.
void wait_for_call_back(
    asio::io_context& io,
    std::shared_ptr<AsyncRun> run,
    schema::Duration limit,
    std::function<void()> on_time_out,
    std::string too_late
) {
    std::make_shared<CallBackWait>(io, std::move(run))
        ->begin(limit, std::move(on_time_out), std::move(too_late));
}

}  // namespace

HttpHandler::HttpHandler(Dependencies dependencies, const Targets& targets)
    : use_(dependencies), faults_(std::make_shared<PlaceFaults>(use_.clock, use_.log)) {
    for (const auto& [name, settings] : targets) {
        // Defended catch: one app that cannot be called keeps no other from being called.
        try {
            apps_.emplace(
                name, std::make_shared<CallPool>(use_.client.context(), open_target(name, settings))
            );
        } catch (const std::runtime_error& error) {
            apps_.emplace(name, std::string(error.what()));
        }
    }
}

void HttpHandler::operator()(const std::shared_ptr<AsyncRun>& run) const {
    const auto name = target_named_in(run->context().job.payload);
    if (!name) {
        run->end(Failed{.message = name.error().message, .retryable = false});
        return;
    }
    const auto app = apps_.find(name.value());
    if (app == apps_.end()) {
        run->end(Interrupted{});  // Not mine is not failure (I7).
    } else if (const auto* obstacle = std::get_if<std::string>(&app->second)) {
        run->end(faults_->put_off("target " + name.value(), *obstacle));
    } else {
        call(std::get<std::shared_ptr<CallPool>>(app->second), run);
    }
}

void HttpHandler::call(const std::shared_ptr<CallPool>& app, const std::shared_ptr<AsyncRun>& run)
    const {
    use_.client.start();
    const executor::JobContext& context = run->context();
    const schema::Clock& clock = use_.clock;
    app->call(
        // The run is kept by what is told of the answer.
        [&context, &clock, app = app.get()]() -> CallPool::Prepared {
            const schema::TimePoint now = clock.now();
            const Duration limit =
                within_deadline(app->target().settings.time_limit, context.deadline, now);
            return {request_for(context, app->target(), now, now + limit), limit};
        },
        context.stop,
        [run, use = use_, faults = faults_, app = app.get()](const CallAnswer& answer) {
            const HttpTarget& target = app->target();
            const schema::TimePoint now = use.clock.now();
            if (answer.kind == CallAnswer::Kind::not_begun) {
                run->end(faults->put_off("target " + target.name, answer.error));
                return;
            }
            faults->began("target " + target.name);
            if (answer.kind == CallAnswer::Kind::timed_out) {
                count_time_out(use.counts);
            }
            if (!is_accepted(target.settings, answer)) {
                run->end(result_of_call(target.name, target.settings, answer, now));
                return;
            }
            const Duration limit =
                within_deadline(*target.settings.call_back_within, run->context().deadline, now);
            wait_for_call_back(
                use.client.context(),
                run,
                limit,
                [counts = use.counts] { count_time_out(counts); },
                fmt::format(
                    "target {}: no call-back within {}", target.name, schema::format_duration(limit)
                )
            );
        }
    );
}

std::optional<std::string>
obstacle_to_target(const std::string& name, const TargetSettings& target) {
    // Defended catch: what is wrong with one is told beside what is wrong with the others.
    try {
        boost::asio::io_context io;
        (void)std::make_shared<CallPool>(io, open_target(name, target));
        return std::nullopt;
    } catch (const std::runtime_error& error) {
        return error.what();
    }
}

std::vector<std::string> obstacles_to_targets(const Targets& targets) {
    std::vector<std::string> obstacles;
    for (const auto& [name, target] : targets) {
        if (auto obstacle = obstacle_to_target(name, target)) {
            obstacles.push_back(*std::move(obstacle));
        }
    }
    return obstacles;
}

}  // namespace jobstrand::cli
