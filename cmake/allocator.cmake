# What programs allocate with: pages of small texts come and go. Never for the library: an app chooses its own.
# Sanitizers bring theirs.
add_library(jobstrand_allocator INTERFACE)
if(NOT JOBSTRAND_SANITIZE)
  find_library(JEMALLOC_LIBRARY jemalloc REQUIRED)
  target_link_libraries(jobstrand_allocator INTERFACE ${JEMALLOC_LIBRARY})
endif()
