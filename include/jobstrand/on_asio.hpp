#pragma once

// clang-format off
#include <utility>  // Boost 1.74 needs it in awaitable.hpp, and does not include it.
// clang-format on

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <jobstrand/handler.hpp>

#include <exception>
#include <memory>

namespace jobstrand {

/// An asynchronous handler that is a coroutine of Boost.Asio, on threads of the app's own: what it
/// returns is how the run ends, and an exception is a failure. It is called with a
/// `const JobContext&`, valid until it returns; one that runs long asks the stop signal in there.
///
///     engine.add_async_handler("call", jobstrand::on_asio(
///         io.get_executor(),
///         [](const JobContext& context) -> boost::asio::awaitable<HandlerResult> { ... }
///     ));
///
/// The execution context must outlive the engine, or have been stopped after it.
template <typename Executor, typename Coroutine>
[[nodiscard]] AsyncHandler on_asio(Executor executor, Coroutine handler) {
    return [executor = std::move(executor),
            handler = std::move(handler)](std::shared_ptr<AsyncRun> run) {
        const auto work = [](std::shared_ptr<AsyncRun> its_run,
                             Coroutine its_handler) -> boost::asio::awaitable<void> {
            its_run->end(co_await its_handler(its_run->context()));
        };
        boost::asio::co_spawn(executor, work(run, handler), [run](std::exception_ptr error) {
            if (error == nullptr) {
                return;
            }
            try {
                std::rethrow_exception(std::move(error));
            } catch (const std::exception& thrown) {
                run->end(Failed{.message = thrown.what()});
            } catch (...) {
                run->end(Failed{.message = "the coroutine threw no std::exception"});
            }
        });
    };
}

}  // namespace jobstrand
