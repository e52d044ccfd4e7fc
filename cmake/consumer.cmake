# Programs outside the tree: an install tree, moved to another directory, goes in; programs that were built against it
# and printed what README says come out. include() of this file gives posenc_add_consumer_tests(), which adds the tests
#
#     Consumer.Install        cmake --install, then the tree is moved; nothing of the tests' or Highway's files is in it
#     Consumer.FindPackage    find_package(posenc) in the moved tree
#     Consumer.PkgConfig      one compiler command with pkg-config --cflags --libs posenc
#     Consumer.Subdirectory   add_subdirectory() of the sources
#
# Each test is a run of this file as a script: cmake -DSTEP=<Install ...> -DSETTINGS=<file> -P cmake/consumer.cmake.

cmake_policy(VERSION 3.25)

function(posenc_add_consumer_tests)
  set(work ${PROJECT_BINARY_DIR}/consumer)
  set(settings ${work}/settings.cmake)
  find_program(POSENC_PKG_CONFIG NAMES pkg-config pkgconf)
  mark_as_advanced(POSENC_PKG_CONFIG)
  # The last values of the cache: a change of compiler or flags reaches the consumers at the next configuration.
  set(text "# The build that the consumer tests are part of.\n")
  foreach(
    name
    CMAKE_GENERATOR
    CMAKE_TOOLCHAIN_FILE
    CMAKE_CROSSCOMPILING_EMULATOR
    CMAKE_C_COMPILER
    CMAKE_CXX_COMPILER
    CMAKE_CXX_FLAGS
    CMAKE_NM
    CMAKE_SYSTEM_NAME
    CMAKE_INSTALL_INCLUDEDIR
    CMAKE_INSTALL_LIBDIR
    hwy_DIR
    PROJECT_SOURCE_DIR
    PROJECT_BINARY_DIR
    PROJECT_VERSION
    POSENC_PKG_CONFIG)
    string(APPEND text "set(${name} [==[${${name}}]==])\n")
  endforeach()
  file(WRITE ${settings} "${text}")

  set(steps Subdirectory)
  # A tree whose directories are absolute paths is not one that moves.
  if(POSENC_INSTALL AND NOT IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}" AND NOT IS_ABSOLUTE "${CMAKE_INSTALL_INCLUDEDIR}")
    list(APPEND steps Install FindPackage)
    if(POSENC_PKG_CONFIG AND NOT CMAKE_CROSSCOMPILING)
      list(APPEND steps PkgConfig)
    endif()
  endif()
  foreach(step IN LISTS steps)
    add_test(NAME Consumer.${step} COMMAND ${CMAKE_COMMAND} -DSTEP=${step} -DSETTINGS=${settings} -DCONFIG=$<CONFIG>
                                           -P ${PROJECT_SOURCE_DIR}/cmake/consumer.cmake)
    set_tests_properties(Consumer.${step} PROPERTIES LABELS quick TIMEOUT 600)
    if(step STREQUAL "Install")
      set_tests_properties(Consumer.Install PROPERTIES FIXTURES_SETUP posenc_installed)
    elseif(NOT step STREQUAL "Subdirectory")
      set_tests_properties(Consumer.${step} PROPERTIES FIXTURES_REQUIRED posenc_installed)
    endif()
  endforeach()
endfunction()

# Runs a command, and fails with all that it printed if it fails. Sets OUTPUT to its standard output.
macro(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE _result OUTPUT_VARIABLE OUTPUT ERROR_VARIABLE _errors)
  if(NOT _result EQUAL 0)
    string(REPLACE ";" " " _command "${ARGN}")
    message(FATAL_ERROR "${_command}\nended with ${_result}\n${OUTPUT}${_errors}")
  endif()
endmacro()

# Takes the programs of README apart: every ```cpp or ```c block is a whole program, and the ```text block after it is
# what it prints. Writes readme_1.cc or readme_1.c, readme_1.txt, readme_2.cc ... to <dir>; sets <out> to the programs.
function(extract_programs dir out)
  file(READ ${PROJECT_SOURCE_DIR}/README.md readme)
  set(programs "")
  set(number 0)
  while(readme MATCHES "```(cpp|c)\n")
    set(language ${CMAKE_MATCH_1})
    math(EXPR number "${number} + 1")
    foreach(kind ${language} text)
      string(FIND "${readme}" "```${kind}\n" begin)
      if(begin EQUAL -1)
        message(FATAL_ERROR "Program ${number} of README.md has no ```${kind} block.")
      endif()
      string(LENGTH "```${kind}\n" length)
      math(EXPR begin "${begin} + ${length}")
      string(SUBSTRING "${readme}" ${begin} -1 readme)
      string(FIND "${readme}" "```" length)
      string(SUBSTRING "${readme}" 0 ${length} block)
      math(EXPR length "${length} + 3")
      string(SUBSTRING "${readme}" ${length} -1 readme)
      if(kind STREQUAL "text")
        file(WRITE ${dir}/readme_${number}.txt "${block}")
      else()
        string(REPLACE "cpp" "cc" extension ${language})
        file(WRITE ${dir}/readme_${number}.${extension} "${block}")
        list(APPEND programs ${dir}/readme_${number}.${extension})
      endif()
    endforeach()
  endwhile()
  if(NOT programs)
    message(FATAL_ERROR "README.md has no program.")
  endif()
  set(${out} "${programs}" PARENT_SCOPE)
endfunction()

# Runs the program of README that was built as <executable>, and compares what it prints with <expected_file>.
function(expect_output executable expected_file)
  run(${CMAKE_CROSSCOMPILING_EMULATOR} ${executable})
  file(READ ${expected_file} expected)
  if(NOT OUTPUT STREQUAL expected)
    message(FATAL_ERROR "${executable} printed\n${OUTPUT}README.md says\n${expected}")
  endif()
endfunction()

# The archive must not show through a shared object that links it.
function(expect_no_exports shared_object)
  if(NOT CMAKE_SYSTEM_NAME STREQUAL "Linux")
    return()
  endif()
  run(${CMAKE_NM} -D --defined-only ${shared_object})
  if(NOT OUTPUT MATCHES "plugin_first_sine")
    message(FATAL_ERROR "${shared_object} does not export plugin_first_sine:\n${OUTPUT}")
  endif()
  if(OUTPUT MATCHES "posenc")
    message(FATAL_ERROR "${shared_object} exports symbols of posenc:\n${OUTPUT}")
  endif()
endfunction()

# Installs the build, and moves the tree.
function(step_install moved)
  file(REMOVE_RECURSE ${WORK}/staged ${moved})
  run(${CMAKE_COMMAND} --install ${PROJECT_BINARY_DIR} --prefix ${WORK}/staged --config "${CONFIG}")
  file(RENAME ${WORK}/staged ${moved})
  file(GLOB_RECURSE files RELATIVE ${moved} ${moved}/*)
  set(includedir ${CMAKE_INSTALL_INCLUDEDIR})
  set(libdir ${CMAKE_INSTALL_LIBDIR})
  foreach(file ${includedir}/posenc/posenc.h ${libdir}/libposenc.a ${libdir}/cmake/posenc/posencConfig.cmake
               ${libdir}/cmake/posenc/posencConfigVersion.cmake ${libdir}/pkgconfig/posenc.pc)
    if(NOT file IN_LIST files)
      message(FATAL_ERROR "${file} was not installed, but: ${files}")
    endif()
  endforeach()
  # Everything else is one of ours: a header, a file of the CMake package or the program.
  set(ours "${includedir}/posenc/.*[.]h|${libdir}/(libposenc[.]a|cmake/posenc/.*|pkgconfig/posenc[.]pc)|bin/posenc")
  foreach(file IN LISTS files)
    if(NOT file MATCHES "^(${ours})$")
      message(FATAL_ERROR "${file} was installed.")
    endif()
  endforeach()
  foreach(file ${libdir}/pkgconfig/posenc.pc ${libdir}/cmake/posenc/posencTargets.cmake
               ${libdir}/cmake/posenc/posencConfig.cmake)
    file(READ ${moved}/${file} text)
    foreach(place ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR} ${WORK}/staged)
      string(FIND "${text}" "${place}" at)
      if(NOT at EQUAL -1)
        message(FATAL_ERROR "${file} knows ${place}.")
      endif()
    endforeach()
  endforeach()
endfunction()

# Builds and runs tests/consumer with the given further arguments of cmake.
function(step_project build)
  file(REMOVE_RECURSE ${build})
  extract_programs(${build}/readme programs)
  run(${CMAKE_COMMAND} -S ${PROJECT_SOURCE_DIR}/tests/consumer -B ${build} -G ${CMAKE_GENERATOR}
      -DCMAKE_C_COMPILER=${CMAKE_C_COMPILER} -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER}
      -DCMAKE_CXX_FLAGS=${CMAKE_CXX_FLAGS}
      -DCMAKE_TOOLCHAIN_FILE=${CMAKE_TOOLCHAIN_FILE} -Dhwy_DIR=${hwy_DIR} -DPROGRAM_DIR=${build}/readme ${ARGN})
  run(${CMAKE_COMMAND} --build ${build} --parallel 2)
  foreach(program IN LISTS programs)
    cmake_path(GET program STEM name)
    expect_output(${build}/${name} ${build}/readme/${name}.txt)
  endforeach()
  expect_no_exports(${build}/plugin.so)
endfunction()

function(step_pkg_config moved build)
  file(REMOVE_RECURSE ${build})
  extract_programs(${build} programs)
  set(ENV{PKG_CONFIG_PATH} "${moved}/${CMAKE_INSTALL_LIBDIR}/pkgconfig:$ENV{PKG_CONFIG_PATH}")
  run(${POSENC_PKG_CONFIG} --modversion posenc)
  string(STRIP "${OUTPUT}" version)
  if(NOT version STREQUAL PROJECT_VERSION)
    message(FATAL_ERROR "posenc.pc has version ${version}, not ${PROJECT_VERSION}.")
  endif()
  run(${POSENC_PKG_CONFIG} --cflags --libs posenc)
  separate_arguments(posenc UNIX_COMMAND "${OUTPUT}")
  separate_arguments(flags UNIX_COMMAND "${CMAKE_CXX_FLAGS}")
  foreach(program IN LISTS programs)
    string(REGEX REPLACE "[.]cc?$" "" executable "${program}")
    if(program MATCHES "[.]c$")
      # A program of C is linked by the C++ compiler.
      run(${CMAKE_C_COMPILER} -std=c11 ${posenc} -c ${program} -o ${executable}.o)
      set(program ${executable}.o)
    endif()
    run(${CMAKE_CXX_COMPILER} ${flags} -std=c++20 -pthread ${program} ${posenc} -o ${executable})
    expect_output(${executable} ${executable}.txt)
  endforeach()
endfunction()

if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  include(${SETTINGS})
  cmake_path(GET SETTINGS PARENT_PATH WORK)
  # The flags of the build around the test are in SETTINGS, and a consumer here has no others.
  foreach(name CMAKE_BUILD_TYPE CXXFLAGS LDFLAGS)
    unset(ENV{${name}})
  endforeach()
  set(moved ${WORK}/moved)
  if(STEP STREQUAL "Install")
    step_install(${moved})
  elseif(STEP STREQUAL "FindPackage")
    step_project(${WORK}/find_package -DCMAKE_PREFIX_PATH=${moved})
  elseif(STEP STREQUAL "PkgConfig")
    step_pkg_config(${moved} ${WORK}/pkg_config)
  elseif(STEP STREQUAL "Subdirectory")
    step_project(${WORK}/subdirectory -DPOSENC_SOURCE_DIR=${PROJECT_SOURCE_DIR})
  else()
    message(FATAL_ERROR "STEP is Install, FindPackage, PkgConfig or Subdirectory.")
  endif()
endif()
