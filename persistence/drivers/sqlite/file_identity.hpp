#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>

namespace jobstrand::persistence {

/// Which file it is, by whatever name.
struct FileIdentity {
    dev_t device{};
    ino_t inode{};

    bool operator==(const FileIdentity&) const = default;
};

/// Of the file that stands there, behind symbolic links; nullopt: there is none to be seen.
[[nodiscard]] std::optional<FileIdentity> file_identity(const std::filesystem::path& path);

}  // namespace jobstrand::persistence
