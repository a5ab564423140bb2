#include "tools/process/log_line.hpp"

#include "schema/text/time_text.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace jobstrand::cli {
namespace {

using nlohmann::json;
using schema::LogField;
using schema::LogLevel;

std::string line_of(const std::vector<LogField>& fields, LogFormat format) {
    const LogLine line{
        .time = schema::parse_instant("2026-11-20T10:15:30.123Z").value(),
        .level = LogLevel::warn,
        .message = "job failed",
        .fields = fields,
    };
    return format_line(line, format);
}

TEST(LogLine, Text_has_time_level_message_and_the_fields_by_name) {
    EXPECT_EQ(
        line_of({{"id", "17"}, {"reason", "no such file"}}, LogFormat::text),
        "2026-11-20T10:15:30.123Z WARN  job failed id=17 reason=\"no such file\""
    );
}

TEST(LogLine, Text_leaves_out_what_is_empty_and_json_has_it) {
    const std::vector<LogField> fields{{"trace_id", ""}, {"id", "17"}};
    EXPECT_TRUE(line_of(fields, LogFormat::text).ends_with("job failed id=17"));
    EXPECT_EQ(json::parse(line_of(fields, LogFormat::json)).at("trace_id"), "");
}

TEST(LogLine, A_hostile_value_cannot_forge_a_second_line) {
    const std::string forged = "x\n2026-11-20T10:15:30.123Z ERROR all is lost\x1b[2J\"";
    for (const LogFormat format : {LogFormat::text, LogFormat::json}) {
        const std::string line = line_of({{"payload", forged}}, format);
        EXPECT_EQ(line.find('\n'), std::string::npos) << line;
        EXPECT_EQ(line.find('\x1b'), std::string::npos) << line;
    }
}

TEST(LogLine, Json_gives_every_value_back_as_it_was) {
    const std::string hostile = "a \"quoted\" \\ line\nbreak";
    const json line = json::parse(line_of({{"payload", hostile}}, LogFormat::json));
    EXPECT_EQ(line.at("time"), "2026-11-20T10:15:30.123Z");
    EXPECT_EQ(line.at("level"), "warn");
    EXPECT_EQ(line.at("message"), "job failed");
    EXPECT_EQ(line.at("payload"), hostile);
}

TEST(LogLine, Json_has_numbers_as_numbers) {
    const std::int64_t least = std::numeric_limits<std::int64_t>::min();
    const json line = json::parse(line_of(
        {{"jobs", 17}, {"skew_ms", least}, {"room", SIZE_MAX}, {"id", "17"}}, LogFormat::json
    ));
    EXPECT_EQ(line.at("jobs"), 17);
    EXPECT_EQ(line.at("skew_ms"), least);
    EXPECT_EQ(line.at("room"), SIZE_MAX);
    EXPECT_EQ(line.at("id"), "17") << "a text that looks like a number is a text";
}

TEST(LogLine, Text_writes_numbers_like_texts) {
    EXPECT_TRUE(line_of({{"jobs", 17}, {"id", "a"}}, LogFormat::text).ends_with(" jobs=17 id=a"));
}

TEST(LogLine, Json_survives_bytes_that_are_no_text) {
    const json line = json::parse(line_of(
        {{"payload",
          "a\xff"
          "b"}},
        LogFormat::json
    ));
    EXPECT_EQ(
        line.at("payload"),
        "a\xEF\xBF\xBD"
        "b"
    );
}

TEST(LogLine, A_field_named_like_a_part_of_the_line_does_not_replace_it) {
    const json line = json::parse(line_of({{"message", "other"}}, LogFormat::json));
    EXPECT_EQ(line.at("message"), "job failed");
    EXPECT_EQ(line.at("message_"), "other");
}

TEST(LogLine, Levels_and_formats_are_found_by_their_names) {
    for (const LogLevel level :
         {LogLevel::debug, LogLevel::info, LogLevel::warn, LogLevel::error}) {
        EXPECT_EQ(log_level_named(name_of(level)), level);
    }
    EXPECT_EQ(log_level_named("loud"), std::nullopt);
    EXPECT_EQ(log_format_named("json"), LogFormat::json);
    EXPECT_EQ(log_format_named(""), std::nullopt);
}

}  // namespace
}  // namespace jobstrand::cli
