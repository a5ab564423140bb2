#pragma once

#include <string>

namespace jobstrand::persistence {

/// Gives back the memory of a buffer that a long text (a payload, a stack trace) has passed
/// through. Statements are kept, and their buffers with them.
inline void release_if_large(std::string& buffer) {
    constexpr std::size_t kKeptBytes = 16 * 1024;
    if (buffer.capacity() > kKeptBytes) {
        std::string().swap(buffer);
    }
}

}  // namespace jobstrand::persistence
