# Highway, the one library that posenc links. Sets POSENC_HIGHWAY to what the target posenc links: a target of the
# project around us if it has one, else the installed package. And POSENC_HIGHWAY_VERSION to its version, or to the
# least one that will do: the archive links with that version and with later ones.

set(POSENC_HIGHWAY_MINIMUM 1.0.3)

if(TARGET hwy)
  # Highway as a subdirectory. The package that we install asks for an installed Highway.
  get_target_property(_posenc_highway_version hwy VERSION)
  set(POSENC_HIGHWAY $<BUILD_INTERFACE:hwy> $<INSTALL_INTERFACE:hwy::hwy>)
else()
  if(NOT TARGET hwy::hwy)
    find_package(hwy CONFIG QUIET)
    if(NOT hwy_FOUND)
      message(FATAL_ERROR "posenc needs Highway ${POSENC_HIGHWAY_MINIMUM} or later: cmake/setup.sh installs it, or name "
                          "its place with -Dhwy_ROOT=<prefix>.")
    endif()
  endif()
  set(_posenc_highway_version "${hwy_VERSION}")
  set(POSENC_HIGHWAY hwy::hwy)
endif()

if(_posenc_highway_version AND _posenc_highway_version VERSION_LESS POSENC_HIGHWAY_MINIMUM)
  message(FATAL_ERROR "posenc needs Highway ${POSENC_HIGHWAY_MINIMUM} or later; this is ${_posenc_highway_version}.")
endif()
set(POSENC_HIGHWAY_VERSION ${POSENC_HIGHWAY_MINIMUM})
if(_posenc_highway_version)
  set(POSENC_HIGHWAY_VERSION ${_posenc_highway_version})
endif()
unset(_posenc_highway_version)
