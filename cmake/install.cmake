# What `cmake --install` lays down: the program, the libraries, the headers that apps include, and a CMake package, so
# that another project can say find_package(jobstrand 0.1 REQUIRED) and link jobstrand::jobstrand; its tests link
# jobstrand::testing as well.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/jobstrand)

# The one name for everything that an app embeds.
add_library(jobstrand_all INTERFACE)
set(libraries jobstrand_root jobstrand_headers jobstrand_warnings)
foreach(library schema persistence executor timers deadletter engine testing)
  if(TARGET jobstrand_${library})
    list(APPEND libraries jobstrand_${library})
    set_target_properties(jobstrand_${library} PROPERTIES EXPORT_NAME ${library})
  endif()
endforeach()
target_link_libraries(jobstrand_all INTERFACE jobstrand_engine)
set_target_properties(jobstrand_all PROPERTIES EXPORT_NAME jobstrand)
add_library(jobstrand::jobstrand ALIAS jobstrand_all)

install(TARGETS ${libraries} jobstrand_all EXPORT jobstrand ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/jobstrand DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.hpp")
if(TARGET jobstrand)
  install(TARGETS jobstrand RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

install(EXPORT jobstrand NAMESPACE jobstrand:: DESTINATION ${package_dir} FILE jobstrand-targets.cmake)
configure_file(cmake/jobstrand-config.cmake.in jobstrand-config.cmake @ONLY)
# Until 1.0 a new minor version may change what an app sees.
write_basic_package_version_file(jobstrand-config-version.cmake COMPATIBILITY SameMinorVersion)
install(
  FILES ${PROJECT_BINARY_DIR}/jobstrand-config.cmake
        ${PROJECT_BINARY_DIR}/jobstrand-config-version.cmake
        cmake/dependencies.cmake
  DESTINATION ${package_dir}
)

# The documents lie beside each other as they do here, with the sources that they link to; and what the program tells
# about itself. Whatever follows belongs to each rule.
function(jobstrand_install_documents)
  set(share ${CMAKE_INSTALL_DATAROOTDIR})
  install(FILES README.md CHANGELOG.md GLOSSARY.md SECURITY.md DESTINATION ${CMAKE_INSTALL_DOCDIR} ${ARGN})
  install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} ${ARGN} FILES_MATCHING PATTERN "*.md" PATTERN "*.svg" PATTERN "*.webp" PATTERN "*.json"
          PATTERN "*.yml" PATTERN "map.md" EXCLUDE
  )
  install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DOCDIR} ${ARGN} PATTERN "__pycache__" EXCLUDE)
  foreach(
    linked
    bench/README.md
    bench/peers/README.md
    test/docs/tutorial_test.py
    test/package/consumer/shop.hpp
    tools/example_app/order_service.cpp
    tools/package/Dockerfile
    tools/package/jobstrand.service
  )
    get_filename_component(folder ${linked} DIRECTORY)
    install(FILES ${linked} DESTINATION ${CMAKE_INSTALL_DOCDIR}/${folder} ${ARGN})
  endforeach()
  set(shells tools/surface/shells)
  install(FILES ${shells}/jobstrand.bash DESTINATION ${share}/bash-completion/completions RENAME jobstrand ${ARGN})
  install(FILES ${shells}/_jobstrand DESTINATION ${zsh_completions} ${ARGN})
  install(FILES ${shells}/jobstrand.fish DESTINATION ${share}/fish/vendor_completions.d ${ARGN})
  install(
    DIRECTORY ${PROJECT_BINARY_DIR}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 ${ARGN} FILES_MATCHING PATTERN "*.1"
  )
endfunction()

set(zsh_completions ${CMAKE_INSTALL_DATAROOTDIR}/zsh/site-functions)
if(TARGET jobstrand)
  install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
  jobstrand_install_documents()
endif()
