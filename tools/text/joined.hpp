#pragma once

#include <initializer_list>
#include <vector>

namespace jobstrand::cli {

/// Lists of fields, or of parameters, one behind the other.
template <typename Entry, typename... More>
[[nodiscard]] std::vector<Entry> joined(std::vector<Entry> entries, const More&... more) {
    (entries.insert(entries.end(), more.begin(), more.end()), ...);
    return entries;
}
template <typename Entry>
[[nodiscard]] std::vector<Entry>
joined(std::vector<Entry> entries, std::initializer_list<Entry> more) {
    entries.insert(entries.end(), more.begin(), more.end());
    return entries;
}

}  // namespace jobstrand::cli
