#pragma once

#include "test/service/raw_client.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

struct ssl_session_st;

namespace jobstrand::test {

/// A client that verifies whom it talks to, on 127.0.0.1.
class TlsClient final {
public:
    /// What it asks for; the rest is OpenSSL's.
    struct Wishes {
        std::string name = "localhost";     ///< That the server must show.
        std::string protocol = {};          ///< The only one that it speaks (ALPN); empty: no word.
        int newest_version = 0;             ///< As OpenSSL numbers them; 0: the newest.
        ssl_session_st* session = nullptr;  ///< To be resumed.
    };

    /// Shakes hands. Throws boost::system::system_error when one side does not want the other.
    TlsClient(std::uint16_t port, const std::filesystem::path& trusted, const Wishes& wishes);
    TlsClient(std::uint16_t port, const std::filesystem::path& trusted);
    ~TlsClient();

    TlsClient(const TlsClient&) = delete;
    TlsClient& operator=(const TlsClient&) = delete;

    /// Its head stays empty.
    [[nodiscard]] RawResponse ask(std::string_view bytes);

    /// What comes until this text has come, with it.
    [[nodiscard]] std::string ask_until(std::string_view bytes, std::string_view text);

    /// The server has said goodbye, as TLS wants it.
    [[nodiscard]] bool is_ended_well();

    [[nodiscard]] std::string protocol() const;
    [[nodiscard]] std::string version() const;
    [[nodiscard]] bool is_resumed() const;

    /// That of this connection, as long as this lives.
    [[nodiscard]] ssl_session_st* session() const;

private:
    class Stream;
    std::unique_ptr<Stream> stream_;
};

}  // namespace jobstrand::test
