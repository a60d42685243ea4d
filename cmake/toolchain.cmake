# Compiler settings that hold for every target.
set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

find_program(CCACHE ccache)
if(CCACHE)
  # What ccache must be told to look through precompiled headers.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE})
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:SHELL:-Xclang -fno-pch-timestamp>")
  set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE})
endif()

add_compile_options(-Wall -Wextra -Wshadow -Wconversion -Werror)
# Paths in messages and debug information are relative, so that a build does not name its machine.
add_compile_options(-ffile-prefix-map=${CMAKE_SOURCE_DIR}/=)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  # simdjson selects its On-Demand kernel at compile time and needs PCLMUL besides AVX2: x86-64-v3 is not enough.
  add_compile_options(-march=haswell)
endif()
add_link_options(-fuse-ld=lld)

# What a test asserts is not optimised, only what it calls: with sanitizers that halves the time to build.
set(PARTITA_TEST_OPTIONS -O0)
if(PARTITA_SANITIZE STREQUAL "asan")
  add_compile_options(-fsanitize=address,undefined,fuzzer-no-link -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
elseif(PARTITA_SANITIZE STREQUAL "tsan")
  add_compile_options(-fsanitize=thread)
  add_link_options(-fsanitize=thread)
endif()
