#pragma once

#include <algorithm>
#include <cstddef>

namespace jobstrand::executor {

/// How much of a page is kept for the further jobs of the instances in it (R087), going by how many
/// the last pages found. The rest is read in order: with too few of those, workers would wait while
/// the jobs of few instances stand behind each other. Pure. Thread safety: none.
class TogetherShare final {
public:
    /// At least `workers` jobs of a page are read in order.
    explicit TogetherShare(std::size_t workers) : workers_(workers) {}

    /// Returns how many places of a page of this size to keep for them.
    [[nodiscard]] std::size_t room_in(std::size_t page) const {
        const auto in_order = static_cast<std::size_t>(static_cast<double>(page) * share_);
        return page - std::max(in_order, std::min(page, workers_));
    }

    /// A page had so many jobs in order, and so many besides where there was room for so many.
    void taken(std::size_t in_order, std::size_t besides, std::size_t room) {
        if (in_order == 0 || room == 0) {
            return;
        }
        const double part = static_cast<double>(in_order) / static_cast<double>(in_order + besides);
        share_ = part * (besides < room ? kOfWhatFits : kWhenThereAreMore);
    }

private:
    /// What is left over shows whether there are more.
    static constexpr double kOfWhatFits = 7.0 / 8;
    static constexpr double kWhenThereAreMore = 1.0 / 2;

    const std::size_t workers_;
    double share_ = 1.0 / 8;  ///< Of a page, read in order.
};

}  // namespace jobstrand::executor
