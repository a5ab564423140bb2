#include "persistence/drivers/mysql/client_options.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace jobstrand::persistence {

namespace {

void write_all(int descriptor, std::string_view text) {
    if (::write(descriptor, text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
        throw std::system_error(errno, std::generic_category(), "cannot write a file in memory");
    }
}

}  // namespace

ClientOptions::ClientOptions() : descriptor_(::memfd_create("client-options", MFD_CLOEXEC)) {
    if (descriptor_ < 0) {
        throw std::system_error(errno, std::generic_category(), "cannot make a file in memory");
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
