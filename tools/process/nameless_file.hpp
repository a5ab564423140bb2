#pragma once

#include "tools/process/unique_fd.hpp"

#include <filesystem>
#include <istream>
#include <memory>
#include <string_view>

namespace jobstrand::cli {

/// A file in the folder for temporary files (TMPDIR, else /tmp) that nobody else can open: its name
/// is gone at once, and its content with the last descriptor, however the process ends.
///
/// Throws CliError failed when the folder takes nothing.
class NamelessFile final {
public:
    NamelessFile();

    void append(std::string_view bytes);

    /// All that was appended, from its start.
    [[nodiscard]] std::unique_ptr<std::istream> content() &&;

private:
    std::filesystem::path folder_;
    UniqueFd file_;
    std::unique_ptr<std::istream> content_;
};

}  // namespace jobstrand::cli
