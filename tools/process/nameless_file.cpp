#include "tools/process/nameless_file.hpp"

#include "tools/process/exit_code.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <string>
#include <system_error>
#include <utility>

namespace jobstrand::cli {

namespace {

[[noreturn]] void fail(const std::filesystem::path& folder, const std::string& reason) {
    throw CliError(
        ExitCode::failed,
        fmt::format(
            "cannot keep what is read in {}: {}; name a file instead, or set TMPDIR",
            folder.string(),
            reason
        )
    );
}

[[nodiscard]] std::string last_error() {
    return std::generic_category().message(errno);
}

[[nodiscard]] std::filesystem::path temporary_folder() {
    const char* const given = std::getenv("TMPDIR");
    return given == nullptr || *given == '\0' ? "/tmp" : given;
}

}  // namespace

NamelessFile::NamelessFile() : folder_(temporary_folder()) {
    std::string name = folder_ / "jobstrand-XXXXXX";
    file_ = UniqueFd(::mkostemp(name.data(), O_CLOEXEC));
    if (!file_) {
        fail(folder_, last_error());
    }
    content_ = std::make_unique<std::ifstream>(name, std::ios::binary);
    const bool is_open = content_->good();
    const std::string reason = last_error();
    ::unlink(name.c_str());
    if (!is_open) {
        fail(folder_, reason);
    }
}

void NamelessFile::append(std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(file_.get(), bytes.data(), bytes.size());
        if (written < 0 && errno != EINTR) {
            fail(folder_, last_error());
        }
        bytes.remove_prefix(written < 0 ? 0 : static_cast<std::size_t>(written));
    }
}

std::unique_ptr<std::istream> NamelessFile::content() && {
    return std::move(content_);
}

}  // namespace jobstrand::cli
