#include "persistence/drivers/mysql/memory_file.hpp"

#include "persistence/sql/db_error.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace jobstrand::persistence {

namespace {

[[nodiscard]] DbError no_memory() {
    return DbError(
        DbErrorKind::other,
        "cannot keep a file in memory: " + std::generic_category().message(errno)
    );
}

}  // namespace

MemoryFile::MemoryFile(std::string_view text)
    : descriptor_(::memfd_create("jobstrand", MFD_CLOEXEC)) {
    if (descriptor_ < 0) {
        throw no_memory();
    }
    if (::write(descriptor_, text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
        const DbError error = no_memory();
        ::close(descriptor_);
        throw error;
    }
}

MemoryFile::~MemoryFile() {
    ::close(descriptor_);
}

std::string MemoryFile::path() const {
    return fmt::format("/proc/self/fd/{}", descriptor_);
}

}  // namespace jobstrand::persistence
