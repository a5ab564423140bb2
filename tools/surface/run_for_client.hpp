#pragma once

#include "tools/engine/wiring.hpp"
#include "tools/operations/operation.hpp"
#include "tools/settings/settings.hpp"
#include "tools/surface/verb_call.hpp"

#include <cstddef>
#include <functional>
#include <ostream>
#include <streambuf>
#include <string>
#include <utility>
#include <vector>

namespace jobstrand::cli {

/// A stream into a text of a bounded length.
///
/// Thread safety: none.
class BoundedText final : public std::ostream {
public:
    /// `on_full` is called when a write would make it longer than `most` bytes, and may throw out
    /// of that write; without it the rest is left out.
    explicit BoundedText(std::size_t most, std::function<void()> on_full = {});

    /// What was written; nothing is left of it here.
    [[nodiscard]] std::string take_text() { return std::exchange(buffer_.text, {}); }

private:
    class Buffer final : public std::streambuf {
    public:
        Buffer(std::size_t most, std::function<void()> on_full);

        std::string text = {};

    protected:
        std::streamsize xsputn(const char* bytes, std::streamsize count) override;
        int_type overflow(int_type c) override;

    private:
        const std::size_t most_;
        const std::function<void()> on_full_;
        bool is_full_ = false;
    };

    Buffer buffer_;
};

/// Runs a verb of the command line in a service, for a client: with the service's engine, and
/// nothing else of this machine. `words` are its noun and verb; that there is such a verb, and that
/// the client may use it, has been looked at.
///
/// What goes wrong is in the answer as the command line would say it, but for the database: throws
/// DbError, whose text is for the service's operator.
///
/// `is_stopping`: whether the service is; then what takes long ends where it can.
///
/// Thread safety: safe.
[[nodiscard]] VerbAnswer run_for_client(
    const std::vector<std::string>& words,
    const VerbCall& call,
    engine::Wiring& engine,
    const Settings& settings,
    const std::function<bool()>& is_stopping
);

/// Likewise an operation of the table, with parameters that a client has given as values. Of `call`
/// the arguments are of no meaning. The answer is JSON.
[[nodiscard]] VerbAnswer run_for_client(
    const Operation& operation,
    const GivenTexts& given,
    const VerbCall& call,
    engine::Wiring& engine,
    const Settings& settings,
    const std::function<bool()>& is_stopping
);

}  // namespace jobstrand::cli
