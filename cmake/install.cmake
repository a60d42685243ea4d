# What other C++ programs need to use partita::client: `cmake --install build/release --component client --prefix DIRECTORY`, then
# find_package(partita) there. Headers of the libraries that the client hides (Boost) are not needed.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(PARTITA_CLIENT_ROOMS client auth document base)  # in the order in which they are linked
set(install_libraries ${CMAKE_INSTALL_LIBDIR}/partita)
set(install_headers ${CMAKE_INSTALL_INCLUDEDIR}/partita)
foreach(room IN LISTS PARTITA_CLIENT_ROOMS)
  install(TARGETS partita_${room} ARCHIVE DESTINATION ${install_libraries} COMPONENT client)
endforeach()
foreach(room client document base)
  install(DIRECTORY ${CMAKE_SOURCE_DIR}/src/${room} DESTINATION ${install_headers} COMPONENT client
          FILES_MATCHING PATTERN "*.h"
          PATTERN "testdata" EXCLUDE PATTERN "transport" EXCLUDE
          PATTERN "test_*.h" EXCLUDE PATTERN "random_values.h" EXCLUDE PATTERN "golden_file.h" EXCLUDE
          PATTERN "request_text.h" EXCLUDE PATTERN "retry.h" EXCLUDE)
endforeach()

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/partitaConfig.cmake.in ${CMAKE_BINARY_DIR}/partitaConfig.cmake
                              INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/partita PATH_VARS install_libraries install_headers)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/partitaConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/partitaConfig.cmake ${CMAKE_BINARY_DIR}/partitaConfigVersion.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/partita COMPONENT client)
