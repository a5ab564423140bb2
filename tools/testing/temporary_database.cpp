#include "tools/testing/temporary_database.hpp"

#include <cerrno>
#include <cstdlib>
#include <system_error>

namespace jobstrand::test_kit {

TemporaryDatabase::TemporaryDatabase() {
    std::string name = (std::filesystem::temp_directory_path() / "jobstrand-test-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) {
        throw std::system_error(errno, std::generic_category(), "cannot create " + name);
    }
    folder_ = name;
}

TemporaryDatabase::~TemporaryDatabase() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
}

std::string TemporaryDatabase::url() const {
    return "sqlite:" + path() + "?synchronous=off";
}

}  // namespace jobstrand::test_kit
