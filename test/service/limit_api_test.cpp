#include "test/service/api_fixture.hpp"

#include <gmock/gmock.h>

#include <string>
#include <string_view>

namespace jobstrand {
namespace {

using nlohmann::json;
using test::send;
using testing::HasSubstr;

class LimitApiTest : public test::ApiTest {
protected:
    test::RawResponse put(std::string_view limit, std::string_view body) {
        return ask(send("PUT", fmt::format("/api/v1/limits/{}", limit), body));
    }

    test::RawResponse remove(std::string_view limit) {
        return ask(send("DELETE", fmt::format("/api/v1/limits/{}", limit), ""));
    }
};

TEST_F(LimitApiTest, A_limit_is_set_listed_changed_and_removed) {
    EXPECT_EQ(look("/api/v1/limits"), json::array());
    const auto set = put("type:mail", R"({"concurrent":5,"rate":"100/PT1M"})");
    EXPECT_EQ(set.status, 200);
    EXPECT_EQ(
        json::parse(set.body),
        json::parse(R"({"limit":"type:mail","concurrent":5,"perNode":null,"rate":"100/PT1M"})")
    );
    EXPECT_EQ(put("tenant:%2A", R"({"perNode":2,"concurrent":null})").status, 200);
    EXPECT_EQ(look("/api/v1/limits"), json::parse(R"([
            {"limit":"tenant:*","concurrent":null,"perNode":2,"rate":null,"running":0,"waiting":0},
            {"limit":"type:mail","concurrent":5,"perNode":null,"rate":"100/PT1M","running":0,
             "waiting":0}
        ])"));
    EXPECT_EQ(put("type:mail", R"({"concurrent":7})").status, 200);
    EXPECT_EQ(look("/api/v1/limits")[1]["concurrent"], 7);
    EXPECT_EQ(look("/api/v1/limits")[1]["rate"], nullptr) << "a PUT replaces all of it";
    EXPECT_EQ(remove("type:mail").status, 204);
    EXPECT_EQ(remove("type:mail").status, 404);
    EXPECT_EQ(look("/api/v1/limits").size(), 1);
}

TEST_F(LimitApiTest, What_is_no_limit_is_refused_with_the_reason) {
    const auto expect_refused = [&](std::string_view limit, std::string_view body, auto reason) {
        const auto refused = put(limit, body);
        EXPECT_EQ(refused.status, 400) << body;
        EXPECT_THAT(refused.body, reason) << body;
    };
    expect_refused("colour:red", R"({"concurrent":5})", HasSubstr("KIND:VALUE"));
    expect_refused("type:mail", "{}", HasSubstr("needs"));
    expect_refused("type:mail", R"({"concurrent":-1})", HasSubstr("concurrent"));
    expect_refused("type:mail", R"({"rate":"often"})", HasSubstr("rate"));
    expect_refused("type:mail", R"({"rate":100})", HasSubstr("rate"));
    expect_refused("type:mail", R"({"most":5})", HasSubstr("most is not known"));
    expect_refused("type:mail", "[]", HasSubstr("object"));
    EXPECT_EQ(look("/api/v1/limits"), json::array());
}

}  // namespace
}  // namespace jobstrand
