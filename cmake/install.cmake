# Included by the root list: what `cmake --install` puts where, the pkg-config file and the CMake package. (The command,
# its man page and its completion are installed by cli/CMakeLists.txt.)
include(CMakePackageConfigHelpers)

install(TARGETS meguri EXPORT meguri-shared)
install(TARGETS meguri_static EXPORT meguri-static)
install(DIRECTORY include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

# Both describe the place they lie in relative to themselves: the installed tree may be moved as a whole.
file(RELATIVE_PATH pc_to_prefix "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
string(REGEX REPLACE "/$" "" pc_to_prefix "${pc_to_prefix}")
configure_file(cmake/meguri.pc.in meguri.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/meguri.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/meguri)
configure_package_config_file(cmake/meguri-config.cmake.in meguri-config.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(meguri-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/meguri-config.cmake ${PROJECT_BINARY_DIR}/meguri-config-version.cmake
        DESTINATION ${package_dir})
install(EXPORT meguri-shared FILE meguri-shared.cmake NAMESPACE meguri:: DESTINATION ${package_dir})
install(EXPORT meguri-static FILE meguri-static.cmake NAMESPACE meguri:: DESTINATION ${package_dir})
