#include "tools/output/short_ids.hpp"

#include <algorithm>
#include <array>

namespace jobstrand::cli {

namespace {

[[nodiscard]] std::size_t common_length(std::string_view a, std::string_view b) {
    const auto [end, other] = std::ranges::mismatch(a, b);
    return static_cast<std::size_t>(end - a.begin());
}

/// `id` is in `sorted`, so its neighbours there have most in common with it.
[[nodiscard]] std::size_t
unique_length(const std::string& id, const std::vector<std::string>& sorted) {
    const auto [first, last] = std::ranges::equal_range(sorted, id);
    std::size_t length = kShortIdLeast;
    if (first != sorted.begin()) {
        length = std::max(length, common_length(id, *std::prev(first)) + 1);
    }
    if (last != sorted.end()) {
        length = std::max(length, common_length(id, *last) + 1);
    }
    return length;
}

}  // namespace

std::vector<std::string> shortened(const std::vector<std::string>& ids) {
    std::vector<std::string> sorted = ids;
    std::ranges::sort(sorted);
    std::vector<std::string> all;
    for (const std::string& id : ids) {
        const std::size_t length = unique_length(id, sorted);
        all.push_back(length + 1 < id.size() ? id.substr(0, length).append(kShortMark) : id);
    }
    return all;
}

std::string_view beginning_of(std::string_view id) {
    for (const std::string_view mark : std::array{kShortMark, kTypedShortMark}) {
        if (id.ends_with(mark)) {
            return id.substr(0, id.size() - mark.size());
        }
    }
    return {};
}

}  // namespace jobstrand::cli
