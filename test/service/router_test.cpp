#include "tools/service/http/router.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace jobstrand {
namespace {

using service::Response;
using service::Role;
using service::RouteMatch;
using testing::ElementsAre;
using testing::HasSubstr;

class RouterTest : public testing::Test {
protected:
    [[nodiscard]] static service::Router a_router() {
        return service::Router({
            {"GET", "/jobs", Role::read, {}},
            {"POST", "/jobs", Role::worker, {}},
            {"GET", "/jobs/{id}", Role::read, {}},
            {"POST", "/nodes/{node}/drain", Role::admin, {}},
        });
    }

    [[nodiscard]] int status(std::string_view method, std::string_view path) const {
        const auto found = router.find(method, path);
        const auto* const refusal = std::get_if<Response>(&found);
        return refusal == nullptr ? 200 : refusal->status;
    }

    const service::Router router = a_router();
};

TEST_F(RouterTest, A_path_is_found_by_method_and_pattern) {
    const auto found = router.find("POST", "/nodes/a%2Fb/drain");
    const auto& match = std::get<RouteMatch>(found);
    EXPECT_EQ(match.route->pattern, "/nodes/{node}/drain");
    EXPECT_THAT(match.parameters, ElementsAre("a/b"));
    EXPECT_EQ(std::get<RouteMatch>(router.find("POST", "/jobs")).route->role, Role::worker);
}

TEST_F(RouterTest, Another_path_is_not_found_and_another_method_is_told_which_there_are) {
    EXPECT_EQ(status("GET", "/job"), 404);
    EXPECT_EQ(status("GET", "/jobs/17/more"), 404);
    const auto found = router.find("DELETE", "/jobs");
    const auto& refusal = std::get<Response>(found);
    EXPECT_EQ(refusal.status, 405);
    ASSERT_FALSE(refusal.headers.empty());
    EXPECT_EQ(refusal.headers.front().name, "Allow");
    EXPECT_EQ(refusal.headers.front().value, "GET, POST");
}

TEST_F(RouterTest, Tricks_with_paths_are_refused) {
    for (const char* const path :
         {"",
          "jobs",
          "//jobs",
          "/jobs/",
          "/jobs/..",
          "/jobs/.",
          "/jobs/%2e%2e",
          "/jobs/%00",
          "/jobs/%0d%0a",
          "/jobs/%zz",
          "/jobs/%2",
          "/jobs/%ff",
          "/jobs/%c0%af"}) {
        EXPECT_EQ(status("GET", path), 400) << path;
    }
}

}  // namespace
}  // namespace jobstrand
