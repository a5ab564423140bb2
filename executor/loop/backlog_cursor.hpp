#pragma once

#include <cstddef>
#include <utility>

namespace jobstrand::executor {

/// What stands in front of a backlog is seen soon, and one page in sixteen pays for it.
inline constexpr int kPagesFromTheStart = 16;

/// Where the next page of a backlog begins: where the last one ended, because databases keep rows
/// that were just changed or deleted for a while, and would read them again with every page. After
/// a page that is not full, and every sixteen pages, that is the start again: what was freed or
/// committed late stands in front.
///
/// Position{} is the start. Thread safety: none.
template <typename Position>
class BacklogCursor final {
public:
    [[nodiscard]] const Position& position() const noexcept { return position_; }
    [[nodiscard]] bool is_at_start() const { return position_ == Position{}; }

    /// A page of up to `limit` was taken from here: `found` rows, the last of them at `end`.
    void advance(std::size_t found, std::size_t limit, Position end) {
        if (found < limit || ++pages_ == kPagesFromTheStart) {
            position_ = Position{};
            pages_ = 0;
        } else {
            position_ = std::move(end);
        }
    }

private:
    Position position_{};
    int pages_ = 0;
};

}  // namespace jobstrand::executor
