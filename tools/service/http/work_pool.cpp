#include "tools/service/http/work_pool.hpp"

#include "tools/service/http/message.hpp"

#include <boost/asio/post.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <exception>
#include <new>
#include <optional>
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

namespace {

using schema::SteadyPoint;

/// How old an answer may be for whoever asks so; nullopt: it is to be new.
[[nodiscard]] std::optional<std::chrono::seconds> accepted_age(std::string_view cache_control) {
    constexpr std::string_view kMaxAge = "max-age=";
    const std::size_t at = cache_control.find(kMaxAge);
    if (at == std::string_view::npos) {
        return std::nullopt;
    }
    const std::string_view digits = cache_control.substr(at + kMaxAge.size());
    int seconds = 0;
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), seconds);
    if (read.ec != std::errc{} || seconds <= 0) {
        return std::nullopt;
    }
    return std::min(std::chrono::seconds(seconds), SharedAnswers::kLongest);
}

[[nodiscard]] Response with_age(Response response, SteadyPoint::duration age) {
    const auto seconds = std::chrono::floor<std::chrono::seconds>(age).count();
    response.headers.push_back({"Age", fmt::format("{}", seconds)});
    return response;
}

}  // namespace

bool SharedAnswers::Shared::is_young_enough(SteadyPoint now, std::chrono::seconds age) const {
    if (answer == nullptr) {
        return now - began <= kLongest;
    }
    const SteadyPoint::duration accepted = age;
    const SteadyPoint::duration longest = kLongestOfSlow;
    return now - began <= std::max(accepted / 2, std::min(kTimesAsLong * took, longest));
}

SharedAnswers::Key SharedAnswers::key_of(const Request& request) {
    const Scope& scope = request.scope;
    return {request.target, scope.topics, scope.tenants, scope.engines, scope.hidden};
}

Handler SharedAnswers::wrap(Handler handler) {
    return [this, handler = std::move(handler)](Request request, const Answer& answer) {
        const Key key = key_of(request);
        const auto age = accepted_age(request.header("Cache-Control"));
        std::shared_ptr<const Response> known;
        SteadyPoint::duration known_for{};
        std::shared_ptr<Shared> made;
        {
            const std::lock_guard lock(mutex_);
            const auto found = shared_.find(key);
            const bool is_known = found != shared_.end();
            if (age && is_known && found->second->is_young_enough(now_(), *age)) {
                Shared& shared = *found->second;
                if (shared.answer == nullptr) {
                    shared.waiting.push_back(answer);
                    return;
                }
                known = shared.answer;
                known_for = now_() - shared.began;
            } else if (age || is_known) {
                made = begin(key);
            }
        }
        if (known != nullptr) {
            answer(with_age(*known, known_for));
        } else if (made == nullptr) {
            handler(std::move(request), answer);
        } else {
            handler(std::move(request), [this, key, made, answer](Response response) {
                end(key, made, response);
                answer(std::move(response));
            });
        }
    };
}

void SharedAnswers::stop() {
    const std::lock_guard lock(mutex_);
    shared_.clear();
}

/// One that is too old makes way, also if it is still being made: those who wait for it keep it.
std::shared_ptr<SharedAnswers::Shared> SharedAnswers::begin(const Key& key) {
    const SteadyPoint now = now_();
    std::erase_if(shared_, [&](const auto& one) {
        return now - one.second->began > kLongestOfSlow;
    });
    auto made = std::make_shared<Shared>(Shared{.began = now});
    if (shared_.size() < kMost || shared_.contains(key)) {
        shared_.insert_or_assign(key, made);
    }
    return made;
}

// What went wrong is told to those who wait, and to nobody later.
void SharedAnswers::end(
    const Key& key,
    const std::shared_ptr<Shared>& shared,
    const Response& response
) {
    std::vector<Answer> waiting;
    SteadyPoint::duration age{};
    {
        const std::lock_guard lock(mutex_);
        waiting = std::exchange(shared->waiting, {});
        age = now_() - shared->began;
        shared->took = age;
        if (response.status == 200 && response.body.size() <= kMostBytes) {
            shared->answer = std::make_shared<const Response>(response);
        } else if (const auto found = shared_.find(key);
                   found != shared_.end() && found->second == shared) {
            shared_.erase(found);
        }
    }
    for (const Answer& one : waiting) {
        one(with_age(response, age));
    }
}

}  // namespace jobstrand::service
