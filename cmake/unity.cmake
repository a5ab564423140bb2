# The sources of rooms compiled as one: what they share is read, instantiated and written once, in a third of
# the time. It suits builds that are mostly made anew, as those with sanitizers are, because an edit of one source
# compiles its neighbours again. The release build compiles each source as it stands, except on a machine that checks a
# change from nothing. That names in unnamed namespaces differ within what is compiled as one, and that sources include
# what they use all the same, are rules of tools/check_tree.py.
set(JOBSTRAND_UNITY OFF CACHE STRING "Compile the sources of rooms as one: OFF, TESTS (theirs only) or ON")
set_property(CACHE JOBSTRAND_UNITY PROPERTY STRINGS OFF TESTS ON)

# More than this many are divided, so that no core has to wait for the other at the end.
set(JOBSTRAND_MOST_UNITED 40 CACHE STRING "Of how many sources one is made at most")

# Much is compiled at once then. By default GCC looks for what it may forget at each 128 MiB, which took up to a fifth of
# its time and spared a tenth of its memory.
if(JOBSTRAND_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options(--param=ggc-min-heapsize=524288)
endif()

# A folder is one room, but for those that stand together in a line.
file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/united_rooms.txt united_rooms)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/united_rooms.txt)
foreach(line ${united_rooms})
  separate_arguments(rooms UNIX_COMMAND "${line}")
  list(GET rooms 0 first)
  foreach(room ${rooms})
    string(MAKE_C_IDENTIFIER "${room}" room)
    string(MAKE_C_IDENTIFIER "${first}" united_with_${room})
  endforeach()
endforeach()

# jobstrand_unite(TARGET): groups its sources by room.
function(jobstrand_unite target)
  get_target_property(sources ${target} SOURCES)
  get_target_property(target_dir ${target} SOURCE_DIR)
  foreach(source ${sources})
    get_filename_component(path ${source} ABSOLUTE BASE_DIR ${target_dir})
    file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR} ${path}/..)
    string(MAKE_C_IDENTIFIER "${folder}" group)
    if(united_with_${group})
      set(group ${united_with_${group}})
    endif()
    math(EXPR count_${group} "0${count_${group}} + 1")
    math(EXPR part "(${count_${group}} - 1) / ${JOBSTRAND_MOST_UNITED}")
    set_source_files_properties(
      ${path} TARGET_DIRECTORY ${target} PROPERTIES UNITY_GROUP "${group}_${part}"
    )
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()

# jobstrand_unite_all(DIRECTORY): every library and program that is declared there or below.
function(jobstrand_unite_all directory)
  get_property(targets DIRECTORY ${directory} PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target ${targets})
    get_target_property(type ${target} TYPE)
    if(type MATCHES "^((STATIC|OBJECT)_LIBRARY|EXECUTABLE)$")
      jobstrand_unite(${target})
    endif()
  endforeach()
  get_property(below DIRECTORY ${directory} PROPERTY SUBDIRECTORIES)
  foreach(subdirectory ${below})
    jobstrand_unite_all(${subdirectory})
  endforeach()
endfunction()
