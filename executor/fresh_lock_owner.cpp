#include "executor/fresh_lock_owner.hpp"

#include "schema/lock_owner.hpp"

#include <unistd.h>

#include <array>
#include <cstdint>
#include <random>

namespace jobstrand::executor {

namespace {

/// Of a host that does not tell its name.
constexpr const char* kUnnamedHost = "localhost";

std::string host_name() {
    // For its end too, without which the longest name is refused; and the last byte stays zero.
    std::array<char, schema::kHostLength + 2> name{};
    const bool is_known = ::gethostname(name.data(), name.size() - 1) == 0 && name.front() != '\0';
    return is_known ? name.data() : kUnnamedHost;
}

}  // namespace

std::string fresh_lock_owner() {
    std::random_device device;
    schema::NodeRandom random{};
    for (std::uint64_t& part : random) {
        part = std::uint64_t{device()} << 32 | device();
    }
    return schema::lock_owner_of({.host = host_name(), .process = ::getpid()}, random);
}

persistence::NodeIdentity
identity_of(const std::string& lock_owner, schema::LockGranularity locks) {
    return {
        .node = lock_owner,
        .incarnation = fresh_lock_owner(),
        .host = host_name(),
        .process = ::getpid(),
        .version = JOBSTRAND_VERSION,
        .locks = locks,
    };
}

}  // namespace jobstrand::executor
