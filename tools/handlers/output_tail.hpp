#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace jobstrand::cli {

/// Keeps the last bytes of an endless output, in bounded memory.
class OutputTail final {
public:
    explicit OutputTail(std::size_t limit) : limit_(limit) {}

    void append(std::string_view bytes) {
        kept_.append(bytes);
        // Cutting at twice the limit moves each byte once on average, whatever the size of the
        // pieces.
        if (kept_.size() >= 2 * limit_) {
            cut();
        }
    }

    /// Whether all of it is kept.
    [[nodiscard]] bool is_whole() const { return !was_cut_ && kept_.size() <= limit_; }

    /// At most `limit` bytes. The object is empty afterwards.
    [[nodiscard]] std::string take() {
        cut();
        return std::move(kept_);
    }

private:
    void cut() {
        if (kept_.size() > limit_) {
            kept_.erase(0, kept_.size() - limit_);
            was_cut_ = true;
        }
    }

    const std::size_t limit_;
    std::string kept_;
    bool was_cut_ = false;
};

}  // namespace jobstrand::cli
