#pragma once

#include "test/process/service_fixture.hpp"
#include "test/service/raw_client.hpp"

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

namespace jobstrand::test {

/// The service as a process that answers HTTP.
class HttpServiceTest : public ServiceTest {
protected:
    /// A service that has said on which port it answers.
    [[nodiscard]] std::unique_ptr<BackgroundProcess> a_listening_service(
        const std::vector<std::string>& more = {},
        const std::string& address = "127.0.0.1:0"
    ) {
        std::filesystem::remove(path("service.log"));
        std::vector<std::string> words{"serve", "--http", address};
        words.insert(words.end(), more.begin(), more.end());
        auto service = std::make_unique<BackgroundProcess>(command(words), path("service.log"));
        EXPECT_TRUE(service->wait_for_log("clock_skew_ms="));
        const std::string log = service->log();
        port = static_cast<std::uint16_t>(std::atoi(log.c_str() + log.find(" port=") + 6));
        return service;
    }

    std::uint16_t port = 0;
};

}  // namespace jobstrand::test
