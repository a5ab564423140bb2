#include "tools/jobstrand/handlers/http/http_client.hpp"

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
        thread_ = std::thread([this] { io_.run(); });
    });
}

}  // namespace jobstrand::cli
