# Every library that comes from a Debian package, as one imported target each.
find_package(Threads REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(fmt REQUIRED)
find_package(Boost 1.81 REQUIRED)  # headers only
find_package(spdlog REQUIRED)
find_package(CLI11 REQUIRED)
find_package(simdjson REQUIRED)
find_package(prometheus-cpp REQUIRED)
if(PARTITA_TESTS)
  find_package(GTest REQUIRED)
endif()

# The static archive: 0.7-0.9 times the processor time of the shared library. Under the thread sanitizer the shared one,
# because only whole modules that were built without instrumentation can be excluded from its reports.
add_library(rocksdb_package INTERFACE)
if(PARTITA_SANITIZE STREQUAL "tsan")
  target_link_libraries(rocksdb_package INTERFACE rocksdb)
else()
  target_link_libraries(rocksdb_package INTERFACE -l:librocksdb.a snappy z bz2 lz4 zstd gflags Threads::Threads dl)
endif()

# What mongodump writes is read with that database's own library; its static archive, so that the program needs no further file. The package's
# CMake target is not used: it asks for position-independent code, which the precompiled headers are not.
find_package(bson-1.0 REQUIRED)
get_target_property(bson_headers mongo::bson_static INTERFACE_INCLUDE_DIRECTORIES)
add_library(bson_package INTERFACE)
target_include_directories(bson_package SYSTEM INTERFACE ${bson_headers})
target_compile_definitions(bson_package INTERFACE BSON_STATIC)
target_link_libraries(bson_package INTERFACE $<TARGET_FILE:mongo::bson_static> Threads::Threads)

# Sanitizers bring their own allocator.
add_library(allocator INTERFACE)
if(NOT PARTITA_SANITIZE)
  target_link_libraries(allocator INTERFACE jemalloc)
endif()

# V8 comes unpacked, not installed: see scripts/unpack-v8.
set(v8_prefix ${CMAKE_SOURCE_DIR}/build/v8)
if(NOT EXISTS ${v8_prefix}/complete)
  execute_process(COMMAND ${CMAKE_SOURCE_DIR}/scripts/unpack-v8 COMMAND_ERROR_IS_FATAL ANY)
endif()
file(REAL_PATH ${v8_prefix}/libnode.so v8_library)
get_filename_component(v8_folder ${v8_library} DIRECTORY)
add_library(v8_package INTERFACE)
target_include_directories(v8_package SYSTEM INTERFACE ${v8_prefix}/usr/include/node)
target_link_libraries(v8_package INTERFACE ${v8_library} Threads::Threads)
target_link_options(v8_package INTERFACE -Wl,--allow-shlib-undefined)
