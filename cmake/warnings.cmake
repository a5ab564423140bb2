# The warnings that our own targets are built with. Third-party headers are SYSTEM and stay silent.
add_library(jobstrand_warnings INTERFACE)
target_compile_options(
  jobstrand_warnings
  INTERFACE
    -Wall
    -Wextra
    -Wpedantic
    -Wconversion
    -Wsign-conversion
    -Wshadow
    -Wnon-virtual-dtor
    -Woverloaded-virtual
    -Wold-style-cast
    -Wcast-align
    -Wformat=2
    -Wimplicit-fallthrough
    -Wextra-semi
    -Wswitch
    $<$<CXX_COMPILER_ID:GNU>:-Wduplicated-cond>
    $<$<CXX_COMPILER_ID:GNU>:-Wduplicated-branches>
    $<$<CXX_COMPILER_ID:GNU>:-Wlogical-op>
    $<$<CXX_COMPILER_ID:GNU>:-Wuseless-cast>
    $<$<CXX_COMPILER_ID:GNU>:-Wsuggest-override>
    $<$<BOOL:${JOBSTRAND_WARNINGS_AS_ERRORS}>:-Werror>
)
