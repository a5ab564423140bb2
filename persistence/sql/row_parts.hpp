#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

namespace jobstrand::persistence {

/// Calls `write` with one part of the rows after the other, for statements that write many rows at
/// once. Each part has the largest of a few sizes that fits, so that few distinct statements are
/// prepared. `sizes` descend to 1.
template <typename Row, typename Write>
void in_parts(std::span<const Row> rows, std::span<const std::size_t> sizes, const Write& write) {
    while (!rows.empty()) {
        const auto size =
            std::ranges::find_if(sizes, [&](std::size_t one) { return one <= rows.size(); });
        write(rows.first(*size));
        rows = rows.subspan(*size);
    }
}

}  // namespace jobstrand::persistence
