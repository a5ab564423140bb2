#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace jobstrand::schema {

/// Where in which trace something was caused: the `traceparent` of W3C Trace Context
/// (https://www.w3.org/TR/trace-context/, level 1).
struct TraceParent {
    std::string trace_id;   ///< 32 lower-case hexadecimal digits, not all of them 0.
    std::string parent_id;  ///< The span that caused it: 16 of them, not all of them 0.
    bool is_sampled = false;

    bool operator==(const TraceParent&) const = default;
};

/// `00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01`. Of later versions of the standard the
/// part that it promises to keep is read. nullopt: it is none.
[[nodiscard]] std::optional<TraceParent> parse_trace_parent(std::string_view text);

/// Returns the text in the format of version 00.
[[nodiscard]] std::string text_of(const TraceParent& parent);

}  // namespace jobstrand::schema
