#pragma once

#include "test/fixtures/temporary_directory.hpp"
#include "test/service/raw_client.hpp"
#include "tools/engine/wiring.hpp"
#include "tools/service/http_service.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <memory>
#include <string>

namespace jobstrand::test {

/// The service on a SQLite file, beside an engine that does not run.
class ApiTest : public testing::Test {
protected:
    ApiTest() {
        settings.http.listen = "127.0.0.1:0";
        http = std::make_unique<service::HttpService>(parts, false);
        http->start();
    }

    [[nodiscard]] RawResponse ask(const std::string& bytes) const {
        return RawClient(http->port()).ask(bytes);
    }

    /// The body of a response that must be 200.
    [[nodiscard]] nlohmann::json look(const std::string& path) const {
        const RawResponse response = ask(get(path));
        EXPECT_EQ(response.status, 200) << path << response.body;
        return nlohmann::json::parse(response.body);
    }

    /// Enqueues a job and returns its id.
    std::string add(const std::string& job) const {
        const RawResponse response = ask(post("/api/v1/jobs", job));
        EXPECT_EQ(response.status, 201) << response.body;
        return nlohmann::json::parse(response.body).value("id", "");
    }

    const TemporaryDirectory directory;
    schema::SystemClock clock;
    schema::SilentLog log;
    cli::Settings settings;
    engine::Wiring engine{
        {.database_url = "sqlite:" + (directory.path() / "jobs.db").string() + "?synchronous=off"},
        clock,
        log};
    const service::ApiParts parts{.engine = engine, .settings = settings, .log = log};
    std::unique_ptr<service::HttpService> http;
};

}  // namespace jobstrand::test
