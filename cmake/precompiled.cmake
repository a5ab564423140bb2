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

# jobstrand_precompile(TARGET [HEADER]...): the usual headers, and further ones that most of its sources include. Who needs
# no further ones takes what the first target has compiled.
function(jobstrand_precompile target)
  if(NOT JOBSTRAND_PRECOMPILE)
    return()
  endif()
  # Compiled headers suit only those who define what they define.
  target_compile_definitions(${target} PRIVATE $<TARGET_PROPERTY:fmt::fmt,INTERFACE_COMPILE_DEFINITIONS>)
  if(NOT ARGN AND TARGET jobstrand_schema AND NOT target STREQUAL jobstrand_schema)
    target_precompile_headers(${target} REUSE_FROM jobstrand_schema)
  else()
    target_precompile_headers(${target} PRIVATE ${jobstrand_usual_headers} ${ARGN})
  endif()
endfunction()
