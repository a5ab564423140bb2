#pragma once

#include "schema/time.hpp"

#include <functional>
#include <string_view>
#include <utility>

namespace jobstrand::executor {

/// The answer of a pass that has nothing to do until somebody wakes its loop.
inline constexpr schema::Duration kUntilWoken = schema::Duration::max();

/// A background activity. One pass holds all of its logic; PollingLoop only repeats it, and tests
/// call it with a clock that they turn by hand.
class Activity {
public:
    virtual ~Activity() = default;

    /// Returns the name for log lines, such as "timer mover".
    [[nodiscard]] virtual std::string_view name() const noexcept = 0;

    /// Does one pass and returns how long to wait before the next one; zero: go on at once. Throws
    /// DbError when the database is in trouble: the loop logs it, waits, and calls again.
    [[nodiscard]] virtual schema::Duration run_once() = 0;
};

/// An activity of an object that is one already: a second kind of pass, for a loop of its own. Its
/// thread safety is that of the pass.
class NamedPass final : public Activity {
public:
    /// The name is borrowed; a literal.
    NamedPass(std::string_view name, std::function<schema::Duration()> pass)
        : name_(name), pass_(std::move(pass)) {}

    NamedPass(const NamedPass&) = delete;
    NamedPass& operator=(const NamedPass&) = delete;

    [[nodiscard]] std::string_view name() const noexcept override { return name_; }
    [[nodiscard]] schema::Duration run_once() override { return pass_(); }

private:
    const std::string_view name_;
    const std::function<schema::Duration()> pass_;
};

}  // namespace jobstrand::executor
