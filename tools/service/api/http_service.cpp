#include "tools/service/api/http_service.hpp"

#include "tools/service/access/local_gate.hpp"
#include "tools/service/access/token_gate.hpp"
#include "tools/service/api/enqueue_group.hpp"
#include "tools/service/api/readiness.hpp"
#include "tools/service/api/routes.hpp"
#include "tools/service/http/server.hpp"
#include "tools/service/http/work_pool.hpp"

#include <stdexcept>
#include <utility>

namespace jobstrand::service {

namespace {

/// Threads for what blocks, and requests that may wait for them. The databases' pools lend a few
/// connections each.
constexpr std::size_t kThreads = 4;
constexpr std::size_t kWaitingRequests = 256;

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

[[nodiscard]] std::unique_ptr<Gate> gate_of(const cli::HttpSettings& settings, schema::Log& log) {
    if (settings.token_file.empty()) {
        return std::make_unique<LocalGate>();
    }
    return std::make_unique<TokenGate>(settings.token_file, log);
}

[[nodiscard]] ServerLimits limits_of(const cli::HttpSettings& settings) {
    return {.connections = settings.connections, .body_bytes = settings.body_bytes};
}

}  // namespace

/// Oldest dependency first.
class HttpService::Objects {
public:
    Objects(const ApiParts& the_parts, bool runs_jobs)
        : parts(the_parts),
          gate(gate_of(parts.settings.http, parts.log)),
          readiness(parts, runs_jobs),
          pool(kThreads, kWaitingRequests, parts.log),
          singles(parts, enqueued),
          waits(parts.engine.workers()),
          router(all_routes({parts, readiness, pool, singles, enqueued, counts, waits})),
          server(
              address_of(parts.settings.http),
              router,
              *gate,
              counts,
              limits_of(parts.settings.http)
          ) {
        parts.engine.on_external_jobs([this] { waits.news(); });
    }

    ~Objects() { stop(); }

    /// What holds answers ends before the server that they go to.
    void stop() {
        parts.engine.on_external_jobs({});
        server.stop();
        waits.stop();
        singles.stop();
        pool.stop();
    }

    ApiParts parts;
    const std::unique_ptr<Gate> gate;
    Readiness readiness;
    EnqueueCounts enqueued;
    HttpCounts counts;
    WorkPool pool;
    EnqueueGroup singles;
    WorkWaits waits;
    const Router router;
    Server server;
};

HttpService::HttpService(const ApiParts& parts, bool runs_jobs)
    : objects_(std::make_unique<Objects>(parts, runs_jobs)) {}

HttpService::~HttpService() = default;

void HttpService::start() {
    objects_->server.start();
}

void HttpService::say_stopping() {
    objects_->readiness.stop();
    objects_->waits.finish();
}

void HttpService::stop() {
    objects_->stop();
}

std::uint16_t HttpService::port() const {
    return objects_->server.port();
}

}  // namespace jobstrand::service
