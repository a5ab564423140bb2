#include "tools/service/http/work_pool.hpp"

#include "tools/service/http/problem.hpp"

#include <boost/asio/post.hpp>

#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <utility>

namespace jobstrand::service {

WorkPool::WorkPool(std::size_t threads, std::size_t waiting, schema::Log& log)
    : work_(threads, waiting), reading_((threads + 1) / 2, waiting), log_(log) {}

WorkPool::~WorkPool() {
    stop();
}

Handler WorkPool::wrap(BlockingHandler handler) {
    return wrap_late([handler = std::move(handler)](const Request& request, const Answer& answer) {
        answer(handler(request));
    });
}

Handler WorkPool::wrap_urgent(BlockingHandler handler) {
    const LateHandler late = [handler = std::move(handler)](
                                 const Request& request, const Answer& answer
                             ) { answer(handler(request)); };
    return [this, late](Request request, const Answer& answer) {
        run_in(work_, late, std::move(request), answer);
    };
}

Handler WorkPool::wrap_late(LateHandler handler) {
    return [this, handler = std::move(handler)](Request request, const Answer& answer) {
        const bool is_reading = request.method == "GET" || request.method == "HEAD";
        run_in(is_reading ? reading_ : work_, handler, std::move(request), answer);
    };
}

void WorkPool::run_in(
    IndexRange& range,
    const LateHandler& handler,
    Request request,
    const Answer& answer
) {
    if (range.held.fetch_add(1) >= range.most) {
        range.held.fetch_sub(1);
        answer(come_again("too many requests at once"));
        return;
    }
    // Defended catch: one that finds no memory must not be counted for ever.
    try {
        const auto shared = std::make_shared<Request>(std::move(request));
        const bool is_taken = put(range, [this, &range, &handler, shared, answer] {
            run(handler, *shared, answer);
            range.held.fetch_sub(1);
        });
        if (is_taken) {
            return;
        }
    } catch (const std::bad_alloc&) {
        range.held.fetch_sub(1);
        throw;
    }
    range.held.fetch_sub(1);
    answer(come_again("the service is stopping; nothing was done"));
}

void WorkPool::run(const LateHandler& handler, const Request& request, const Answer& answer) {
    // Defended catch: what a request meets is its answer, and ends nobody else's.
    try {
        handler(request, answer);
    } catch (const std::exception& error) {
        // Defended catch: without the memory for a word its client waits until it hangs up.
        try {
            answer(response_to(error, log_));
        } catch (const std::bad_alloc&) {
            return;
        }
    }
}

/// false: it is stopping. What waits then is passed over, and so let go of, before the threads end.
bool WorkPool::put(IndexRange& range, std::function<void()> act) {
    const std::shared_lock lock(putting_);
    if (is_stopping_) {
        return false;
    }
    boost::asio::post(range.threads, [this, act = std::move(act)] {
        if (!is_stopping_) {
            act();
        }
    });
    return true;
}

void WorkPool::post(std::function<void()> act) {
    (void)put(work_, [this, act = std::move(act)] {
        // Defended catch: nobody waits for it, and it ends nobody else's work.
        try {
            act();
        } catch (const std::exception& error) {
            log_.write(
                schema::LogLevel::error, "work of the service failed", {{"error", error.what()}}
            );
        }
    });
}

void WorkPool::stop() {
    {
        const std::unique_lock lock(putting_);
        is_stopping_ = true;
    }
    for (IndexRange* const range : {&work_, &reading_}) {
        range->threads.join();
    }
}

}  // namespace jobstrand::service
