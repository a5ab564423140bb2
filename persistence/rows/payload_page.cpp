#include "persistence/rows/payload_page.hpp"

#include "persistence/rows/byte_arrays.hpp"

#include <algorithm>
#include <span>

namespace jobstrand::persistence {

namespace {

/// How many jobs are asked for their size at once: to tell it, databases read a payload.
constexpr std::size_t kSizesAtOnce = 16;

}  // namespace

bool cut_to_bytes(
    Transaction& transaction,
    std::vector<schema::Job>& jobs,
    std::size_t most_bytes
) {
    std::size_t bytes = 0;
    for (std::size_t seen = 0; seen < jobs.size(); seen += kSizesAtOnce) {
        const std::span<const schema::Job> rest = std::span(jobs).subspan(seen);
        std::size_t count = seen;
        for (const std::size_t size :
             payload_sizes(transaction, rest.first(std::min(rest.size(), kSizesAtOnce)))) {
            bytes += size;
            if (bytes > most_bytes && count > 0) {
                jobs.resize(count);
                return true;
            }
            ++count;
        }
    }
    return false;
}

}  // namespace jobstrand::persistence
