#pragma once

#include <string_view>

namespace jobstrand::persistence {

/// Whether a statement of an app may change jobs: it names one of their tables, or is of a kind
/// that does not say what it changes, such as a call of a procedure or a return to a savepoint.
/// What the app's own triggers do is not seen.
[[nodiscard]] bool may_touch_jobs(std::string_view sql);

}  // namespace jobstrand::persistence
