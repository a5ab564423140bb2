#include "executor/loop/socket_watch.hpp"

#include <boost/asio/bind_executor.hpp>
#include <boost/asio/post.hpp>

#include <utility>

namespace jobstrand::executor {

SocketWatch::SocketWatch(boost::asio::io_context& context, std::function<void()> on_readable)
    : on_readable_(std::move(on_readable)),
      strand_(boost::asio::make_strand(context)),
      descriptor_(strand_) {}

void SocketWatch::tell_when_readable(int socket) {
    boost::asio::post(strand_, [this, socket] {
        if (is_closed_) {
            return;
        }
        descriptor_.assign(socket);
        descriptor_.async_wait(
            boost::asio::posix::stream_descriptor::wait_read,
            boost::asio::bind_executor(
                strand_,
                [this](const boost::system::error_code& error) {
                    // It is not ours to close.
                    descriptor_.release();
                    if (!error) {
                        on_readable_();
                    }
                }
            )
        );
    });
}

void SocketWatch::close() {
    boost::asio::post(strand_, [this] {
        is_closed_ = true;
        if (descriptor_.is_open()) {
            descriptor_.cancel();
        }
    });
}

}  // namespace jobstrand::executor
