#pragma once

namespace jobstrand::test {

/// The programs that are tested: where they were built.
extern const char* const kJobstrandBinary;
extern const char* const kOrderServiceBinary;

}  // namespace jobstrand::test
