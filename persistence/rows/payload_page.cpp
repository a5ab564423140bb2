#include "persistence/rows/payload_page.hpp"

#include "persistence/rows/byte_arrays.hpp"

#include <algorithm>
#include <numeric>

namespace jobstrand::persistence {

namespace {

/// How many jobs are asked for their size at once: to tell it, databases read a payload.
constexpr std::size_t kSizesAtOnce = 16;

/// How many of the first jobs have no more bytes than that.
std::size_t
fitting(Transaction& transaction, std::span<const schema::Job> jobs, std::size_t most_bytes) {
    std::size_t bytes = 0;
    std::size_t count = 0;
    while (count < jobs.size()) {
        const auto rest = jobs.subspan(count);
        for (const std::size_t size :
             payload_sizes(transaction, rest.first(std::min(rest.size(), kSizesAtOnce)))) {
            bytes += size;
            if (bytes > most_bytes) {
                return count;
            }
            ++count;
        }
    }
    return count;
}

}  // namespace

bool cut_to_bytes(
    Transaction& transaction,
    std::vector<schema::Job>& jobs,
    std::size_t most_bytes
) {
    const std::size_t kept = std::max<std::size_t>(1, fitting(transaction, jobs, most_bytes));
    const bool is_cut = kept < jobs.size();
    if (is_cut) {
        jobs.resize(kept);
    }
    return is_cut;
}

void cut_to_bytes_left(
    Transaction& transaction,
    std::span<const schema::Job> page,
    std::vector<schema::Job>& besides,
    std::size_t most_bytes
) {
    const std::vector<std::size_t> sizes = payload_sizes(transaction, page);
    const std::size_t taken = std::accumulate(sizes.begin(), sizes.end(), std::size_t{0});
    besides.resize(fitting(transaction, besides, most_bytes - std::min(most_bytes, taken)));
}

}  // namespace jobstrand::persistence
