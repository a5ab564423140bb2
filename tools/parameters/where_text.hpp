#pragma once

#include "persistence/job_filter.hpp"
#include "schema/text/parsing.hpp"
#include "schema/time.hpp"

#include <functional>
#include <string_view>

namespace jobstrand::cli {

/// Terms, those of them about payloads, and the depth of parentheses in one text: they bound what a
/// database has to read.
inline constexpr std::size_t kTermsMost = 200;
inline constexpr std::size_t kPayloadTermsMost = 20;
inline constexpr std::size_t kTermDepthMost = 30;

/// Reads what `--where` takes, one line of a search box:
///
/// | text                                        | jobs                                          |
/// |---------------------------------------------|-----------------------------------------------|
/// | `type:mail`, `type:mail-*`, `type:"a b"`    | with this value, or one that begins so        |
/// | `due<2h`, `created>yesterday`, `retries>=3` | before or after a time; with such a number    |
/// | `payload.order.id:17`, `payload.sum>=9.5`   | with such a part of the payload               |
/// | `is:locked`, `is:free`, `has:exception`     | that somebody holds or nobody does; failed    |
/// | `has:tenant`, `-tenant`                     | with any value, or without one                |
/// | `no route`, `"exit code: 3"`                | with this in the message                      |
///
/// Terms side by side must all match, or with AND; with OR one is enough, which binds less. `-` or
/// NOT before a term or parentheses leaves out what they match. Of one key that stands side by side
/// with itself one value is enough. Keys are the names of the filter options, and `id`.
///
/// `now` is asked for times that are relative. The error's message is a sentence for whoever typed
/// it, which says what would be right.
[[nodiscard]] schema::ParseResult<persistence::JobTerm>
parse_where(std::string_view text, const std::function<schema::TimePoint()>& now);

}  // namespace jobstrand::cli
