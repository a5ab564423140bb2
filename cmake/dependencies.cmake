# What the project is built on: packages of Debian 12. Each name below is the only one that targets use.
find_package(Threads REQUIRED)
find_package(Boost 1.74 REQUIRED COMPONENTS log)
find_package(fmt REQUIRED)
find_package(date REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(OpenSSL REQUIRED)

# SOCI comes without a CMake package on Debian.
find_path(SOCI_INCLUDE_DIR soci/soci.h REQUIRED)
find_library(SOCI_CORE_LIBRARY soci_core REQUIRED)
find_library(SOCI_SQLITE3_LIBRARY soci_sqlite3 REQUIRED)
find_library(SOCI_POSTGRESQL_LIBRARY soci_postgresql REQUIRED)
find_path(PQ_INCLUDE_DIR libpq-fe.h PATH_SUFFIXES postgresql REQUIRED)
find_library(PQ_LIBRARY pq REQUIRED)
add_library(jobstrand_soci INTERFACE IMPORTED)
target_include_directories(jobstrand_soci SYSTEM INTERFACE ${SOCI_INCLUDE_DIR} ${PQ_INCLUDE_DIR})
target_link_libraries(
  jobstrand_soci
  INTERFACE ${SOCI_CORE_LIBRARY} ${SOCI_SQLITE3_LIBRARY} SQLite::SQLite3 ${SOCI_POSTGRESQL_LIBRARY} ${PQ_LIBRARY}
)
# SOCI hides the type information of its sessions, which this one check of UBSan would look at.
target_compile_options(jobstrand_soci INTERFACE -fno-sanitize=vptr)

# Nor does MySQL Connector/C++ 1.1, the driver for MySQL and MariaDB.
find_path(MYSQLCPPCONN_INCLUDE_DIR cppconn/driver.h REQUIRED)
find_library(MYSQLCPPCONN_LIBRARY mysqlcppconn REQUIRED)
add_library(jobstrand_mysqlcppconn INTERFACE IMPORTED)
target_include_directories(jobstrand_mysqlcppconn SYSTEM INTERFACE ${MYSQLCPPCONN_INCLUDE_DIR})
target_link_libraries(jobstrand_mysqlcppconn INTERFACE ${MYSQLCPPCONN_LIBRARY} Boost::headers)
