#include <gtest/gtest.h>
#include <jobstrand/engine_of.hpp>
#include <jobstrand/error.hpp>
#include <jobstrand/value.hpp>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace jobstrand {

namespace {

using namespace std::chrono_literals;

bool is_null(const Value& value) {
    return std::holds_alternative<std::nullptr_t>(value.content());
}

TEST(Value, Nothing_is_null_however_it_is_written) {
    const char* const no_text = nullptr;
    for (const Value& value :
         {Value(),
          Value(nullptr),
          Value(no_text),
          Value(std::optional<int>()),
          Value(std::optional<std::string>())}) {
        EXPECT_TRUE(is_null(value));
        EXPECT_EQ(value.text(), std::nullopt);
    }
    EXPECT_FALSE(is_null(Value(""))) << "an empty text is a text";
}

TEST(Value, Is_what_it_was_made_from) {
    EXPECT_TRUE(std::get<bool>(Value(true).content()));
    EXPECT_EQ(std::get<std::int64_t>(Value(7).content()), 7);
    EXPECT_EQ(std::get<double>(Value(1.5F).content()), 1.5);
    EXPECT_EQ(std::get<std::string_view>(Value("text").content()), "text");
    EXPECT_EQ(std::get<std::string_view>(Value(std::string("text")).content()), "text");
    EXPECT_EQ(std::get<std::int64_t>(Value(std::optional(7U)).content()), 7);
    const std::vector<std::byte> bytes{std::byte{1}, std::byte{2}};
    EXPECT_EQ(std::get<Bytes>(Value(bytes).content()).size(), 2U);
}

TEST(Value, A_number_that_no_column_holds_is_refused) {
    constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
    EXPECT_EQ(Value(kMost).text(), "9223372036854775807");
    EXPECT_EQ(Value(static_cast<std::uint64_t>(kMost)).text(), "9223372036854775807");
    EXPECT_THROW(Value(static_cast<std::uint64_t>(kMost) + 1), std::out_of_range);
    EXPECT_EQ(Value(std::numeric_limits<std::int64_t>::min()).text(), "-9223372036854775808");
}

TEST(Value, A_time_is_cut_to_milliseconds_before_1970_too) {
    using std::chrono::sys_time;
    const auto text_of = [](std::chrono::microseconds since_1970) {
        return Value(sys_time<std::chrono::microseconds>(since_1970)).text();
    };
    EXPECT_EQ(text_of(0us), "1970-01-01 00:00:00.000");
    EXPECT_EQ(text_of(1'999us), "1970-01-01 00:00:00.001");
    EXPECT_EQ(text_of(-1us), "1969-12-31 23:59:59.999") << "it is floored, not rounded to zero";
}

TEST(Value, As_text_is_what_a_database_reads) {
    const std::vector<std::byte> bytes{std::byte{0}, std::byte{255}};
    EXPECT_EQ(Value(true).text(), "1");
    EXPECT_EQ(Value(false).text(), "0");
    EXPECT_EQ(Value(bytes).text(), "\\x00ff");
    EXPECT_EQ(Value(std::string_view("a\0b", 3)).text(), std::string("a\0b", 3));
}

TEST(Value, A_double_comes_back_from_its_text_exactly) {
    for (const double number :
         {0.0,
          -0.0,
          0.1,
          1e300,
          -1e-300,
          1.0 / 3,
          std::numeric_limits<double>::denorm_min(),
          std::numeric_limits<double>::max()}) {
        EXPECT_EQ(std::strtod(Value(number).text()->c_str(), nullptr), number);
    }
}

TEST(Error, Only_what_a_second_try_may_mend_is_transient) {
    const std::pair<ErrorKind, bool> cases[]{
        {ErrorKind::conflict, true},
        {ErrorKind::busy, true},
        {ErrorKind::connection_lost, true},
        {ErrorKind::in_doubt, false},
        {ErrorKind::duplicate_key, false},
        {ErrorKind::too_long, false},
        {ErrorKind::read_only, false},
        {ErrorKind::storage_full, false},
        {ErrorKind::not_a_database, false},
        {ErrorKind::access_denied, false},
        {ErrorKind::unreachable, false},
        {ErrorKind::schema_missing, false},
        {ErrorKind::other, false},
    };
    for (const auto& [kind, transient] : cases) {
        const Error error(kind, "what happened");
        EXPECT_EQ(error.is_transient(), transient);
        EXPECT_EQ(error.kind(), kind);
        EXPECT_STREQ(error.what(), "what happened");
    }
}

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
