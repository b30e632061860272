# `cmake --install` installs the program, the libraries, the headers, the documents (share/doc/takt) and the
# CMake package `takt` for other projects.

include(CMakePackageConfigHelpers)

# Help, man pages and headers cite docs/...; the documents cite each other, README.md and configs/ by relative paths.
install(FILES README.md CHANGELOG.md LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/takt)
install(DIRECTORY docs configs DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/takt)

install(EXPORT takt NAMESPACE takt:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/takt FILE takt-targets.cmake)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/takt-config.cmake.in ${PROJECT_BINARY_DIR}/takt-config.cmake
                              INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/takt)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/takt-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/takt-config.cmake ${PROJECT_BINARY_DIR}/takt-config-version.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/takt)
