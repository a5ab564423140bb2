#pragma once

#include "tools/service/http/admission.hpp"
#include "tools/service/http/message.hpp"
#include "tools/service/http/server_limits.hpp"
#include "tools/service/http/wire.hpp"

#include <boost/asio/ip/address.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace jobstrand::service {

/// Reads requests, and notices what becomes invisible by that: lengths and codings that go on in a
/// further line (obsolete folding), which another server on the way may read otherwise.
class HeadParser final
    : public boost::beast::http::request_parser<boost::beast::http::string_body> {
public:
    [[nodiscard]] bool has_folded_length() const { return has_folded_length_; }

private:
    using Field = boost::beast::http::field;

    void on_field_impl(
        Field name,
        boost::beast::string_view written_name,
        boost::beast::string_view value,
        boost::beast::error_code& /*none*/
    ) override {
        if (name == Field::content_length || name == Field::transfer_encoding) {
            has_folded_length_ = has_folded_length_ || is_folded(written_name);
        }
        get().insert(name, written_name, value);
    }

    /// The name stands in the head as it came, all of which is there: it ends with an empty line.
    [[nodiscard]] static bool is_folded(boost::beast::string_view name) {
        const char* end = name.data() + name.size();
        while (*end != '\n') {
            ++end;
        }
        return end[1] == ' ' || end[1] == '\t';
    }

    bool has_folded_length_ = false;
};

/// What all connections of a server share. It outlives them.
struct ConnectionContext {
    const Admissions& admissions;
    const ServerLimits& limits;
    HttpCounts& counts;
    BodyBudget& answers;  ///< The bytes of long answers that are on their way.
};

/// What a client is served with.
enum class ConnectionPlace {
    ordinary,
    reserve,  ///< Nothing but the service's health, once.
};

/// One client: its requests are read, answered and read again, one at a time.
///
/// The body of a request is read when its head has been let in: there is such a path, and the gate
/// lets the caller through. What cannot be read as HTTP is answered, if that still makes sense, and
/// the connection closed. A response that hands something over which can be taken back (see
/// Response::undelivered) is sent only if the gate still lets the client in. One that is a stream
/// is the last of its connection: it ends with its writer, when the client hangs up or sends
/// anything, or when the gate lets the client in no more.
///
/// Thread safety: none but for answers; it belongs to the thread that serves sockets.
class Connection final : public std::enable_shared_from_this<Connection> {
public:
    using Closed = std::function<void(Connection&)>;

    /// What tells who goes when there are too many.
    struct Standing {
        boost::asio::ip::address from;
        ConnectionPlace place = ConnectionPlace::ordinary;
        bool is_stranger = false;  ///< Nothing of it was let in, and nothing is being answered.
        bool is_idle = false;      ///< It may begin a request, and has not.
        std::chrono::steady_clock::time_point since;  ///< As now.
    };

    /// `closed` is called once, when it has ended.
    Connection(Wire wire, const ConnectionContext& context, ConnectionPlace place, Closed closed);

    void start();

    /// Ends what waits for longer than its limit allows; `is_short`: there are few places left.
    void look_at_clock(std::chrono::steady_clock::time_point now, bool is_short);

    [[nodiscard]] Standing standing() const;

    /// Closes as soon as no request is being read or answered.
    void finish();

    /// Closes at once.
    void close();

private:
    using Error = boost::beast::error_code;
    using Parser = HeadParser;

    enum class Phase {
        handshake,
        idle,
        header,
        body,
        handler,
        writing,
        streaming,
        lingering,
        closed
    };

    void enter(Phase phase, std::chrono::steady_clock::duration limit);
    [[nodiscard]] std::chrono::steady_clock::time_point deadline(bool is_short) const;
    [[nodiscard]] bool is_silent() const;
    void on_handshake(Error error);
    void await_request();
    void await_bytes();
    void on_bytes(Error error);
    void read_head();
    void on_head(Error error);
    [[nodiscard]] std::optional<std::uint64_t> announced_length() const;
    void read_body();
    void on_body(Error error);
    void on_unreadable(Error error);
    void take_head();
    [[nodiscard]] bool is_for_others(const Admission& admission) const;
    void handle();
    void send(Response response);
    void on_sent(Error error);
    void take_back_unless_let_in(Response& response);
    void take_back_unless_held(Response& response);
    void drop(Response& response);
    void begin_stream();
    void send_more();
    void on_piece_sent(Error error);
    [[nodiscard]] bool is_still_let_in() const;
    void leave();
    void turn_away();
    [[nodiscard]] Response too_many() const;
    void linger();
    void say_goodbye();
    void discard_more();

    Wire wire_;
    const ConnectionContext& context_;
    const boost::asio::ip::address from_;
    const ConnectionPlace place_;
    Closed closed_;
    Phase phase_ = Phase::idle;
    std::chrono::steady_clock::time_point since_;  ///< It is in this phase.
    std::chrono::steady_clock::time_point deadline_;
    bool has_asked_ = false;   ///< A head has been read.
    bool is_known_ = false;    ///< A request was let in for which not anybody may ask.
    bool is_head_ = false;     ///< HEAD: the answer has no body.
    bool is_reading_ = false;  ///< What is handled now changes nothing.
    bool timed_out_ = false;
    bool is_last_ = false;     ///< After the next response it is closed.
    bool has_unread_ = false;  ///< Part of the request was refused, not read.
    /// What is read at once.
    static constexpr std::size_t kReadBytes = std::size_t{8} * 1024;

    boost::beast::flat_buffer buffer_;
    std::optional<Parser> parser_;
    Request request_;
    Request asked_;  ///< Its head, while it is handled: a token may be revoked meanwhile.
    RouteMatch match_;
    BodyBudget::Share body_share_;
    BodyBudget::Share answer_share_;
    std::optional<std::chrono::steady_clock::time_point> handling_since_;
    std::optional<WireResponse> response_;
    std::function<void()> undelivered_;  ///< See Response, of the one that is on its way.
    std::shared_ptr<ResponseStream> stream_;
    std::string piece_;  ///< Of the stream, on its way.
};

}  // namespace jobstrand::service
