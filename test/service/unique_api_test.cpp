#include "test/service/api_fixture.hpp"

#include <gmock/gmock.h>

namespace jobstrand {
namespace {

using nlohmann::json;
using test::ApiTest;
using test::post;
using testing::HasSubstr;

constexpr const char* kJobs = "/api/v1/jobs";

/// Unique keys over HTTP (B8).
class UniqueApi : public ApiTest {};

TEST_F(UniqueApi, A_job_that_is_kept_is_the_answer) {
    const std::string id = add(R"({"handlerType":"noop","uniqueKey":"k"})");
    const auto kept =
        ask(post(kJobs, R"({"handlerType":"noop","uniqueKey":"k","onDuplicate":"keep"})"));
    EXPECT_EQ(kept.status, 200);
    EXPECT_THAT(kept.head, HasSubstr("Location: /api/v1/jobs/" + id));
    EXPECT_EQ(
        json::parse(kept.body), json({{"id", id}, {"isNew", false}, {"replacedJob", nullptr}})
    );
}

}  // namespace
}  // namespace jobstrand
