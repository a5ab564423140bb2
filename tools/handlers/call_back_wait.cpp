#include "tools/handlers/call_back_wait.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include <functional>
#include <optional>
#include <stop_token>
#include <utility>

namespace jobstrand::cli {

namespace {

namespace asio = boost::asio;

/// Lives until the timer has fired or was cancelled.
class CallBackWait final : public std::enable_shared_from_this<CallBackWait> {
public:
    CallBackWait(asio::io_context& io, std::shared_ptr<executor::AsyncRun> run)
        : io_(io), run_(std::move(run)), timer_(io) {}

    void begin(schema::Duration limit, std::function<void()> on_time_out, std::string too_late) {
        timer_.expires_after(limit);
        timer_.async_wait([self = shared_from_this(),
                           on_time_out = std::move(on_time_out),
                           too_late = std::move(too_late)](auto error) {
            if (!error) {
                on_time_out();
                self->end(executor::Failed{.message = too_late});
            }
        });
        on_stop_.emplace(run_->context().stop, [&io = io_, weak = weak_from_this()] {
            asio::post(io, [weak] {
                if (const auto self = weak.lock()) {
                    self->end(executor::Interrupted{});
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
    const std::shared_ptr<executor::AsyncRun> run_;
    asio::steady_timer timer_;
    std::optional<std::stop_callback<std::function<void()>>> on_stop_;
};

}  // namespace

void wait_for_call_back(
    asio::io_context& io,
    std::shared_ptr<executor::AsyncRun> run,
    schema::Duration limit,
    std::function<void()> on_time_out,
    std::string too_late
) {
    std::make_shared<CallBackWait>(io, std::move(run))
        ->begin(limit, std::move(on_time_out), std::move(too_late));
}

}  // namespace jobstrand::cli
