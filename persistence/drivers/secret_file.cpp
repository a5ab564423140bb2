#include "persistence/drivers/secret_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

namespace jobstrand::persistence {

namespace {

constexpr uid_t kRoot = 0;

[[nodiscard]] bool is_read_only(int descriptor) {
    struct statvfs about {};
    return ::fstatvfs(descriptor, &about) == 0 && (about.f_flag & ST_RDONLY) != 0;
}

/// Whether something is mounted right here.
[[nodiscard]] bool is_mount(
    [[maybe_unused]] int folder,
    [[maybe_unused]] const char* name,
    [[maybe_unused]] int flags
) {
#ifdef STATX_ATTR_MOUNT_ROOT
    struct statx about {};
    return ::statx(folder, name, flags, STATX_BASIC_STATS, &about) == 0 &&
           (about.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
#else
    return false;
#endif
}

/// The file or its folder is a mount, and this process may write neither of them.
[[nodiscard]] bool is_mount_of_its_own(int descriptor) {
    std::error_code error;
    const auto path =
        std::filesystem::read_symlink(fmt::format("/proc/self/fd/{}", descriptor), error);
    if (error) {
        return false;
    }
    const std::string folder = path.parent_path().string();
    const bool is_there =
        is_mount(descriptor, "", AT_EMPTY_PATH) || is_mount(AT_FDCWD, folder.c_str(), 0);
    return is_there && ::faccessat(AT_FDCWD, folder.c_str(), W_OK, AT_EACCESS) != 0 &&
           ::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) != 0;
}

}  // namespace

bool is_kept_secret(const SecretFile& file) {
    constexpr mode_t read_by_group = S_IRGRP;
    constexpr mode_t read_by_all = S_IRGRP | S_IROTH;
    mode_t allowed = 0;
    if (file.owner == kRoot) {
        allowed = file.is_handed_in ? read_by_all : read_by_group;
    }
    return (file.mode & (S_IRWXG | S_IRWXO) & ~allowed) == 0;
}

SecretFile look_at_secret(int descriptor) {
    struct stat found {};
    if (::fstat(descriptor, &found) != 0) {
        throw std::system_error(errno, std::generic_category());
    }
    return {
        .owner = found.st_uid,
        .mode = found.st_mode,
        .is_handed_in = is_read_only(descriptor) || is_mount_of_its_own(descriptor),
    };
}

}  // namespace jobstrand::persistence
