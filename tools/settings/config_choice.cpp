#include "tools/settings/config_choice.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace jobstrand::cli {

namespace {

[[nodiscard]] bool may_read(const std::string& file) {
    return ::faccessat(AT_FDCWD, file.c_str(), R_OK, AT_EACCESS) == 0;
}

[[nodiscard]] bool is_package_meant(const ConfigChoice& choice) {
    return !choice.option && !choice.variable && !choice.is_database_named;
}

}  // namespace

std::optional<std::string> chosen_config_file(const ConfigChoice& choice) {
    if (choice.option || choice.variable) {
        return choice.option ? choice.option : choice.variable;
    }
    const bool is_found = is_package_meant(choice) && may_read(choice.of_package);
    return is_found ? std::optional(choice.of_package) : std::nullopt;
}

bool is_package_config_kept(const ConfigChoice& choice) {
    return is_package_meant(choice) && !may_read(choice.of_package) && errno == EACCES;
}

}  // namespace jobstrand::cli
