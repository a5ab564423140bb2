#pragma once

#include <sys/stat.h>

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
[[nodiscard]] inline std::optional<FileIdentity> file_identity(const std::filesystem::path& path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) {
        return std::nullopt;
    }
    return FileIdentity{.device = status.st_dev, .inode = status.st_ino};
}

/// Of the file that stands there itself; nullopt for a symbolic link, too.
[[nodiscard]] inline std::optional<FileIdentity> unlinked_identity(const std::filesystem::path& path
) {
    struct stat status {};
    if (::lstat(path.c_str(), &status) != 0 || S_ISLNK(status.st_mode)) {
        return std::nullopt;
    }
    return FileIdentity{.device = status.st_dev, .inode = status.st_ino};
}

}  // namespace jobstrand::persistence
