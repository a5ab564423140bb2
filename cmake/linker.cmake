# mold links in a tenth of the time, with or without sanitizers; without it the compiler's own linker does.
find_program(JOBSTRAND_MOLD mold)
if(JOBSTRAND_MOLD)
  include(CheckLinkerFlag)
  check_linker_flag(CXX -fuse-ld=mold JOBSTRAND_LINKS_WITH_MOLD)
  if(JOBSTRAND_LINKS_WITH_MOLD)
    add_link_options(-fuse-ld=mold)
  endif()
endif()
