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

[[nodiscard]] inline FileIdentity identity_in(const struct stat& status) {
    return {.device = status.st_dev, .inode = status.st_ino};
}

/// Of the file that stands there, behind symbolic links; nullopt: there is none to be seen.
[[nodiscard]] inline std::optional<FileIdentity> file_identity(const std::filesystem::path& path) {
    struct stat status {};
    return ::stat(path.c_str(), &status) == 0 ? std::optional(identity_in(status)) : std::nullopt;
}

/// Of the file that stands there itself; nullopt for a symbolic link, too.
[[nodiscard]] inline std::optional<FileIdentity> unlinked_identity(const std::filesystem::path& path
) {
    struct stat status {};
    const bool is_file = ::lstat(path.c_str(), &status) == 0 && !S_ISLNK(status.st_mode);
    return is_file ? std::optional(identity_in(status)) : std::nullopt;
}

}  // namespace jobstrand::persistence
