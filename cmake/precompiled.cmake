# Half of the time of a compilation goes to the same few standard headers; each target compiles them once.
# Sources include what they use all the same: OFF compiles them as they stand.
option(JOBSTRAND_PRECOMPILE "Precompile the headers that most sources include" ON)

set(
  jobstrand_usual_headers
  <algorithm>
  <array>
  <chrono>
  <functional>
  <map>
  <memory>
  <mutex>
  <optional>
  <set>
  <span>
  <stdexcept>
  <string>
  <string_view>
  <utility>
  <variant>
  <vector>
  <fmt/format.h>
)

# jobstrand_precompile(TARGET [HEADER]...): the usual headers, and further ones that most of its sources include.
function(jobstrand_precompile target)
  if(JOBSTRAND_PRECOMPILE)
    target_precompile_headers(${target} PRIVATE ${jobstrand_usual_headers} ${ARGN})
  endif()
endfunction()
