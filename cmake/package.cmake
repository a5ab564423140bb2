# The Debian package of the service: `cmake --build build/release --target package`. It has the program, its unit, its
# configuration and its documents; what apps embed is not in it, `cmake --install` lays that down.
set(package ${PROJECT_SOURCE_DIR}/tools/package)
set(JOBSTRAND_CONTACT "Jobstrand <maintainers@jobstrand.invalid>" CACHE STRING "Who answers for packages built here")

string(TIMESTAMP changelog_date "%a, %d %b %Y %H:%M:%S +0000" UTC)  # SOURCE_DATE_EPOCH, if that is set.
configure_file(${package}/debian/changelog.in ${PROJECT_BINARY_DIR}/package/changelog @ONLY)

set(in_package COMPONENT service EXCLUDE_FROM_ALL)
set(zsh_completions share/zsh/vendor-completions)
install(TARGETS jobstrand RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} ${in_package})
install(FILES ${package}/jobstrand.service DESTINATION /lib/systemd/system ${in_package})
install(FILES ${package}/jobstrand.toml DESTINATION /etc/jobstrand ${in_package})
jobstrand_install_documents(${in_package})
install(FILES ${package}/debian/copyright ${PROJECT_BINARY_DIR}/package/changelog DESTINATION ${CMAKE_INSTALL_DOCDIR} ${in_package})
install(
  CODE [[
    set(share $ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/share)
    file(GLOB pages ${share}/man/man1/*.1)
    execute_process(COMMAND gzip -9nf ${pages} ${share}/doc/jobstrand/changelog COMMAND_ERROR_IS_FATAL ANY)
  ]]
  ${in_package}
)

set(CPACK_GENERATOR DEB)
set(CPACK_COMPONENTS_ALL service)
set(CPACK_PACKAGE_CONTACT ${JOBSTRAND_CONTACT})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_SERVICE_PACKAGE_NAME jobstrand)
set(CPACK_DEBIAN_SERVICE_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_SERVICE_PACKAGE_SECTION admin)
set(CPACK_DEBIAN_SERVICE_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_SERVICE_PACKAGE_DEPENDS "adduser, init-system-helpers (>= 1.54)")
set(
  CPACK_DEBIAN_SERVICE_DESCRIPTION
  "A job is a row in the database that the app has: SQLite, MariaDB, MySQL or\nPostgreSQL. The service runs it, on one node at a time, again when it fails,\n\
and keeps it as a dead letter when its retries run out."
)
set(debian ${package}/debian)
set(CPACK_DEBIAN_SERVICE_PACKAGE_CONTROL_EXTRA ${debian}/conffiles ${debian}/postinst ${debian}/prerm ${debian}/postrm)
set(CPACK_DEBIAN_SERVICE_PACKAGE_CONTROL_STRICT_PERMISSION ON)
include(CPack)
