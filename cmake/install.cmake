# What `cmake --install` writes: the headers, the archive, the CMake package posenc and the pkg-config module posenc.
# The program posenc has its own rule beside its target.

include(CMakePackageConfigHelpers)

# CMake 3.25 exports a file set at an absolute destination as if it were below the prefix.
set(POSENC_HEADER_DIR "${CMAKE_INSTALL_INCLUDEDIR}")
if(IS_ABSOLUTE "${POSENC_HEADER_DIR}")
  file(RELATIVE_PATH POSENC_HEADER_DIR "${CMAKE_INSTALL_PREFIX}" "${CMAKE_INSTALL_INCLUDEDIR}")
endif()

install(
  TARGETS posenc
  EXPORT posencTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  FILE_SET HEADERS DESTINATION ${POSENC_HEADER_DIR})

set(POSENC_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/posenc)
install(
  EXPORT posencTargets
  NAMESPACE posenc::
  DESTINATION ${POSENC_PACKAGE_DIR})
configure_package_config_file(
  cmake/posencConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/posencConfig.cmake
  INSTALL_DESTINATION ${POSENC_PACKAGE_DIR}
  NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/posencConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/posencConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/posencConfigVersion.cmake
        DESTINATION ${POSENC_PACKAGE_DIR})

# posenc.pc finds the prefix from its own place, so an installed tree may be moved. Directories given as absolute paths
# are kept as they are.
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
  set(POSENC_PC_PREFIX "${CMAKE_INSTALL_PREFIX}")
  set(POSENC_PC_LIBDIR "${CMAKE_INSTALL_LIBDIR}")
else()
  file(RELATIVE_PATH _posenc_up "/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/prefix")
  set(POSENC_PC_PREFIX "\${pcfiledir}/${_posenc_up}")
  string(REGEX REPLACE "/$" "" POSENC_PC_PREFIX "${POSENC_PC_PREFIX}")
  set(POSENC_PC_LIBDIR "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
  unset(_posenc_up)
endif()
if(IS_ABSOLUTE "${CMAKE_INSTALL_INCLUDEDIR}")
  set(POSENC_PC_INCLUDEDIR "${CMAKE_INSTALL_INCLUDEDIR}")
else()
  set(POSENC_PC_INCLUDEDIR "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
endif()
configure_file(cmake/posenc.pc.in ${CMAKE_CURRENT_BINARY_DIR}/posenc.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/posenc.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
