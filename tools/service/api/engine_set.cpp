#include "tools/service/api/engine_set.hpp"

#include "tools/service/api/job_paths.hpp"
#include "tools/service/api/job_requests.hpp"
#include "tools/service/http/message.hpp"
#include "tools/text/json_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <jobstrand/engine_of.hpp>

#include <algorithm>
#include <array>
#include <future>
#include <iterator>
#include <utility>

namespace jobstrand::service {

namespace {

/// A longer request is looked through by another thread than that which serves sockets.
constexpr std::size_t kShortBody = 4096;

constexpr std::size_t kRouteThreads = 2;
constexpr std::size_t kRouteRequests = 1024;

/// What says where a job belongs: the first that it has.
constexpr std::array<std::string_view, 4> kKeys{"processInstanceId", "uniqueKey", "series", "id"};

/// Empty: it has none. What is wrong with the job is found where it is read.
[[nodiscard]] std::string key_of_job(std::string_view job) {
    std::array<std::string, kKeys.size()> found;
    const auto members = cli::members_of(job);
    if (!members) {
        return {};
    }
    for (const cli::JsonMember& member : members.value()) {
        const auto* const key = std::ranges::find(kKeys, member.name);
        if (key != kKeys.end()) {
            (void
            )cli::read_text(member.value, found.at(static_cast<std::size_t>(key - kKeys.begin())));
        }
    }
    const auto* const first =
        std::ranges::find_if(found, [](const std::string& text) { return !text.empty(); });
    return first == found.end() ? std::string() : *first;
}

[[nodiscard]] std::string not_for(std::string_view engine) {
    return fmt::format("this token is not for the engine \"{}\"", engine);
}

}  // namespace

EngineSet::EngineSet(std::vector<std::string> names, schema::Log& log, schema::Duration patience)
    : names_(std::move(names)),
      patience_(patience),
      reading_(kRouteThreads, kRouteRequests, log),
      route_(reading_.wrap_late([this](const Request& request, const Answer& answer) {
          route(request, answer);
      })) {}

EngineSet::~EngineSet() {
    stop();
}

bool EngineSet::has(std::string_view name) const {
    return std::ranges::find(names_, name) != names_.end();
}

void EngineSet::join(const ApiParts& parts) {
    const std::lock_guard lock(mutex_);
    if (!is_stopping_) {
        members_.push_back(std::make_unique<SetMember>(parts, patience_));
    }
}

std::vector<std::string> EngineSet::entered_by(const Scope& scope) const {
    std::vector<std::string> names;
    std::ranges::copy_if(names_, std::back_inserter(names), [&](const std::string& name) {
        return scope.enters(name);
    });
    return names;
}

SetMember* EngineSet::member(std::string_view name) {
    const std::lock_guard lock(mutex_);
    const auto found = std::ranges::find(members_, name, &SetMember::name);
    return found == members_.end() ? nullptr : found->get();
}

void EngineSet::stop() {
    {
        const std::lock_guard lock(mutex_);
        is_stopping_ = true;
    }
    reading_.stop();
    std::vector<std::future<void>> ends;
    for (const auto& member : members_) {
        ends.push_back(std::async(std::launch::async, [&] { member->stop(); }));
    }
}

void EngineSet::enqueue(Request request, const Answer& answer) {
    if (request.body.size() > kShortBody) {
        route_(std::move(request), answer);
    } else {
        route(std::move(request), answer);
    }
}

void EngineSet::route(Request request, const Answer& answer) {
    if (request.count_headers(kIdempotencyKey) > 0) {
        if (const std::string_view mistake = mistake_in_key(request); !mistake.empty()) {
            answer(problem(400, mistake));
            return;
        }
    }
    if (is_one_job(request)) {
        const std::string key = key_of_job(request.body);
        const std::string engine =
            key.empty() ? engine_without_key(request) : engine_of(key, names_);
        pass_on(engine, std::move(request), answer);
        return;
    }
    const auto shared = std::make_shared<Request>(std::move(request));
    const auto texts = job_texts(*shared);
    if (!texts) {
        answer(bad_job({texts.error().message}));
        return;
    }
    std::vector<PartOfRequest> parts = parts_of(*shared, texts.value());
    if (parts.size() == 1) {
        pass_on(parts.front().engine, std::move(*shared), answer);
        return;
    }
    for (const PartOfRequest& part : parts) {
        if (!shared->scope.enters(part.engine)) {
            answer(problem(403, not_for(part.engine)));
            return;
        }
    }
    enqueue_across(shared, std::move(parts), answer);
}

std::vector<PartOfRequest>
EngineSet::parts_of(const Request& request, const std::vector<JobText>& jobs) {
    std::vector<PartOfRequest> parts;
    std::string of_others;
    for (const JobText& job : jobs) {
        const std::string key = key_of_job(job.text);
        if (key.empty() && of_others.empty()) {
            of_others = engine_without_key(request);
        }
        const std::string engine = key.empty() ? of_others : engine_of(key, names_);
        auto part = std::ranges::find(parts, engine, &PartOfRequest::engine);
        if (part == parts.end()) {
            parts.push_back({.engine = engine, .member = member(engine)});
            part = std::prev(parts.end());
        }
        part->jobs.push_back(job);
    }
    return parts;
}

/// The same for a request that is repeated under its key; otherwise each in turn that does not seem
/// away.
std::string EngineSet::engine_without_key(const Request& request) {
    const std::vector<std::string> names = entered_by(request.scope);
    if (names.empty()) {
        return names_.front();
    }
    if (request.count_headers(kIdempotencyKey) > 0) {
        return engine_of(request.header(kIdempotencyKey), names);
    }
    const std::size_t turn = turn_.fetch_add(1);
    for (std::size_t i = 0; i < names.size(); ++i) {
        const std::string& name = names[(turn + i) % names.size()];
        const SetMember* const its = member(name);
        if (its != nullptr && !its->seems_away()) {
            return name;
        }
    }
    return names[turn % names.size()];
}

void EngineSet::pass_on(const std::string& engine, Request request, const Answer& answer) {
    if (!request.scope.enters(engine)) {
        answer(problem(403, not_for(engine)));
        return;
    }
    SetMember* const its = member(engine);
    if (its == nullptr) {
        answer(naming(engine, come_again("the engine is not open; nothing was done")));
        return;
    }
    if (!its->has_room_for(request.body.size())) {
        answer(naming(engine, come_again("the database does not answer; nothing was done")));
        return;
    }
    its->begin_waiting();
    its->enqueue(std::move(request), [its, answer](Response response) {
        its->end_waiting(response.status != 503);
        answer(naming(its->name(), std::move(response)));
    });
}

/// For a job by its id, in all engines at once.
class EngineSet::Search final {
public:
    Search(std::size_t engines, Answer answer) : left_(engines), answer_(std::move(answer)) {}

    void hear(const std::string& engine, Response response) {
        const std::lock_guard lock(mutex_);
        --left_;
        if (is_answered_) {
            return;
        }
        if (response.status != 404 && response.status != 200) {
            silent_.push_back(engine);
        }
        if (response.status == 200) {
            is_answered_ = true;
            answer_(std::move(response));
        } else if (left_ == 0) {
            is_answered_ = true;
            answer_(not_found());
        }
    }

private:
    [[nodiscard]] Response not_found() {
        if (silent_.empty()) {
            return problem(404, "there is no such job: it may have run already");
        }
        std::ranges::sort(silent_);
        return come_again(fmt::format(
            "no engine has said that it has this job, and {} could not be asked",
            fmt::join(silent_, ", ")
        ));
    }

    std::mutex mutex_;
    std::size_t left_;  ///< Guarded by mutex_, as all below it.
    std::vector<std::string> silent_;
    bool is_answered_ = false;
    const Answer answer_;
};

void EngineSet::show(const Request& request, const Answer& answer) {
    const std::vector<std::string> asked = entered_by(request.scope);
    const auto search = std::make_shared<Search>(asked.size(), answer);
    for (const std::string& name : asked) {
        const Answer hear = [search, name](Response response) {
            search->hear(name, std::move(response));
        };
        if (SetMember* const its = member(name)) {
            its->show(request, hear);
        } else {
            hear(come_again("the engine is not open"));
        }
    }
}

}  // namespace jobstrand::service
