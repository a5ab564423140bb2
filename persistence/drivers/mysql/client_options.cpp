#include "persistence/drivers/mysql/client_options.hpp"

#include "persistence/sql/db_error.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace jobstrand::persistence {

namespace {

[[nodiscard]] DbError no_memory() {
    return DbError(
        DbErrorKind::other,
        "cannot keep a file in memory: " + std::generic_category().message(errno)
    );
}

void write_all(int descriptor, std::string_view text) {
    if (::write(descriptor, text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
        throw no_memory();
    }
}

}  // namespace

ClientOptions::ClientOptions() : descriptor_(::memfd_create("client-options", MFD_CLOEXEC)) {
    if (descriptor_ < 0) {
        throw no_memory();
    }
    write_all(descriptor_, "[client]\n");
}

ClientOptions::~ClientOptions() {
    ::close(descriptor_);
}

void ClientOptions::add(std::string_view name, std::string_view value) const {
    write_all(descriptor_, fmt::format("{} = {}\n", name, value));
}

std::string ClientOptions::path() const {
    return fmt::format("/proc/self/fd/{}", descriptor_);
}

}  // namespace jobstrand::persistence
