# Run by ctest: install, configure, build, run. Whatever fails stops with its output.
cmake_policy(VERSION 3.22)

function(run)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${scratch} RESULT_VARIABLE code)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "failed with ${code}: ${ARGN}")
  endif()
endfunction()

file(REMOVE_RECURSE ${scratch})
file(MAKE_DIRECTORY ${scratch})
run(${CMAKE_COMMAND} --install ${build} --prefix ${scratch}/prefix)
run(
  ${CMAKE_COMMAND} -G Ninja -S ${consumer} -B ${scratch}/build -D CMAKE_BUILD_TYPE=${build_type}
  -D CMAKE_PREFIX_PATH=${scratch}/prefix -D CMAKE_FIND_PACKAGE_NO_PACKAGE_REGISTRY=ON
  -D expected_version=${version} -D example_app=${example_app}
)
run(${CMAKE_COMMAND} --build ${scratch}/build)
run(${scratch}/build/consumer)
run(${scratch}/build/shop_test)
run(${scratch}/build/order_service sqlite:orders.db place 2)
run(${scratch}/build/order_service sqlite:orders.db work)

# The documents, the manual and the completion come along, and no link of theirs is dead.
set(share ${scratch}/prefix/share)
run(python3 ${links_test} ${share}/doc/jobstrand)
foreach(
  file
  man/man1/jobstrand.1
  man/man1/jobstrand-dead.1
  bash-completion/completions/jobstrand
  zsh/site-functions/_jobstrand
  fish/vendor_completions.d/jobstrand.fish
)
  if(NOT EXISTS ${share}/${file})
    message(FATAL_ERROR "not installed: share/${file}")
  endif()
endforeach()

# They are found there, without being told where: skipped (77) where this machine lacks a shell.
execute_process(
  COMMAND python3 ${terminal_tests}/completion_test.py ${scratch}/prefix/bin/jobstrand ${scratch}/prefix RESULT_VARIABLE code
)
if(NOT code EQUAL 0 AND NOT code EQUAL 77)
  message(FATAL_ERROR "the installed completion: failed with ${code}")
endif()
foreach(page jobstrand jobstrand-dead)
  run(${CMAKE_COMMAND} -E env MANPATH=${share}/man MANPAGER=cat man ${page})
endforeach()

# Only the folder of the public headers is on the include path, and only they are in it.
file(READ ${scratch}/build/compile_commands.json commands)
string(REGEX MATCHALL "-(I|isystem) ?[^ ]+" paths "${commands}")
list(REMOVE_DUPLICATES paths)
if(NOT paths MATCHES "^-isystem ${scratch}/prefix/include$")
  message(FATAL_ERROR "the include path is ${paths}")
endif()
file(GLOB others ${scratch}/prefix/include/* ${scratch}/prefix/include/jobstrand/*/*)
if(NOT others STREQUAL ${scratch}/prefix/include/jobstrand)
  message(FATAL_ERROR "installed beside the public headers: ${others}")
endif()
