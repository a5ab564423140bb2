#include "tools/service/http/shared_answers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

namespace jobstrand::service {

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
    const SteadyPoint::duration accepted = age;
    return now - began <= (answer == nullptr ? accepted : accepted / 2);
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
    std::erase_if(shared_, [&](const auto& one) { return now - one.second->began > kLongest; });
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
