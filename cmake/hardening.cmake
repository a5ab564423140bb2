# What makes a mistake in memory end the program instead of serving whoever provokes it. For optimised builds: they
# are what is run, and the checks of sizes need the optimiser. Debian builds its own packages much the same way
# (https://wiki.debian.org/Hardening); test/package/hardening_test.py looks whether it has arrived in the program.
include(CheckCXXCompilerFlag)
include(CheckLinkerFlag)
include(CheckPIESupported)
check_pie_supported()

# jobstrand_compile_hardened(FLAG...): those that the compiler knows on this processor.
function(jobstrand_compile_hardened)
  foreach(flag ${ARGN})
    string(MAKE_C_IDENTIFIER "JOBSTRAND_KNOWS${flag}" is_known)
    check_cxx_compiler_flag(${flag} ${is_known})
    if(${is_known})
      add_compile_options($<$<CONFIG:Release>:${flag}>)
    endif()
  endforeach()
endfunction()

if(NOT JOBSTRAND_SANITIZE)
  jobstrand_compile_hardened(-fstack-protector-strong -fstack-clash-protection -fcf-protection=full)
  # Some compilers define a level of their own.
  add_compile_options($<$<CONFIG:Release>:-U_FORTIFY_SOURCE>)
  add_compile_options($<$<CONFIG:Release>:-D_FORTIFY_SOURCE=2>)
  add_link_options($<$<CONFIG:Release>:LINKER:-z,relro,-z,now,-z,noexecstack>)
endif()
