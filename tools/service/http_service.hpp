#pragma once

#include "tools/service/api/api_parts.hpp"

#include <cstdint>
#include <memory>

namespace jobstrand::service {

/// The HTTP service beside an engine, as the settings want it.
///
/// Thread safety: none; what it runs has threads of its own.
class HttpService final {
public:
    /// Listens, but serves nobody yet. Throws std::runtime_error or TokenFileError, with what to
    /// do, when the settings cannot be followed: above all for an address that other machines reach
    /// without tokens. `runs_jobs`: the engine was or will be started. `parts` must outlive it.
    HttpService(const ApiParts& parts, bool runs_jobs);
    ~HttpService();

    void start();

    /// Reads certificate and key again, for the clients that come from now on. A mistake is told in
    /// the log, and what counted before still counts. Without TLS there is nothing to read.
    void read_certificate_again();

    /// Still answers, but says that it is not ready, so that callers go elsewhere.
    void say_stopping();

    /// Ends what is being answered and all its threads.
    void stop();

    [[nodiscard]] std::uint16_t port() const;

private:
    class Objects;
    std::unique_ptr<Objects> objects_;
};

}  // namespace jobstrand::service
