#include "tools/calls/http_client.hpp"

#include <exception>

namespace jobstrand::cli {

HttpClient::~HttpClient() {
    io_.stop();
    if (thread_.joinable()) {
        thread_.join();
    }
}

void HttpClient::start() {
    std::call_once(started_, [this] {
        stays_.emplace(io_.get_executor());
        thread_ = std::thread([this] { run(); });
    });
}

void HttpClient::run() {
    while (!io_.stopped()) {
        // Defended catch: what one call meets, such as too little memory, ends no other.
        try {
            io_.run();
        } catch (const std::exception&) {
            std::this_thread::yield();
        }
    }
}

}  // namespace jobstrand::cli
