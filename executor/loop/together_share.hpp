#pragma once

#include <algorithm>
#include <cstddef>

namespace jobstrand::executor {

/// How much of a page is kept for the further jobs of the instances in it (R087), going by how many
/// the last pages found. The rest is read in order: too few of these would let workers wait while
/// the jobs of few instances stand behind each other. Pure. Thread safety: none.
class TogetherShare final {
public:
    /// `workers` jobs of a page at least are read in order.
    explicit TogetherShare(std::size_t workers) : workers_(workers) {}

    /// Of a page of so many jobs.
    [[nodiscard]] std::size_t room_in(std::size_t page) const {
        const std::size_t least = std::min(page, workers_);
        const std::size_t firsts = std::clamp(page / of_each_, least, page - page / kLeastShare);
        return page - std::max(firsts, least);
    }

    /// A page had so many, in order and besides, where there was room for so many besides.
    void taken(std::size_t firsts, std::size_t companions, std::size_t room) {
        if (firsts == 0 || room == 0) {
            return;
        }
        of_each_ = companions >= room ? std::min(of_each_ * 2, kMostOfEach)
                                      : 1 + (firsts + companions) / firsts;
    }

private:
    /// An eighth of a page shows whether there are more.
    static constexpr std::size_t kLeastShare = 8;
    static constexpr std::size_t kMostOfEach = 128;

    const std::size_t workers_;
    std::size_t of_each_ = 8;  ///< Jobs of an instance that come together, the first included.
};

}  // namespace jobstrand::executor
