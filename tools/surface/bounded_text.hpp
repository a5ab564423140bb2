#pragma once

#include <cstddef>
#include <functional>
#include <ostream>
#include <streambuf>
#include <string>
#include <utility>

namespace jobstrand::cli {

/// A stream into a text of a bounded length.
///
/// Thread safety: none.
class BoundedText final : public std::ostream {
public:
    /// `on_full` is called when a write would make it longer than `most` bytes, and may throw out
    /// of that write; without it the rest is left out.
    explicit BoundedText(std::size_t most, std::function<void()> on_full = {});

    /// What was written; nothing is left of it here.
    [[nodiscard]] std::string take_text() { return std::exchange(buffer_.text, {}); }

private:
    class Buffer final : public std::streambuf {
    public:
        Buffer(std::size_t most, std::function<void()> on_full);

        std::string text = {};

    protected:
        std::streamsize xsputn(const char* bytes, std::streamsize count) override;
        int_type overflow(int_type c) override;

    private:
        const std::size_t most_;
        const std::function<void()> on_full_;
        bool is_full_ = false;
    };

    Buffer buffer_;
};

}  // namespace jobstrand::cli
