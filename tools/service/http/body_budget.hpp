#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <utility>

namespace jobstrand::service {

/// The bytes that the bodies of all connections may take together.
///
/// Thread safety: it belongs to the thread that serves sockets, but shares come back on any:
/// whoever holds an answer may be the last to know of its connection. It outlives its shares.
class BodyBudget final {
public:
    explicit BodyBudget(std::size_t bytes) : bytes_(bytes), left_(bytes), least_left_(bytes) {}

    [[nodiscard]] bool is_unused() const { return left_ == bytes_; }

    /// The most that was given away at a time since this was asked last.
    [[nodiscard]] std::size_t take_peak() {
        return bytes_ - std::exchange(least_left_, left_.load());
    }

    /// What one body has been given; comes back by itself.
    class Share final {
    public:
        Share() = default;
        Share(BodyBudget& budget, std::size_t bytes) : budget_(&budget), bytes_(bytes) {}
        Share(Share&& other) noexcept
            : budget_(std::exchange(other.budget_, nullptr)), bytes_(other.bytes_) {}
        Share& operator=(Share&& other) noexcept {
            give_back();
            budget_ = std::exchange(other.budget_, nullptr);
            bytes_ = other.bytes_;
            return *this;
        }
        Share(const Share&) = delete;
        Share& operator=(const Share&) = delete;
        ~Share() { give_back(); }

        /// false: there was not enough left.
        explicit operator bool() const noexcept { return budget_ != nullptr; }

    private:
        void give_back() noexcept {
            if (budget_ != nullptr) {
                std::exchange(budget_, nullptr)->left_ += bytes_;
            }
        }

        BodyBudget* budget_ = nullptr;
        std::size_t bytes_ = 0;
    };

    [[nodiscard]] Share take(std::size_t bytes) {
        if (bytes > left_) {
            return {};
        }
        least_left_ = std::min(least_left_, left_ -= bytes);
        return {*this, bytes};
    }

private:
    std::size_t bytes_;
    std::atomic<std::size_t> left_;
    std::size_t least_left_;
};

}  // namespace jobstrand::service
