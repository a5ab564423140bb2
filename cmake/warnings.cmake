# The warnings that our own targets are built with. Third-party headers are SYSTEM and stay silent. Who only wants the
# program does without: they take the compiler a tenth of its time, and a newer one than ours has new ones. So do builds
# with sanitizers: the release build has shown them, and instrumented code makes GCC see uninitialised values where there
# are none.
add_library(jobstrand_warnings INTERFACE)
if(NOT JOBSTRAND_WARNINGS)
  return()
endif()
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
    -Werror
)
