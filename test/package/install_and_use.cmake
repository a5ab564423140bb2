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
  -D expected_version=${version}
)
run(${CMAKE_COMMAND} --build ${scratch}/build)
run(${scratch}/build/consumer)
