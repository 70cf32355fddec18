# Rules for `cmake --install`, in two components: `runtime` (libraries, headers, CMake and pkg-config packages, the
# runner), which needs only libc, and `compiler` (heddle).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(HEDDLE_PACKAGE ${CMAKE_INSTALL_LIBDIR}/cmake/Heddle)
install(TARGETS heddle_shared heddle_runtime EXPORT HeddleTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/runtime/include/heddle DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT runtime)
install(TARGETS heddle-runner RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT runtime)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/heddle-runtime COMPONENT runtime)
install(EXPORT HeddleTargets NAMESPACE Heddle:: DESTINATION ${HEDDLE_PACKAGE} COMPONENT runtime)
if(HEDDLE_COMPILER)
  # Libraries whose versions differ between systems are installed with heddle; libraries that every system has are not.
  set(private ${CMAKE_INSTALL_LIBDIR}/heddle)
  file(RELATIVE_PATH rpath /${CMAKE_INSTALL_BINDIR} /${private})
  set_target_properties(heddle PROPERTIES INSTALL_RPATH "$ORIGIN/${rpath}")
  install(TARGETS heddle RUNTIME_DEPENDENCY_SET HeddleNeeds
    RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT compiler)
  install(RUNTIME_DEPENDENCY_SET HeddleNeeds
    PRE_EXCLUDE_REGEXES "^lib(c|m|dl|pthread|rt|gcc_s|stdc[+][+]|z|zstd)[.]so" "^ld-linux"
    LIBRARY DESTINATION ${private} COMPONENT compiler)
  install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${CMAKE_CURRENT_LIST_DIR}/third-party.txt
    DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/heddle COMPONENT compiler)
endif()

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/HeddleConfig.cmake.in ${PROJECT_BINARY_DIR}/HeddleConfig.cmake
  INSTALL_DESTINATION ${HEDDLE_PACKAGE} PATH_VARS CMAKE_INSTALL_BINDIR NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/HeddleConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/HeddleConfig.cmake ${PROJECT_BINARY_DIR}/HeddleConfigVersion.cmake
  ${CMAKE_CURRENT_LIST_DIR}/HeddleAddModel.cmake DESTINATION ${HEDDLE_PACKAGE} COMPONENT runtime)

# The prefix is relative to the file's own folder, so the installation can be moved.
file(RELATIVE_PATH HEDDLE_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(${CMAKE_CURRENT_LIST_DIR}/heddle.pc.in ${PROJECT_BINARY_DIR}/heddle.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/heddle.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT runtime)
