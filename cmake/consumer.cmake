# Programs outside the tree: an install tree, moved to another directory, goes in; programs that were built against it
# and printed what README says come out. include() of this file gives posenc_add_consumer_tests(), which adds the tests
#
#     Consumer.Install        cmake --install, then the tree is moved; nothing of the tests' or Highway's files is in it
#     Consumer.FindPackage    find_package(posenc) in the moved tree: by programs of several standards, without
#                             exceptions, optimised by the linker, and by a shared object
#     Consumer.PkgConfig      one compiler command with pkg-config --cflags --libs posenc, with --static and without
#     Consumer.Directories    trees with a multiarch library directory, with absolute directories, and with DESTDIR
#     Consumer.Subdirectory   add_subdirectory() of the sources
#     Consumer.FetchContent   FetchContent of them from a directory with a space in its name, without a network, in a
#                             project that asks for unity builds and for optimisation by the linker
#     Consumer.Highway        an old Highway, or none, is refused by a sentence
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
    CMAKE_READELF
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

  set(steps Highway Subdirectory)
  if(NOT CMAKE_CROSSCOMPILING AND NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize")
    list(APPEND steps FetchContent)
  endif()
  # A tree whose directories are absolute paths is not one that moves.
  if(POSENC_INSTALL AND NOT IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}" AND NOT IS_ABSOLUTE "${CMAKE_INSTALL_INCLUDEDIR}")
    list(APPEND steps Install FindPackage)
    if(POSENC_PKG_CONFIG AND NOT CMAKE_CROSSCOMPILING)
      list(APPEND steps PkgConfig Directories)
    endif()
  endif()
  foreach(step IN LISTS steps)
    add_test(NAME Consumer.${step} COMMAND ${CMAKE_COMMAND} -DSTEP=${step} -DSETTINGS=${settings} -DCONFIG=$<CONFIG>
                                           -DARCHIVE=$<TARGET_FILE:posenc> -P ${PROJECT_SOURCE_DIR}/cmake/consumer.cmake)
    set_tests_properties(Consumer.${step} PROPERTIES LABELS quick TIMEOUT 600)
    if(step STREQUAL "Install")
      set_tests_properties(Consumer.Install PROPERTIES FIXTURES_SETUP posenc_installed)
    elseif(step MATCHES "^(FindPackage|PkgConfig)$")
      set_tests_properties(Consumer.${step} PROPERTIES FIXTURES_REQUIRED posenc_installed)
    endif()
  endforeach()
  # They compile the library.
  set_tests_properties(Consumer.Subdirectory PROPERTIES PROCESSORS 2)
  if(FetchContent IN_LIST steps)
    set_tests_properties(Consumer.FetchContent PROPERTIES PROCESSORS 2 LABELS slow)
  endif()
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

# The archive must not show through a shared object that links it, and is of code that may be anywhere.
function(expect_good_plugin build)
  if(NOT CMAKE_SYSTEM_NAME STREQUAL "Linux")
    return()
  endif()
  run(${CMAKE_NM} -D --defined-only ${build}/plugin.so)
  if(NOT OUTPUT MATCHES "plugin_first_sine")
    message(FATAL_ERROR "plugin.so does not export plugin_first_sine:\n${OUTPUT}")
  endif()
  if(OUTPUT MATCHES "posenc|hwy")
    message(FATAL_ERROR "plugin.so exports symbols of posenc or Highway:\n${OUTPUT}")
  endif()
  run(${CMAKE_READELF} -d ${build}/plugin.so)
  if(NOT OUTPUT MATCHES "NEEDED" OR OUTPUT MATCHES "TEXTREL")
    message(FATAL_ERROR "plugin.so has text relocations:\n${OUTPUT}")
  endif()
  # A sanitizer must be in the program before it is in what the program loads.
  if(NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize")
    run(${CMAKE_CROSSCOMPILING_EMULATOR} ${build}/load_plugin ${build}/plugin.so)
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

# What each configuration of another project gets.
macro(set_configure_arguments)
  set(arguments
      -G ${CMAKE_GENERATOR} -DCMAKE_C_COMPILER=${CMAKE_C_COMPILER} -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER}
      -DCMAKE_CXX_FLAGS=${CMAKE_CXX_FLAGS} -DCMAKE_TOOLCHAIN_FILE=${CMAKE_TOOLCHAIN_FILE})
endmacro()

# Builds and runs tests/consumer with the given further arguments of cmake.
function(step_project build)
  file(REMOVE_RECURSE ${build})
  extract_programs(${build}/readme programs)
  set_configure_arguments()
  run(${CMAKE_COMMAND} -S ${PROJECT_SOURCE_DIR}/tests/consumer -B ${build} ${arguments} -Dhwy_DIR=${hwy_DIR}
      -DPROGRAM_DIR=${build}/readme ${ARGN})
  run(${CMAKE_COMMAND} --build ${build} --parallel 2)
  foreach(program IN LISTS programs)
    cmake_path(GET program STEM name)
    expect_output(${build}/${name} ${build}/readme/${name}.txt)
  endforeach()
  file(GLOB variants ${build}/variant_*)
  list(LENGTH variants count)
  if(count LESS 4)
    message(FATAL_ERROR "Only ${count} variants were built.")
  endif()
  foreach(variant IN LISTS variants)
    run(${CMAKE_CROSSCOMPILING_EMULATOR} ${variant})
  endforeach()
  expect_good_plugin(${build})
endfunction()

# FetchContent gets a copy of the sources, without what a build of the library has no use for.
function(step_fetch_content)
  set(sources "${WORK}/a copy of posenc")
  file(REMOVE_RECURSE ${sources})
  file(COPY ${PROJECT_SOURCE_DIR}/CMakeLists.txt ${PROJECT_SOURCE_DIR}/cmake ${PROJECT_SOURCE_DIR}/include
            ${PROJECT_SOURCE_DIR}/src DESTINATION ${sources})
  step_project(${WORK}/fetch_content -DPOSENC_SOURCE_DIR=${sources} -DFETCH=ON -DCMAKE_UNITY_BUILD=ON
               -DINTERPROCEDURAL=ON)
endfunction()

# Installs a build of other directories with the archive that is there already, with the given environment, and sets
# LISTING to the files below <root>.
macro(install_with environment root)
  set(build ${WORK}/directories/build)
  file(REMOVE_RECURSE ${build} ${root})
  set_configure_arguments()
  run(${CMAKE_COMMAND} -S ${PROJECT_SOURCE_DIR} -B ${build} ${arguments} -Dhwy_DIR=${hwy_DIR} -DCMAKE_BUILD_TYPE=${CONFIG}
      -DPOSENC_BUILD_CLI=OFF -DPOSENC_BUILD_TESTS=OFF -DPOSENC_BUILD_BENCH=OFF ${ARGN})
  file(COPY ${ARCHIVE} DESTINATION ${build})
  run(${CMAKE_COMMAND} -E env ${environment} ${CMAKE_COMMAND} --install ${build} --config "${CONFIG}")
  file(GLOB_RECURSE LISTING RELATIVE ${root} ${root}/*)
endmacro()

function(step_directories)
  set(top ${WORK}/directories)
  set(package cmake/posenc/posencConfig.cmake cmake/posenc/posencConfigVersion.cmake cmake/posenc/posencTargets.cmake
              cmake/posenc/posencTargets-release.cmake libposenc.a pkgconfig/posenc.pc)
  string(TOLOWER "${CONFIG}" config)
  list(TRANSFORM package REPLACE "-release" "-${config}")
  set(headers include/posenc/c_api.h include/posenc/posenc.h include/posenc/presets.h)

  # As Debian's packages are built: the tree is in a stage, and knows nothing of it.
  install_with("DESTDIR=${top}/stage" ${top}/stage -DCMAKE_INSTALL_PREFIX=/usr
               -DCMAKE_INSTALL_LIBDIR=lib/some-linux-triplet)
  set(want ${headers} ${package})
  list(TRANSFORM want REPLACE "^([^i].*)" "lib/some-linux-triplet/\\1")
  list(TRANSFORM want PREPEND "usr/")
  list(SORT want)
  list(SORT LISTING)
  if(NOT LISTING STREQUAL want)
    message(FATAL_ERROR "${LISTING} was installed, not ${want}.")
  endif()
  foreach(file IN LISTS LISTING)
    if(file MATCHES "[.](pc|cmake)$")
      file(READ ${top}/stage/${file} text)
      if(text MATCHES "directories/(stage|build)")
        message(FATAL_ERROR "${file} knows where it was made.")
      endif()
    endif()
  endforeach()
  compile_variant(${top}/stage/usr/lib/some-linux-triplet/pkgconfig)

  # Directories outside the prefix, as some distributions have them.
  install_with("" ${top}/abs -DCMAKE_INSTALL_PREFIX=${top}/abs/prefix -DCMAKE_INSTALL_LIBDIR=${top}/abs/libraries
               -DCMAKE_INSTALL_INCLUDEDIR=${top}/abs/headers)
  set(want ${headers} ${package})
  list(TRANSFORM want REPLACE "^include/" "headers/")
  list(TRANSFORM want REPLACE "^([^h].*)" "libraries/\\1")
  list(SORT want)
  list(SORT LISTING)
  if(NOT LISTING STREQUAL want)
    message(FATAL_ERROR "${LISTING} was installed, not ${want}.")
  endif()
  compile_variant(${top}/abs/libraries/pkgconfig)
  step_project(${top}/project -Dposenc_DIR=${top}/abs/libraries/cmake/posenc)
endfunction()

# Compiles and runs the variant with the posenc.pc of <directory>, with the two ways to ask for libraries.
function(compile_variant directory)
  set(ENV{PKG_CONFIG_PATH} "${directory}:$ENV{PKG_CONFIG_PATH}")
  separate_arguments(flags UNIX_COMMAND "${CMAKE_CXX_FLAGS}")
  foreach(static "" --static)
    run(${POSENC_PKG_CONFIG} ${static} --cflags --libs posenc)
    separate_arguments(posenc UNIX_COMMAND "${OUTPUT}")
    run(${CMAKE_CXX_COMPILER} ${flags} -std=c++20 ${PROJECT_SOURCE_DIR}/tests/consumer/variant.cc ${posenc}
        -o ${WORK}/variant${static})
    run(${WORK}/variant${static})
  endforeach()
endfunction()

# Fails unless the configuration of posenc with the given arguments fails, with the given sentence.
function(expect_refusal sentence)
  set(build ${WORK}/highway/build)
  file(REMOVE_RECURSE ${build})
  set_configure_arguments()
  execute_process(COMMAND ${CMAKE_COMMAND} -B ${build} ${arguments} ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output
                          ERROR_VARIABLE output)
  string(REGEX REPLACE "[ \n]+" " " output "${output}")
  string(FIND "${output}" "${sentence}" at)
  if(result EQUAL 0 OR at EQUAL -1)
    message(FATAL_ERROR "${ARGN}\nended with ${result}, not with: ${sentence}\n${output}")
  endif()
endfunction()

function(step_highway)
  set(library -DPOSENC_BUILD_CLI=OFF -DPOSENC_BUILD_TESTS=OFF -DPOSENC_BUILD_BENCH=OFF -S ${PROJECT_SOURCE_DIR})
  expect_refusal("posenc needs Highway 1.0.3 or later: cmake/setup.sh installs it" ${library}
                 -DCMAKE_DISABLE_FIND_PACKAGE_hwy=ON)
  # An installed Highway of another time.
  set(package ${WORK}/highway/package)
  file(WRITE ${package}/hwy-config.cmake "add_library(hwy::hwy INTERFACE IMPORTED)\n")
  file(WRITE ${package}/hwy-config-version.cmake "set(PACKAGE_VERSION 1.0.2)\nset(PACKAGE_VERSION_COMPATIBLE TRUE)\n")
  expect_refusal("posenc needs Highway 1.0.3 or later; this is 1.0.2." ${library} -Dhwy_DIR=${package})
  # Highway as a subdirectory of the project around posenc.
  set(project ${WORK}/highway/project)
  file(WRITE ${project}/CMakeLists.txt
       "cmake_minimum_required(VERSION 3.25)\nproject(parent LANGUAGES CXX)\nadd_library(hwy STATIC hwy.cc)\n"
       "set_target_properties(hwy PROPERTIES VERSION 1.0.2)\nadd_subdirectory(\"${PROJECT_SOURCE_DIR}\" posenc)\n")
  file(WRITE ${project}/hwy.cc "")
  expect_refusal("posenc needs Highway 1.0.3 or later; this is 1.0.2." -S ${project})
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
  compile_variant(${moved}/${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()

if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  include(${SETTINGS})
  cmake_path(GET SETTINGS PARENT_PATH WORK)
  # The flags of the build around the test are in SETTINGS, and a consumer here has no others.
  foreach(name CMAKE_BUILD_TYPE CXXFLAGS DESTDIR LDFLAGS)
    unset(ENV{${name}})
  endforeach()
  # The Highway of the build, where it is not the system's.
  if(hwy_DIR)
    cmake_path(SET highway_modules NORMALIZE ${hwy_DIR}/../../pkgconfig)
    set(ENV{PKG_CONFIG_PATH} "${highway_modules}:$ENV{PKG_CONFIG_PATH}")
    set(ENV{LD_LIBRARY_PATH} "${highway_modules}/..:$ENV{LD_LIBRARY_PATH}")
  endif()
  set(moved ${WORK}/moved)
  if(STEP STREQUAL "Install")
    step_install(${moved})
  elseif(STEP STREQUAL "FindPackage")
    step_project(${WORK}/find_package -DCMAKE_PREFIX_PATH=${moved})
  elseif(STEP STREQUAL "PkgConfig")
    step_pkg_config(${moved} ${WORK}/pkg_config)
  elseif(STEP STREQUAL "Subdirectory")
    step_project(${WORK}/subdirectory -DPOSENC_SOURCE_DIR=${PROJECT_SOURCE_DIR})
  elseif(STEP STREQUAL "FetchContent")
    step_fetch_content()
  elseif(STEP STREQUAL "Directories")
    step_directories()
  elseif(STEP STREQUAL "Highway")
    step_highway()
  else()
    message(FATAL_ERROR "There is no step ${STEP}.")
  endif()
endif()
