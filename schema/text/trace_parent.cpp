#include "schema/text/trace_parent.hpp"

namespace jobstrand::schema {
namespace {

// Where the parts of `00-TRACE-PARENT-FLAGS` stand.
constexpr std::size_t kTraceAt = 3;
constexpr std::size_t kTraceDigits = 32;
constexpr std::size_t kParentAt = 36;
constexpr std::size_t kParentDigits = 16;
constexpr std::size_t kFlagsAt = 53;
constexpr std::size_t kHeaderLength = 55;

bool is_lower_hex(std::string_view text) {
    return text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

bool is_an_id(std::string_view text) {
    return is_lower_hex(text) && text.find_first_not_of('0') != std::string_view::npos;
}

bool has_form(std::string_view text) {
    const std::string_view version = text.substr(0, 2);
    const bool is_longer = text.size() > kHeaderLength;
    return is_lower_hex(version) && version != "ff" && (!is_longer || version != "00") &&
           (!is_longer || text[kHeaderLength] == '-') && text[kTraceAt - 1] == '-' &&
           text[kParentAt - 1] == '-' && text[kFlagsAt - 1] == '-';
}

}  // namespace

std::optional<TraceParent> parse_trace_parent(std::string_view text) {
    if (text.size() < kHeaderLength || !has_form(text)) {
        return std::nullopt;
    }
    const std::string_view trace = text.substr(kTraceAt, kTraceDigits);
    const std::string_view parent = text.substr(kParentAt, kParentDigits);
    const std::string_view flags = text.substr(kFlagsAt, 2);
    if (!is_an_id(trace) || !is_an_id(parent) || !is_lower_hex(flags)) {
        return std::nullopt;
    }
    // The lowest bit of the last digit; the others are of no meaning here.
    const bool is_sampled = std::string_view("13579bdf").find(flags[1]) != std::string_view::npos;
    return TraceParent{
        .trace_id = std::string(trace), .parent_id = std::string(parent), .is_sampled = is_sampled};
}

std::string text_of(const TraceParent& parent) {
    return "00-" + parent.trace_id + '-' + parent.parent_id + (parent.is_sampled ? "-01" : "-00");
}

}  // namespace jobstrand::schema
