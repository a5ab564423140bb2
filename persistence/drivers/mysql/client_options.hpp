#pragma once

#include <string>
#include <string_view>

namespace jobstrand::persistence {

/// Options of the client library for which Connector/C++ has no property, in a file that it reads:
/// one in memory, which nobody else sees, and which is gone with this object.
class ClientOptions final {
public:
    /// Throws DbError.
    ClientOptions();
    ~ClientOptions();

    ClientOptions(const ClientOptions&) = delete;
    ClientOptions& operator=(const ClientOptions&) = delete;

    /// `value` has neither quotes nor backslashes.
    void add(std::string_view name, std::string_view value) const;

    /// Where the library finds it, while this object lives.
    [[nodiscard]] std::string path() const;

private:
    int descriptor_;
};

}  // namespace jobstrand::persistence
