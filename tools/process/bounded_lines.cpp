#include "tools/process/bounded_lines.hpp"

namespace jobstrand::cli {

std::optional<BoundedLine> BoundedLines::next() {
    BoundedLine line;
    bool is_there = false;
    while (const auto c = input_.next()) {
        is_there = true;
        if (*c == '\n') {
            break;
        }
        if (line.text.size() < most_bytes_) {
            line.text += *c;
        } else {
            line.is_too_long = true;
        }
    }
    if (!is_there) {
        return std::nullopt;
    }
    line.number = ++number_;
    return line;
}

}  // namespace jobstrand::cli
