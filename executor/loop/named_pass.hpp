#pragma once

#include "executor/loop/activity.hpp"

#include <functional>
#include <string_view>
#include <utility>

namespace jobstrand::executor {

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
