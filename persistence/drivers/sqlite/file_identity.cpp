#include "persistence/drivers/sqlite/file_identity.hpp"

#include <sys/stat.h>

namespace jobstrand::persistence {

std::optional<FileIdentity> file_identity(const std::filesystem::path& path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) {
        return std::nullopt;
    }
    return FileIdentity{.device = status.st_dev, .inode = status.st_ino};
}

}  // namespace jobstrand::persistence
