#include "tools/surface/bounded_text.hpp"

#include <utility>

namespace jobstrand::cli {

BoundedText::Buffer::Buffer(std::size_t most, std::function<void()> on_full)
    : most_(most), on_full_(std::move(on_full)) {}

std::streamsize BoundedText::Buffer::xsputn(const char* bytes, std::streamsize count) {
    const auto size = static_cast<std::size_t>(count);
    is_full_ = is_full_ || text.size() + size > most_;
    if (!is_full_) {
        text.append(bytes, size);
    } else if (on_full_) {
        on_full_();
    }
    return count;
}

BoundedText::Buffer::int_type BoundedText::Buffer::overflow(int_type c) {
    if (!traits_type::eq_int_type(c, traits_type::eof())) {
        const char byte = traits_type::to_char_type(c);
        (void)xsputn(&byte, 1);
    }
    return traits_type::not_eof(c);
}

BoundedText::BoundedText(std::size_t most, std::function<void()> on_full)
    : std::ostream(nullptr), buffer_(most, std::move(on_full)) {
    rdbuf(&buffer_);
    exceptions(std::ios::badbit);  // So that what on_full throws comes out of the write.
}

}  // namespace jobstrand::cli
