#include "tools/parameters/job_order.hpp"

#include "schema/text/iso8601.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <type_traits>
#include <utility>
#include <variant>

namespace jobstrand::cli {

namespace {

using schema::Job;
using Order = std::pair<std::string_view, schema::JobMember>;

const std::array<Order, 7> kOrders{{
    {"id", &Job::id},
    {"due", &Job::due_date},
    {"created", &Job::create_time},
    {"priority", &Job::priority},
    {"retries", &Job::retries},
    {"type", &Job::handler_type},
    {"failed", &Job::failed_time},
}};

// The first comma of a mark ends the value.
constexpr std::string_view kComma = "%2C";
constexpr std::string_view kPercent = "%25";

std::string without_comma(std::string_view text) {
    std::string escaped;
    for (const char sign : text) {
        escaped += sign == ',' ? kComma : sign == '%' ? kPercent : std::string_view(&sign, 1);
    }
    return escaped;
}

std::optional<std::string> with_comma(std::string_view escaped) {
    std::string text;
    while (!escaped.empty()) {
        if (escaped.front() != '%') {
            text += escaped.front();
            escaped.remove_prefix(1);
            continue;
        }
        const std::string_view code = escaped.substr(0, kComma.size());
        if (code != kComma && code != kPercent) {
            return std::nullopt;
        }
        text += code == kComma ? ',' : '%';
        escaped.remove_prefix(code.size());
    }
    return text;
}

/// Empty: it has none.
std::string text_of(const Job& job, const schema::JobMember& by) {
    return std::visit(
        [&](auto member) -> std::string {
            const auto& value = job.*member;
            using Type = std::decay_t<decltype(value)>;
            if constexpr (std::is_same_v<Type, std::optional<schema::TimePoint>>) {
                return value ? schema::format_instant(*value) : std::string();
            } else if constexpr (std::is_same_v<Type, std::string>) {
                return without_comma(value);
            } else {
                return std::to_string(value);
            }
        },
        by
    );
}

/// Sets what text_of() told. false: it cannot have told that.
bool set_from(std::string_view text, const schema::JobMember& by, Job& job) {
    return std::visit(
        [&](auto member) {
            auto& value = job.*member;
            using Type = std::decay_t<decltype(value)>;
            if constexpr (std::is_same_v<Type, std::optional<schema::TimePoint>>) {
                const auto time = schema::parse_instant(text);
                value = time ? std::optional(time.value()) : std::nullopt;
                return text.empty() || value.has_value();
            } else if constexpr (std::is_same_v<Type, std::string>) {
                const auto plain = with_comma(text);
                value = plain.value_or("");
                return plain.has_value();
            } else if constexpr (std::is_same_v<Type, bool>) {
                return false;
            } else {
                const char* const end = text.data() + text.size();
                const auto [stop, error] = std::from_chars(text.data(), end, value);
                return error == std::errc{} && stop == end;
            }
        },
        by
    );
}

bool is_by_id(const schema::JobMember& by) {
    return by == schema::JobMember(&Job::id);
}

}  // namespace

std::optional<schema::JobMember> sort_named(std::string_view word) {
    const auto* const found = std::ranges::find(kOrders, word, &Order::first);
    return found == kOrders.end() ? std::nullopt : std::optional(found->second);
}

std::string sort_names() {
    std::string names;
    for (std::size_t i = 0; i < kOrders.size(); ++i) {
        names += i == 0 ? "" : i + 1 == kOrders.size() ? " or " : ", ";
        names += kOrders[i].first;
    }
    return names;
}

std::string mark_behind(const Job& job, const schema::JobMember& by) {
    return is_by_id(by) ? job.id : text_of(job, by) + "," + job.id;
}

std::optional<Job> job_marked(std::string_view mark, const schema::JobMember& by) {
    if (is_by_id(by)) {
        return Job{.id = std::string(mark)};
    }
    const std::size_t comma = mark.find(',');
    if (comma == std::string_view::npos) {
        return std::nullopt;
    }
    Job job{.id = std::string(mark.substr(comma + 1))};
    return set_from(mark.substr(0, comma), by, job) ? std::optional(std::move(job)) : std::nullopt;
}

}  // namespace jobstrand::cli
