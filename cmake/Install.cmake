# What `cmake --install` brings, in two components: `runtime` (libraries, headers, packages of CMake and pkg-config, the
# runner), which needs nothing but libc, and `compiler` (heddle).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(HEDDLE_PACKAGE ${CMAKE_INSTALL_LIBDIR}/cmake/Heddle)
install(TARGETS heddle_shared heddle_runtime EXPORT HeddleTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/runtime/include/heddle DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT runtime)
install(TARGETS heddle-runner RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT runtime)
install(EXPORT HeddleTargets NAMESPACE Heddle:: DESTINATION ${HEDDLE_PACKAGE} COMPONENT runtime)
if(HEDDLE_COMPILER)
  install(TARGETS heddle RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT compiler)
endif()

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/HeddleConfig.cmake.in ${PROJECT_BINARY_DIR}/HeddleConfig.cmake
  INSTALL_DESTINATION ${HEDDLE_PACKAGE} PATH_VARS CMAKE_INSTALL_BINDIR NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/HeddleConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/HeddleConfig.cmake ${PROJECT_BINARY_DIR}/HeddleConfigVersion.cmake
  ${CMAKE_CURRENT_LIST_DIR}/HeddleAddModel.cmake DESTINATION ${HEDDLE_PACKAGE} COMPONENT runtime)

# From the file's own folder to the prefix: what is installed can be moved.
file(RELATIVE_PATH HEDDLE_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(${CMAKE_CURRENT_LIST_DIR}/heddle.pc.in ${PROJECT_BINARY_DIR}/heddle.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/heddle.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT runtime)
