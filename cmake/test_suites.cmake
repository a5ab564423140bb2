# test_suites(PROGRAM FILTER filter TIMEOUT seconds LABELS label...): each suite of a GoogleTest program is one test, as
# gtest_discover_tests makes one of each case. To start a program with sanitizers takes longer than most cases.
#
# Run as a script with PROGRAM, FILTER, PROPERTIES and OUTPUT, it writes down the tests of a program that has been built.
if(CMAKE_SCRIPT_MODE_FILE)
  execute_process(
    COMMAND ${PROGRAM} --gtest_list_tests --gtest_filter=${FILTER}
    OUTPUT_VARIABLE listed COMMAND_ERROR_IS_FATAL ANY
  )
  string(REGEX REPLACE "[ ]*#[^\n]*" "" listed "${listed}")
  string(REPLACE "\n" ";" lines "${listed}")
  set(suites "")
  foreach(line ${lines})
    if(line MATCHES "^  (.+)$")
      list(APPEND cases_of_${suite} ${suite}.${CMAKE_MATCH_1})
    elseif(line MATCHES "^(.+)\\.$")
      set(suite ${CMAKE_MATCH_1})
      list(APPEND suites ${suite})
    endif()
  endforeach()
  set(tests "")
  foreach(suite ${suites})
    list(JOIN cases_of_${suite} ":" filter)
    string(APPEND tests "add_test([=[${suite}]=] [=[${PROGRAM}]=] [=[--gtest_filter=${filter}]=])\n")
    string(APPEND tests "set_tests_properties([=[${suite}]=] PROPERTIES ${PROPERTIES})\n")
  endforeach()
  file(WRITE ${OUTPUT} "${tests}")
  return()
endif()

set(test_suites_script ${CMAKE_CURRENT_LIST_FILE})

function(test_suites program)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "FILTER;TIMEOUT" "LABELS")
  set(tests ${CMAKE_CURRENT_BINARY_DIR}/${program}.suites.cmake)
  add_custom_command(
    TARGET ${program} POST_BUILD
    BYPRODUCTS ${tests}
    COMMAND
      ${CMAKE_COMMAND} -D PROGRAM=$<TARGET_FILE:${program}> -D FILTER=${arg_FILTER}
      -D "PROPERTIES=TIMEOUT ${arg_TIMEOUT} LABELS [=[${arg_LABELS}]=]" -D OUTPUT=${tests} -P ${test_suites_script}
    VERBATIM
  )
  file(
    WRITE ${tests}.included
    "if(EXISTS [=[${tests}]=])\n  include([=[${tests}]=])\nelse()\n  add_test(${program}_NOT_BUILT ${program}_NOT_BUILT)\nendif()\n"
  )
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${tests}.included)
endfunction()
