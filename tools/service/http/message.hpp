#pragma once

#include "schema/log.hpp"
#include "tools/access/access_rights.hpp"
#include "tools/text/http_address.hpp"

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// What goes over the wire, without the library that carries it.
namespace jobstrand::service {

class ResponseStream;

struct Header {
    std::string name;
    std::string value;
};

struct Request {
    std::string method;  ///< As it was sent: `GET`.
    std::string target;  ///< Path and query as they were sent.
    std::vector<Header> headers = {};
    std::string body = {};

    /// What stood in the places of the route's pattern, decoded, in their order.
    std::vector<std::string> parameters = {};

    std::string caller = {};  ///< Who asks: the name of a token, or `local`.
    Scope scope = {};         ///< To what its token is restricted.

    /// The first of this name, whatever its case; empty: there is none.
    [[nodiscard]] std::string_view header(std::string_view name) const;
    [[nodiscard]] std::size_t count_headers(std::string_view name) const;

    [[nodiscard]] std::string_view path() const;
    /// Behind the question mark; empty: there is none.
    [[nodiscard]] std::string_view query() const;
};

/// What stands behind the question mark: see query_items(). Throws std::invalid_argument.
[[nodiscard]] std::vector<QueryItem> query_items_of(const Request& request);

struct Response {
    int status = 200;
    std::string content_type = "application/json";
    std::string body = {};
    std::vector<Header> headers = {};

    /// Goes on where `body` ends, until the client or whoever writes it has enough; then the
    /// connection is closed. nullptr: `body` is all.
    std::shared_ptr<ResponseStream> stream = {};

    /// Not sent: how many things were changed, for the audit; nullopt: one, if it is a 2xx.
    std::optional<std::int64_t> changed = {};

    /// Not sent: called when the client has hung up before all of it was, from the thread that
    /// serves sockets; it must neither block nor throw. Empty: nobody asks.
    std::function<void()> undelivered = {};
};

/// Whether two names of headers, or other tokens, are the same: ASCII letters of either case are.
[[nodiscard]] bool is_same_token(std::string_view a, std::string_view b);

/// The body of a response that is told piece by piece, for as long as the client listens. Whoever
/// writes keeps it, and drops it when nobody listens any more.
///
/// Thread safety: safe.
class ResponseStream final {
public:
    /// A client that leaves more than this unread is dropped (I8).
    static constexpr std::size_t kUnsentBytes = std::size_t{256} * 1024;

    explicit ResponseStream(Request asked_for) : asked_for_(std::move(asked_for)) {}

    /// The request that it answers: who asked must be let in for as long as it lasts.
    [[nodiscard]] const Request& asked_for() const { return asked_for_; }

    /// For those who write. false: nobody listens any more.
    bool write(std::string_view piece);
    void end();
    [[nodiscard]] bool is_heard() const;

    /// For the connection that carries it: what is to be sent next.
    struct Next {
        std::string bytes = {};
        bool is_last = false;  ///< Nothing follows.
    };

    /// What has come since the last call, all of which is sent by now.
    [[nodiscard]] Next take();

    /// The client is too slow, and gets nothing more.
    [[nodiscard]] bool is_dropped() const;

    /// `news` is called when take() has something anew, from any thread; it must not block.
    void carry(std::function<void()> news);

    /// The client is gone. When this has returned, `news` is not called any more.
    void hang_up();

private:
    void tell();

    const Request asked_for_;
    mutable std::mutex mutex_;
    std::string pending_;           ///< Guarded by mutex_.
    std::size_t being_sent_ = 0;    ///< Likewise.
    bool has_ended_ = false;        ///< Likewise.
    bool is_dropped_ = false;       ///< Likewise.
    bool has_hung_up_ = false;      ///< Likewise.
    std::function<void()> news_{};  ///< Likewise.
};

inline constexpr std::string_view kProblemContent = "application/problem+json";

/// What a request cannot have, as RFC 9457 writes it: `application/problem+json` with `title` (the
/// words of the status), `status`, `detail` (one sentence that says what to do), and `errors`, one
/// sentence for each mistake of the input, where there are some.
[[nodiscard]] Response
problem(int status, std::string_view detail, const std::vector<std::string>& errors = {});

/// 503 with Retry-After: whoever comes again in a second may be served.
[[nodiscard]] Response come_again(std::string_view detail);

/// come_again() for what could not be held in memory.
[[nodiscard]] Response no_memory();

/// `Not Found` for 404; the empty text for a status that this service does not send.
[[nodiscard]] std::string_view words_of(int status);

/// What an exception means to a caller: 400 for input that cannot be meant so or that the database
/// has no room for, 409 for a key that is taken, 503 when the database is in trouble and coming
/// again may help, else 500. Only the first two are told in full; the others are logged, because
/// their texts are for operators.
[[nodiscard]] Response response_to(const std::exception& error, schema::Log& log);

}  // namespace jobstrand::service
