#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace jobstrand::test {

/// What came back from a server.
struct RawResponse {
    int status = 0;  ///< 0: the connection was closed, or nothing came in time.
    std::string head;
    std::string body;
};

/// A client that sends what it is told, byte by byte, and knows just enough HTTP to find the end of
/// a response. It waits a few seconds at most.
class RawClient final {
public:
    /// To 127.0.0.1, from there or another address of 127.0.0.0/8. Throws std::runtime_error.
    explicit RawClient(std::uint16_t port, const std::string& from = "127.0.0.1");
    ~RawClient();

    RawClient(const RawClient&) = delete;
    RawClient& operator=(const RawClient&) = delete;

    /// false: the server has closed.
    bool send(std::string_view bytes) const;

    [[nodiscard]] RawResponse receive();

    [[nodiscard]] RawResponse ask(std::string_view bytes) {
        (void)send(bytes);
        return receive();
    }

    /// What comes until this text has come, with it; when it does not come, what came instead.
    [[nodiscard]] std::string receive_until(std::string_view text);

    /// All that comes until the server closes.
    [[nodiscard]] std::string receive_rest();

    /// The server hears that this was all; what it says still arrives.
    void end_sending() const;

    /// Whether the server has closed its end, and nothing more comes.
    [[nodiscard]] bool is_closed();

private:
    [[nodiscard]] bool read_more();

    int socket_;
    std::string received_;
};

/// `GET /path` with a Host, `headers` as lines that end in CRLF.
[[nodiscard]] std::string get(std::string_view path, std::string_view headers = {});

/// A request with JSON, and a POST.
[[nodiscard]] std::string send(
    std::string_view method,
    std::string_view path,
    std::string_view body,
    std::string_view headers = {}
);
[[nodiscard]] std::string
post(std::string_view path, std::string_view body, std::string_view headers = {});

}  // namespace jobstrand::test
