#include "test/service/api_fixture.hpp"
#include "tools/service/http/gates.hpp"
#include "tools/service/http_service.hpp"
#include "tools/service/routes.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

namespace jobstrand {
namespace {

using nlohmann::json;
using service::Route;
using test::get;
using test::send;

class OpenApiTest : public test::ApiTest {
protected:
    /// The same table that the service has.
    [[nodiscard]] std::vector<Route> routes() { return service::all_routes(route_parts); }

    service::LocalGate gate;
    service::RouteParts route_parts{.api = parts, .gate = gate};
};

[[nodiscard]] std::string lower(std::string text) {
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text;
}

TEST_F(OpenApiTest, Every_route_is_described_and_every_description_is_a_route) {
    std::set<std::string> served;
    for (const Route& route : routes()) {
        served.insert(lower(route.method) + " " + route.pattern);
    }
    std::set<std::string> described;
    const json document = look("/api/v1/openapi.json");
    EXPECT_EQ(document["openapi"], "3.1.0");
    for (const auto& [path, operations] : document["paths"].items()) {
        for (const auto& [method, operation] : operations.items()) {
            if (method != "parameters") {
                described.insert(method + " " + path);
            }
        }
    }
    EXPECT_EQ(described, served);
}

TEST_F(OpenApiTest, Every_route_has_a_name_of_its_own_and_a_tag) {
    std::set<std::string> names;
    const json document = look("/api/v1/openapi.json");
    for (const auto& [path, operations] : document.at("paths").items()) {
        for (const auto& [method, operation] : operations.items()) {
            if (method != "parameters") {
                EXPECT_TRUE(names.insert(operation.at("operationId")).second) << path;
                EXPECT_EQ(operation.at("tags").size(), 1) << path;
            }
        }
    }
    EXPECT_GE(names.size(), document.at("paths").size());
}

TEST_F(OpenApiTest, A_list_of_jobs_has_every_filter) {
    const json list = look("/api/v1/openapi.json").at("paths").at("/api/v1/jobs").at("get");
    std::set<std::string> names;
    for (const json& parameter : list.at("parameters")) {
        EXPECT_TRUE(names.insert(parameter.at("name")).second) << parameter;
    }
    for (const char* const name :
         {"place", "type", "created-before", "locked", "without", "where"}) {
        EXPECT_TRUE(names.contains(name)) << name;
    }
}

TEST_F(OpenApiTest, A_list_of_jobs_takes_every_parameter_that_is_described) {
    const json list = look("/api/v1/openapi.json").at("paths").at("/api/v1/jobs").at("get");
    const std::set<std::string> go_together{"after", "order", "skip"};
    for (const json& parameter : list.at("parameters")) {
        const std::string name = parameter.at("name");
        const json& schema = parameter.at("schema");
        const auto ends_with = [&](const char* end) { return name.ends_with(end); };
        std::string value = "1";
        if (schema.contains("enum")) {
            value = schema["enum"][0];
        } else if (schema.at("type") == "boolean") {
            value = "true";
        } else if (name == "without") {
            value = "tenant";
        } else if (ends_with("-before") || ends_with("-after")) {
            value = "2026-01-01T00:00:00Z";
        }
        if (!go_together.contains(name)) {
            EXPECT_EQ(ask(get("/api/v1/jobs?" + name + "=" + value)).status, 200) << name;
        }
    }
}

/// Each of the types that `part` names.
void expect_one_type_each(const json& part) {
    if (part.is_object() && part.contains("type") && !part["type"].is_object()) {
        EXPECT_TRUE(part["type"].is_string()) << part;
    }
    for (const json& inner : part) {
        if (inner.is_structured()) {
            expect_one_type_each(inner);
        }
    }
}

TEST_F(OpenApiTest, Tools_that_know_no_newer_one_get_version_3_0) {
    const json old = look("/api/v1/openapi.json?version=3.0");
    EXPECT_EQ(old.at("openapi"), "3.0.3");
    expect_one_type_each(old);
    EXPECT_EQ(old.at("paths").size(), look("/api/v1/openapi.json?version=3.1")["paths"].size());
    EXPECT_EQ(ask(get("/api/v1/openapi.json?version=2.0")).status, 400);
}

TEST_F(OpenApiTest, Every_route_names_its_role_and_the_content_that_it_takes) {
    const json document = look("/api/v1/openapi.json");
    for (const Route& route : routes()) {
        const json& operation = document.at("paths").at(route.pattern).at(lower(route.method));
        const std::string summary = operation.at("summary");
        if (route.role != service::Role::anybody) {
            const std::string role = "(role " + std::string(name_of(route.role)) + ")";
            EXPECT_THAT(summary, testing::HasSubstr(role)) << route.pattern;
        }
        std::set<std::string> taken(route.takes.begin(), route.takes.end());
        std::set<std::string> told;
        const json request = operation.value("requestBody", json::object());
        const json contents = request.value("content", json::object());
        for (const auto& [type, content] : contents.items()) {
            told.insert(type);
        }
        EXPECT_EQ(told, taken) << route.pattern;
    }
}

/// Every `$ref` leads somewhere.
void expect_references(const json& part, const json& document) {
    if (part.is_object() && part.contains("$ref")) {
        const std::string target = part["$ref"].get<std::string>().substr(1);
        EXPECT_TRUE(document.contains(json::json_pointer(target))) << target;
    }
    for (const json& inner : part) {
        if (inner.is_structured()) {
            expect_references(inner, document);
        }
    }
}

[[nodiscard]] std::string document_of_http() {
    std::ostringstream text;
    text << std::ifstream(JOBSTRAND_SOURCE_DIR "/docs/http.md").rdbuf();
    return text.str();
}

TEST_F(OpenApiTest, The_document_has_every_route_with_its_role) {
    const std::string document = document_of_http();
    for (const Route& route : routes()) {
        const std::string role =
            route.role == service::Role::anybody ? "–" : std::string(name_of(route.role));
        const std::string row = "| `" + route.method + " " + route.pattern + "` | " + role + " |";
        EXPECT_THAT(document, testing::HasSubstr(row));
    }
}

TEST_F(OpenApiTest, References_lead_somewhere) {
    const json document = look("/api/v1/openapi.json");
    expect_references(document, document);
}

TEST_F(OpenApiTest, Every_route_answers_with_a_status_that_is_described) {
    const json document = look("/api/v1/openapi.json");
    for (const Route& route : routes()) {
        const std::string path = std::regex_replace(route.pattern, std::regex(R"(\{\w+\})"), "x");
        const std::string body = route.takes.empty() ? "" : R"({"handlerType":"a"})";
        const bool is_get = route.method == "GET";
        const int status = ask(is_get ? get(path) : send(route.method, path, body)).status;
        const json& responses =
            document.at("paths").at(route.pattern).at(lower(route.method)).at("responses");
        EXPECT_NE(status, 405) << path;
        EXPECT_LT(status, 500) << path;
        EXPECT_TRUE(
            responses.contains(std::to_string(status)) ||
            (status >= 400 && responses.contains("default"))
        ) << path
          << " " << status;
    }
}

}  // namespace
}  // namespace jobstrand
