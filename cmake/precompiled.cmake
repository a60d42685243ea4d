# Standard headers are most of a file's compile time; they are compiled once for all rooms and once for all tests.
# Files still include what they use, so that they compile without this too (PARTITA_PRECOMPILE=OFF).
option(PARTITA_PRECOMPILE "Precompile the headers of the standard library" ON)

set(PRECOMPILED_HEADERS <algorithm> <array> <atomic> <bit> <charconv> <chrono> <cmath> <condition_variable> <cstdint> <cstring> <expected>
  <fstream> <functional> <future> <map> <memory> <mutex> <optional> <random> <set> <shared_mutex> <span> <sstream> <string> <string_view> <thread>
  <unordered_map> <unordered_set> <utility> <vector> <fmt/format.h>)

function(partita_precompile target)
  if(NOT PARTITA_PRECOMPILE)
    return()
  endif()
  if(ARGN STREQUAL "TEST")
    set(origin partita_precompiled_test)
    set(libraries fmt::fmt GTest::gtest GTest::gmock)
    set(options ${PARTITA_TEST_OPTIONS})
    set(headers ${PRECOMPILED_HEADERS} <gmock/gmock.h> <gtest/gtest.h>)
  else()
    set(origin partita_precompiled)
    set(libraries fmt::fmt)
    set(headers ${PRECOMPILED_HEADERS})
  endif()
  if(NOT TARGET ${origin})
    file(WRITE ${CMAKE_BINARY_DIR}/${origin}.cc "")
    add_library(${origin} OBJECT ${CMAKE_BINARY_DIR}/${origin}.cc)
    target_link_libraries(${origin} PRIVATE ${libraries})
    target_compile_options(${origin} PRIVATE ${options})
    target_precompile_headers(${origin} PRIVATE ${headers})
  endif()
  target_precompile_headers(${target} REUSE_FROM ${origin})
endfunction()
