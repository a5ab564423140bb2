#pragma once

#include <string>
#include <string_view>

namespace jobstrand::persistence {

/// A file in memory, for a library that takes something only from a file. Nobody else sees it, and
/// it is gone with this object.
class MemoryFile final {
public:
    /// Throws DbError.
    explicit MemoryFile(std::string_view text);
    ~MemoryFile();

    MemoryFile(const MemoryFile&) = delete;
    MemoryFile& operator=(const MemoryFile&) = delete;

    /// Where the library finds it, while this object lives.
    [[nodiscard]] std::string path() const;

private:
    int descriptor_;
};

}  // namespace jobstrand::persistence
