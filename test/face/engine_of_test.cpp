#include <gtest/gtest.h>
#include <jobstrand/engine_of.hpp>
#include <nlohmann/json.hpp>

#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace jobstrand {
namespace {

TEST(EngineOf, It_is_the_one_that_all_clients_name) {
    std::ifstream file(JOBSTRAND_SOURCE_DIR "/test/clients/engine_of.json");
    const nlohmann::json cases = nlohmann::json::parse(file);
    ASSERT_GT(cases.size(), 20U);
    for (const nlohmann::json& one : cases) {
        const std::vector<std::string> names = one.at("names");
        EXPECT_EQ(engine_of(one.at("key").get<std::string>(), names), one.at("engine")) << one;
    }
}

TEST(EngineOf, A_further_engine_takes_keys_from_the_others_and_moves_none_between_them) {
    const std::vector<std::string> before{"a", "b", "c"};
    const std::vector<std::string> after{"a", "b", "c", "d"};
    int taken = 0;
    for (int i = 0; i < 4000; ++i) {
        const std::string key = "instance-" + std::to_string(i);
        const std::string engine = engine_of(key, after);
        taken += engine == "d" ? 1 : 0;
        EXPECT_TRUE(engine == "d" || engine == engine_of(key, before)) << key;
    }
    EXPECT_NEAR(taken, 1000, 150) << "a quarter of them";
}

TEST(EngineOf, Among_none_there_is_none) {
    EXPECT_THROW((void)engine_of("key", {}), std::invalid_argument);
}

}  // namespace
}  // namespace jobstrand
