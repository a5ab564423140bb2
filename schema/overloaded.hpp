#pragma once

namespace jobstrand::schema {

/// A visitor made of a lambda for each alternative.
template <typename... Cases>
struct Overloaded : Cases... {
    using Cases::operator()...;
};
template <typename... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

}  // namespace jobstrand::schema
