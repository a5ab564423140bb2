#include "tools/service/http/message.hpp"

#include "persistence/sql/db_error.hpp"
#include "schema/text/utf8.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>
#include <new>
#include <stdexcept>

namespace jobstrand::service {

bool is_same_token(std::string_view a, std::string_view b) {
    return std::ranges::equal(a, b, {}, schema::small_letter, schema::small_letter);
}

std::string_view Request::header(std::string_view name) const {
    const auto found = std::ranges::find_if(headers, [name](const Header& header) {
        return is_same_token(header.name, name);
    });
    return found == headers.end() ? std::string_view() : std::string_view(found->value);
}

std::size_t Request::count_headers(std::string_view name) const {
    return static_cast<std::size_t>(std::ranges::count_if(headers, [name](const Header& header) {
        return is_same_token(header.name, name);
    }));
}

std::string_view Request::path() const {
    return std::string_view(target).substr(0, target.find('?'));
}

std::string_view Request::query() const {
    const std::size_t mark = target.find('?');
    return mark == std::string::npos ? std::string_view()
                                     : std::string_view(target).substr(mark + 1);
}

std::vector<QueryItem> query_items_of(const Request& request) {
    auto items = query_items(request.query());
    if (!items) {
        throw std::invalid_argument("the query has a bad escape, or is not UTF-8");
    }
    return std::move(*items);
}

bool ResponseStream::write(std::string_view piece) {
    const std::scoped_lock lock(mutex_);
    if (has_ended_ || is_dropped_ || has_hung_up_) {
        return false;
    }
    if (being_sent_ + pending_.size() + piece.size() > kUnsentBytes) {
        is_dropped_ = true;
    } else {
        pending_ += piece;
    }
    tell();
    return !is_dropped_;
}

void ResponseStream::end() {
    const std::scoped_lock lock(mutex_);
    has_ended_ = true;
    tell();
}

bool ResponseStream::is_heard() const {
    const std::scoped_lock lock(mutex_);
    return !has_ended_ && !is_dropped_ && !has_hung_up_;
}

ResponseStream::Next ResponseStream::take() {
    const std::scoped_lock lock(mutex_);
    being_sent_ = pending_.size();
    return {.bytes = std::exchange(pending_, {}), .is_last = has_ended_};
}

bool ResponseStream::is_dropped() const {
    const std::scoped_lock lock(mutex_);
    return is_dropped_;
}

void ResponseStream::carry(std::function<void()> news) {
    const std::scoped_lock lock(mutex_);
    news_ = std::move(news);
}

void ResponseStream::hang_up() {
    const std::scoped_lock lock(mutex_);
    has_hung_up_ = true;
    news_ = {};
}

/// Within the lock, so that nobody is told who has hung up.
void ResponseStream::tell() {
    if (news_) {
        news_();
    }
}

namespace {

using persistence::DbError;
using persistence::DbErrorKind;

[[nodiscard]] Response response_to_database(const DbError& error) {
    if (error.kind() == DbErrorKind::duplicate_key) {
        return problem(409, "a key is taken");
    }
    if (error.kind() == DbErrorKind::too_long) {
        return problem(400, error.what());
    }
    if (error.kind() == DbErrorKind::in_doubt) {
        return come_again("the connection to the database was lost: it may have been done, or not");
    }
    if (error.is_outage()) {
        return come_again("the database is not available; nothing was done");
    }
    if (error.is_transient()) {
        return come_again(
            "the database did not do this in time, or others were in the way; nothing was done: "
            "again, or ask for less at once"
        );
    }
    return problem(500, "the database refused; the service's log says why");
}

constexpr std::pair<int, std::string_view> kStatusWords[] = {
    {200, "OK"},
    {201, "Created"},
    {204, "No Content"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {408, "Request Timeout"},
    {409, "Conflict"},
    {411, "Length Required"},
    {413, "Content Too Large"},
    {415, "Unsupported Media Type"},
    {421, "Misdirected Request"},
    {422, "Unprocessable Content"},
    {431, "Request Header Fields Too Large"},
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {503, "Service Unavailable"},
};

}  // namespace

std::string_view words_of(int status) {
    const auto* const known =
        std::ranges::find(kStatusWords, status, &std::pair<int, std::string_view>::first);
    return known == std::end(kStatusWords) ? "" : known->second;
}

Response problem(int status, std::string_view detail, const std::vector<std::string>& errors) {
    nlohmann::ordered_json document{
        {"title", words_of(status)},
        {"status", status},
        {"detail", detail},
    };
    if (!errors.empty()) {
        document["errors"] = errors;
    }
    return {
        .status = status,
        .content_type = std::string(kProblemContent),
        .body = document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + '\n',
    };
}

Response come_again(std::string_view detail) {
    Response response = problem(503, detail);
    response.headers.push_back({"Retry-After", "1"});
    return response;
}

Response no_memory() {
    return come_again("there is not enough memory for this now: send or ask for less at once");
}

Response response_to(const std::exception& error, schema::Log& log) {
    if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) {
        log.write(schema::LogLevel::error, "a request needs more memory than there is");
        return no_memory();
    }
    if (dynamic_cast<const std::invalid_argument*>(&error) != nullptr) {
        return problem(400, error.what());
    }
    if (dynamic_cast<const OutOfScope*>(&error) != nullptr) {
        return problem(403, error.what());
    }
    const auto* const of_database = dynamic_cast<const DbError*>(&error);
    Response response = of_database != nullptr
                            ? response_to_database(*of_database)
                            : problem(500, "an unexpected error; the service's log says more");
    if (response.status >= 500) {
        // The store says once that the database is away, however many ask meanwhile.
        const bool is_told = of_database != nullptr && of_database->is_outage();
        log.write(
            is_told ? schema::LogLevel::debug : schema::LogLevel::warn,
            "a request failed",
            {{"status", response.status}, {"error", error.what()}}
        );
    }
    return response;
}

}  // namespace jobstrand::service
