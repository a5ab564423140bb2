#include "tools/handlers/command_check.hpp"

#include "tools/text/terminal_text.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

namespace jobstrand::cli {

namespace {

namespace fs = std::filesystem;

/// Empty: this process may run the file, or enter the folder.
[[nodiscard]] std::string obstacle(const std::string& path, fs::file_type type) {
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (!fs::exists(status)) {
        return error ? error.message() : std::generic_category().message(ENOENT);
    }
    if (status.type() != type) {
        return type == fs::file_type::directory ? "it is not a folder" : "it is not a file";
    }
    return ::access(path.c_str(), X_OK) == 0 ? "" : std::generic_category().message(errno);
}

}  // namespace

std::vector<std::string>
obstacles_to_command(const std::string& name, const CommandSettings& command) {
    std::vector<std::string> obstacles;
    const auto look = [&](std::string_view what, const std::string& path, fs::file_type type) {
        if (const std::string why = obstacle(path, type); !why.empty()) {
            obstacles.push_back(fmt::format(
                "[commands.{}] {} = {}: {}", printable(name), what, quoted_if_needed(path), why
            ));
        }
    };
    look("program", command.program, fs::file_type::regular);
    if (!command.working_directory.empty()) {
        look("workingDirectory", command.working_directory, fs::file_type::directory);
    }
    return obstacles;
}

std::vector<std::string> obstacles_to_commands(const Commands& commands) {
    std::vector<std::string> obstacles;
    for (const auto& [name, command] : commands) {
        for (std::string& one : obstacles_to_command(name, command)) {
            obstacles.push_back(std::move(one));
        }
    }
    return obstacles;
}

std::vector<std::string> open_to_others(const std::string& path) {
    std::vector<std::string> open;
    for (const fs::path& one : {fs::path(path), fs::absolute(path).parent_path()}) {
        struct stat found {};
        const bool is_open = ::stat(one.c_str(), &found) == 0 && (found.st_mode & S_IWOTH) != 0;
        if (is_open && (S_ISREG(found.st_mode) || (found.st_mode & S_ISVTX) == 0)) {
            open.push_back(one.string());
        }
    }
    return open;
}

}  // namespace jobstrand::cli
