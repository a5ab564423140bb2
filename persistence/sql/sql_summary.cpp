#include "persistence/sql/sql_summary.hpp"

#include <cstddef>

namespace jobstrand::persistence {

namespace {

constexpr std::size_t kSummaryLength = 120;

bool is_space(char c) {
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

}  // namespace

std::string sql_summary(std::string_view sql) {
    std::string summary;
    for (const char c : sql) {
        if (summary.size() == kSummaryLength) {
            return summary + "...";
        }
        if (!is_space(c)) {
            summary += c;
        } else if (!summary.empty() && summary.back() != ' ') {
            summary += ' ';
        }
    }
    if (summary.ends_with(' ')) {
        summary.pop_back();
    }
    return summary;
}

}  // namespace jobstrand::persistence
