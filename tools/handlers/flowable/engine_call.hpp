#pragma once

#include "tools/calls/call_answer.hpp"
#include "tools/calls/call_request.hpp"
#include "tools/text/http_url.hpp"

#include <string>
#include <string_view>

/// What is said to the REST application of a Flowable engine, and what its answers mean.
namespace jobstrand::cli {

/// The value of the header `authorization` (RFC 7617); empty: nobody is named.
[[nodiscard]] std::string basic_authorization(std::string_view user, std::string_view password);

/// `POST {base}/management/jobs/{id}` with the action `execute`: the engine runs the job now,
/// whoever has it locked, and writes what becomes of it before it answers.
[[nodiscard]] CallRequest
execute_request(const HttpUrl& base, const std::string& authorization, std::string_view job);

/// `GET {base}/management/engine`, which changes nothing.
[[nodiscard]] CallRequest look_request(const HttpUrl& base, const std::string& authorization);

/// Whether the engine has said that the job is done.
[[nodiscard]] bool is_done(const CallAnswer& answer);

/// Why the engine is not to be called for now, in words; empty: it is well. What a job's failure is
/// answered with says nothing about the engine.
[[nodiscard]] std::string trouble_in(const CallAnswer& answer);

}  // namespace jobstrand::cli
