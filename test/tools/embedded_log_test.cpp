#include "schema/text/time_text.hpp"
#include "tools/engine/engine_parts.hpp"
#include "tools/process/log_line.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace jobstrand {
namespace {

TEST(EmbeddedLog, A_line_has_the_form_of_the_service) {
    const schema::TimePoint time = schema::parse_instant("2026-11-20T10:15:30.123Z").value();
    const std::vector<LogField> fields{
        {.name = "id", .value = "17", .is_number = true},
        {.name = "error", .value = "no \"answer\"\n"},
        {.name = "empty", .value = ""}};
    const std::string text =
        engine::text_of({.level = LogLevel::warn, .message = "job failed", .fields = fields}, time);
    EXPECT_EQ(
        text, "2026-11-20T10:15:30.123Z WARN  job failed id=17 error=\"no \\\"answer\\\"\\n\""
    );
    const std::vector<schema::LogField> same{
        {"id", 17}, {"error", "no \"answer\"\n"}, {"empty", ""}};
    EXPECT_EQ(
        text,
        cli::format_line(
            {.time = time,
             .level = schema::LogLevel::warn,
             .message = "job failed",
             .fields = same},
            cli::LogFormat::text
        )
    );
}

}  // namespace
}  // namespace jobstrand
