#include "test/process/binaries.hpp"

namespace jobstrand::test {

const char* const kJobstrandBinary = JOBSTRAND;
const char* const kOrderServiceBinary = ORDER_SERVICE;

}  // namespace jobstrand::test
