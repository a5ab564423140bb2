#include "tools/handlers/flowable_engines.hpp"

#include "persistence/drivers/password.hpp"
#include "persistence/sql/db_error.hpp"
#include "tools/text/http_address.hpp"

#include <boost/asio/post.hpp>
#include <boost/beast/http/verb.hpp>
#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <utility>
#include <vector>

namespace jobstrand::cli {

namespace http = boost::beast::http;
namespace asio = boost::asio;
using namespace std::chrono_literals;

namespace {

[[nodiscard]] std::string base64(std::string_view text) {
    std::vector<unsigned char> out(4 * ((text.size() + 2) / 3) + 1);
    const int length = EVP_EncodeBlock(
        out.data(),
        reinterpret_cast<const unsigned char*>(text.data()),
        static_cast<int>(text.size())
    );
    return {out.begin(), out.begin() + length};
}

[[nodiscard]] std::string path_under(const HttpUrl& base, std::string_view path) {
    std::string_view begin = base.target;
    while (begin.ends_with('/')) {
        begin.remove_suffix(1);
    }
    return fmt::format("{}/{}", begin, path);
}

[[nodiscard]] CallRequest request_to(
    const HttpUrl& base,
    const std::string& authorization,
    http::verb verb,
    const std::string& path
) {
    CallRequest request(verb, path_under(base, path), 11);
    request.set(http::field::host, base.authority);
    request.set(http::field::user_agent, "jobstrand/" JOBSTRAND_VERSION);
    request.set(http::field::accept, "application/json");
    if (!authorization.empty()) {
        request.set(http::field::authorization, authorization);
    }
    return request;
}

}  // namespace

std::string basic_authorization(std::string_view user, std::string_view password) {
    return user.empty() ? "" : "Basic " + base64(fmt::format("{}:{}", user, password));
}

CallRequest
execute_request(const HttpUrl& base, const std::string& authorization, std::string_view job) {
    CallRequest request = request_to(
        base,
        authorization,
        http::verb::post,
        fmt::format("management/jobs/{}", service::percent_encoded(job))
    );
    request.set(http::field::content_type, "application/json");
    request.body() = R"({"action":"execute"})";
    request.prepare_payload();
    return request;
}

CallRequest look_request(const HttpUrl& base, const std::string& authorization) {
    return request_to(base, authorization, http::verb::get, "management/engine");
}

bool is_done(const CallAnswer& answer) {
    return answer.kind == CallAnswer::Kind::answered && answer.status >= 200 && answer.status < 300;
}

std::string trouble_in(const CallAnswer& answer) {
    switch (answer.kind) {
        case CallAnswer::Kind::failed:
        case CallAnswer::Kind::not_begun:
            return answer.error;
        case CallAnswer::Kind::timed_out:
            return "it gave no answer in time";
        case CallAnswer::Kind::stopped:
            return {};
        case CallAnswer::Kind::answered:
            break;
    }
    const bool is_about_engine = answer.status == 401 || answer.status == 403 ||
                                 answer.status == 502 || answer.status == 503 ||
                                 answer.status == 504;
    return is_about_engine ? fmt::format("it answered {} {}", answer.status, answer.reason) : "";
}

namespace {

/// Between two looks at an engine that does not answer, and at one that does.
constexpr auto kLookAgain = 1s;
constexpr auto kLookNowAndThen = 10s;

/// For the answer to a look.
constexpr schema::Duration kLookLimit = 5s;

/// While no engine answers.
constexpr auto kWaitForEngine = 100ms;

[[nodiscard]] std::string authorization_of(const FlowableSettings& settings) {
    // Defended catch: the reader of a password knows nothing of engines.
    try {
        return settings.user.empty()
                   ? ""
                   : basic_authorization(
                         settings.user, persistence::password_in_file(settings.password_file)
                     );
    } catch (const persistence::DbError& error) {
        throw std::runtime_error(fmt::format("[flowable] passwordFile: {}", error.what()));
    }
}

[[nodiscard]] HttpTarget target_of(const FlowableSettings& settings, const std::string& engine) {
    return {
        .name = "flowable",
        .settings =
            {.url = engine,
             .ca_file = settings.ca_file,
             .time_limit = settings.time_limit,
             .calls = settings.calls},
        .url = parse_http_url(engine).value(),
        .secret = {},
    };
}

}  // namespace

EnginePool::EnginePool(asio::io_context& io, schema::Log& log, const FlowableSettings& settings)
    : io_(io),
      log_(log),
      authorization_(authorization_of(settings)),
      time_limit_(settings.time_limit) {
    engines_.reserve(settings.engines.size());  // They are borrowed.
    for (const std::string& engine : settings.engines) {
        Engine& added = engines_.emplace_back();
        added.calls = std::make_shared<CallPool>(io, target_of(settings, engine));
        added.next_look = std::make_unique<asio::steady_timer>(io);
    }
}

void EnginePool::execute(std::string job, std::stop_token stop, CallPool::Done done) {
    auto errand = std::make_shared<Errand>(Errand{
        .job = std::move(job), .stop = std::move(stop), .done = std::move(done)});
    asio::post(io_, [self = shared_from_this(), errand = std::move(errand)] {
        self->watch();
        self->dispatch(errand);
    });
}

void EnginePool::watch() {
    if (std::exchange(is_watching_, true)) {
        return;
    }
    for (Engine& engine : engines_) {
        look_at(engine);
    }
}

void EnginePool::look_at(Engine& engine) {
    const HttpUrl& url = engine.calls->target().url;
    engine.calls->call(
        [self = shared_from_this(), &url]() -> CallPool::Prepared {
            return {look_request(url, self->authorization_), kLookLimit};
        },
        {},
        [weak = weak_from_this(), &engine](const CallAnswer& answer) {
            if (const auto self = weak.lock()) {
                const bool is_well = is_done(answer);
                const std::string trouble = trouble_in(answer);
                const std::string said =
                    trouble.empty() ? fmt::format("it answered {}", answer.status) : trouble;
                self->note(engine, is_well ? "" : said);
                self->look_later(engine);
            }
        }
    );
}

void EnginePool::look_later(Engine& engine) {
    engine.next_look->expires_after(engine.is_well ? kLookNowAndThen : kLookAgain);
    engine.next_look->async_wait([weak = weak_from_this(), &engine](auto error) {
        const auto self = weak.lock();
        if (self != nullptr && !error) {
            self->look_at(engine);
        }
    });
}

void EnginePool::note(Engine& engine, const std::string& trouble) {
    const bool is_well = trouble.empty();
    const bool is_new = !std::exchange(engine.is_known, true);
    if (std::exchange(engine.is_well, is_well) == is_well && !is_new) {
        return;
    }
    const std::string& url = engine.calls->target().settings.url;
    if (is_well) {
        log_.write(schema::LogLevel::info, "Flowable engine answers", {{"engine", url}});
        return;
    }
    log_.write(
        schema::LogLevel::warn,
        "Flowable engine is not called until it answers again",
        {{"engine", url}, {"error", trouble}}
    );
    look_later(engine);
}

EnginePool::Engine* EnginePool::best() {
    Engine* found = nullptr;
    for (Engine& engine : engines_) {
        if (engine.is_well && (found == nullptr || engine.under_way < found->under_way)) {
            found = &engine;
        }
    }
    return found;
}

void EnginePool::dispatch(const std::shared_ptr<Errand>& errand) {
    if (errand->stop.stop_requested()) {
        errand->done({.kind = CallAnswer::Kind::stopped});
    } else if (Engine* const engine = best()) {
        send(*engine, errand);
    } else {
        wait_for_engine(errand);
    }
}

void EnginePool::wait_for_engine(const std::shared_ptr<Errand>& errand) {
    const auto timer = std::make_shared<asio::steady_timer>(io_, kWaitForEngine);
    timer->async_wait([self = shared_from_this(), errand, timer](auto) { self->dispatch(errand); });
}

void EnginePool::send(Engine& engine, const std::shared_ptr<Errand>& errand) {
    ++engine.under_way;
    const HttpUrl& url = engine.calls->target().url;
    engine.calls->call(
        [self = shared_from_this(), errand, &url]() -> CallPool::Prepared {
            return {execute_request(url, self->authorization_, errand->job), self->time_limit_};
        },
        errand->stop,
        [self = shared_from_this(), &engine, errand](CallAnswer answer) {
            --engine.under_way;
            if (const std::string trouble = trouble_in(answer); !trouble.empty()) {
                self->note(engine, trouble);
            }
            errand->done(std::move(answer));
        }
    );
}

}  // namespace jobstrand::cli
