#include "tools/service/http_service.hpp"

#include "persistence/executor_store.hpp"
#include "persistence/node_store.hpp"
#include "persistence/sql/db_error.hpp"
#include "schema/text/time_text.hpp"
#include "tools/service/http/gates.hpp"
#include "tools/service/http/http_server.hpp"
#include "tools/service/http/tls_identity.hpp"
#include "tools/service/routes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <exception>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace jobstrand::service {

namespace {

using std::chrono::steady_clock;

/// How long an answer counts, and how long it is repeated while nobody knows a newer one.
constexpr std::chrono::seconds kFresh{1};
constexpr std::chrono::seconds kStale{5};

}  // namespace

Response Readiness::answer() {
    if (is_stopping_) {
        return come_again("the service stops");
    }
    std::unique_lock lock(mutex_);
    const auto age = steady_clock::now() - asked_at_;
    if (last_ && age < kFresh) {
        return *last_;
    }
    // One asks; else a database that does not answer would hold all threads of the pool.
    if (is_asking_) {
        return last_ && age < kStale ? *last_ : come_again("the database has not answered yet");
    }
    is_asking_ = true;
    lock.unlock();
    Response response = ask();
    lock.lock();
    is_asking_ = false;
    asked_at_ = steady_clock::now();
    last_ = std::move(response);
    return *last_;
}

Response Readiness::ask() {
    // Defended catch: whatever keeps the database from answering is an answer.
    try {
        const std::vector<persistence::Node> nodes = parts_.engine.node_store().nodes();
        const schema::TimePoint now = parts_.engine.clock().now();
        const bool has_lease = std::ranges::any_of(nodes, [&](const persistence::Node& node) {
            return node.identity.node == parts_.engine.lock_owner() && node.lease_until > now;
        });
        // What was read just now has ended any other outage. Only who runs jobs writes again and
        // again, and so finds out when this one ends.
        if (runs_jobs_ &&
            parts_.engine.executor_store().back_since() == schema::SteadyPoint::max()) {
            return come_again(
                "the database takes no writes: it is read-only, or its disk is full; the log says "
                "which"
            );
        }
        if (runs_jobs_ && !has_lease) {
            return come_again("this node does not hold its lease");
        }
        if (const std::string why = parts_.engine.standstill(); !why.empty()) {
            return come_again("this node does not get on: " + why);
        }
        if (const auto refused = parts_.engine.refused(); refused.outcomes > 0) {
            return come_again(fmt::format(
                "the database refuses what became of {} jobs of the types {}; the log says why",
                refused.outcomes,
                fmt::join(refused.types, ", ")
            ));
        }
    } catch (const std::exception& error) {
        // The store says once that the database is away.
        const auto* const of_database = dynamic_cast<const persistence::DbError*>(&error);
        const bool is_told = of_database != nullptr && of_database->is_outage();
        parts_.log.write(
            is_told ? schema::LogLevel::debug : schema::LogLevel::warn,
            "not ready",
            {{"error", error.what()}}
        );
        return come_again("the database does not answer as it should; the log says why");
    }
    return {.status = 200, .body = "{\"status\":\"ready\"}\n"};
}

namespace {

[[nodiscard]] ListenAddress address_of(const cli::HttpSettings& settings) {
    auto address = parse_listen_address(settings.listen);
    if (!address) {
        throw std::runtime_error("httpListen " + address.error().message);
    }
    if (!address.value().is_loopback && settings.token_file.empty()) {
        throw std::runtime_error(
            "httpListen = " + settings.listen +
            " is open to other machines: make a token (jobstrand token make NAME --role admin "
            "--file FILE) and name the file in httpTokenFile, or listen on 127.0.0.1"
        );
    }
    return address.value();
}

[[nodiscard]] bool speaks_tls(const cli::HttpSettings& settings) {
    return !settings.certificate_file.empty();
}

void warn_of_listeners(const cli::HttpSettings& settings, schema::Log& log) {
    if (!address_of(settings).is_loopback && !speaks_tls(settings)) {
        log.write(
            schema::LogLevel::warn,
            "tokens and jobs cross the network in the clear: set httpCertificateFile",
            {{"address", settings.listen}}
        );
    }
}

/// Throws TlsFileError.
[[nodiscard]] TlsIdentity tls_identity_of(const ApiParts& parts) {
    const cli::HttpSettings& settings = parts.settings.http;
    TlsIdentity identity = read_tls_identity(
        {.certificate = settings.certificate_file, .key = settings.key_file},
        parts.engine.clock().now()
    );
    for (const std::string& remark : identity.remarks) {
        parts.log.write(
            schema::LogLevel::warn, remark, {{"certificate", settings.certificate_file}}
        );
    }
    return identity;
}

[[nodiscard]] std::unique_ptr<Gate> gate_of(const ApiParts& parts) {
    const std::string& token_file = parts.settings.http.token_file;
    if (token_file.empty()) {
        return std::make_unique<LocalGate>();
    }
    auto gate = std::make_unique<TokenGate>(token_file, parts.log, parts.engine_name);
    gate->hide_from_readers(parts.settings.http.hidden_members);
    return gate;
}

[[nodiscard]] ServerLimits limits_of(const cli::HttpSettings& settings) {
    return {.connections = settings.connections, .body_bytes = settings.body_bytes};
}

}  // namespace

/// Oldest dependency first.
class HttpService::Objects {
public:
    Objects(const ApiParts& api, bool runs_jobs)
        : gate(gate_of(api)),
          parts{.api = api, .gate = *gate, .runs_jobs = runs_jobs},
          router(all_routes(parts)),
          server(
              address_of(api.settings.http),
              router,
              *gate,
              parts.http,
              limits_of(api.settings.http)
          ) {
        warn_of_listeners(api.settings.http, api.log);
        parts.api.last_counts = [this] {
            if (parts.backlog.wants_a_look(Backlog::kRestOfViewers)) {
                parts.pool.post([this] { parts.backlog.look(); });
            }
            return parts.backlog.last_places();
        };
        if (speaks_tls(api.settings.http)) {
            server.use_tls(tls_identity_of(api).context);
        }
        api.engine.on_external_jobs([this] { parts.waits.news(); });
    }

    ~Objects() { stop(); }

    /// What holds answers ends before the server that they go to.
    void stop() {
        parts.api.engine.on_external_jobs({});
        server.stop();
        parts.feed.stop();
        parts.waits.stop();
        parts.singles.stop();
        parts.pool.stop();
        parts.verbs.stop();
        parts.shared.stop();
    }

    const std::unique_ptr<Gate> gate;
    RouteParts parts;
    const Router router;
    Server server;
};

HttpService::HttpService(const ApiParts& parts, bool runs_jobs)
    : objects_(std::make_unique<Objects>(parts, runs_jobs)) {}

HttpService::~HttpService() = default;

void HttpService::start() {
    objects_->parts.feed.start();
    objects_->server.start();
}

void HttpService::read_certificate_again() {
    const ApiParts& parts = objects_->parts.api;
    if (!speaks_tls(parts.settings.http)) {
        return;
    }
    // Defended catch: half a renewal must not end a service.
    try {
        const TlsIdentity identity = tls_identity_of(parts);
        objects_->server.use_tls(identity.context);
        parts.log.write(
            schema::LogLevel::info,
            "the certificate was read again",
            {{"expires", schema::format_instant(identity.expires)}}
        );
    } catch (const TlsFileError& error) {
        parts.log.write(
            schema::LogLevel::error,
            "the certificate is not taken over: the one before still counts",
            {{"error", error.what()}}
        );
    }
}

void HttpService::say_stopping() {
    objects_->parts.readiness.stop();
    objects_->parts.waits.finish();
    objects_->parts.feed.finish();
}

void HttpService::stop() {
    objects_->stop();
}

std::uint16_t HttpService::port() const {
    return objects_->server.port();
}

}  // namespace jobstrand::service
