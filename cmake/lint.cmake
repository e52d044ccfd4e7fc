# The formatter and the static checks: the sources go in, a complaint a line comes out. include() of this file gives
# posenc_add_lint_target(), which adds the target `lint`; preset lint configures a build for it, with Clang, whose
# options the checks understand. Run as a script,
#
#     cmake -DSOURCE_DIR=<checkout> -DBUILD_DIR=<build with compile_commands.json> [-DTIDY=<regex>] -P cmake/lint.cmake
#
# it changes nothing, and fails if there is a complaint. All files have to be formatted. The static checks run over what
# is built for users and over the benchmarks, or over the directories that TIDY matches: the tests take longer than all
# else together, and the warnings of two compilers and the sanitizers see them at every run.

cmake_policy(VERSION 3.25)

function(posenc_add_lint_target)
  add_custom_target(
    lint
    COMMAND ${CMAKE_COMMAND} -DSOURCE_DIR=${PROJECT_SOURCE_DIR} -DBUILD_DIR=${PROJECT_BINARY_DIR} -P
            ${PROJECT_SOURCE_DIR}/cmake/lint.cmake
    USES_TERMINAL VERBATIM)
endfunction()

if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  find_program(FORMATTER NAMES clang-format REQUIRED)
  find_program(RUN_TIDY NAMES run-clang-tidy REQUIRED)
  cmake_host_system_information(RESULT cores QUERY NUMBER_OF_LOGICAL_CORES)

  set(globs "")
  foreach(directory include src bench tests)
    foreach(extension c cc h)
      list(APPEND globs ${SOURCE_DIR}/${directory}/*.${extension})
    endforeach()
  endforeach()
  file(GLOB_RECURSE files ${globs})
  list(LENGTH files count)
  message(STATUS "clang-format: ${count} files")
  execute_process(COMMAND ${FORMATTER} --dry-run -Werror ${files} RESULT_VARIABLE misformatted)

  # One SIMD target of each file that is compiled once a target: the checks see the same lines in all of them. targets.cc
  # of the tests has it otherwise.
  if(NOT TIDY)
    set(TIDY "src|bench")
  endif()
  message(STATUS "clang-tidy: ${cores} at a time")
  execute_process(
    COMMAND ${RUN_TIDY} -quiet -j ${cores} -p ${BUILD_DIR} -extra-arg=-march=haswell
            -extra-arg=-DHWY_COMPILE_ONLY_STATIC "^${SOURCE_DIR}/(${TIDY})/(?!hygiene/|targets[.]cc).*[.]cc$"
    RESULT_VARIABLE untidy OUTPUT_VARIABLE complaints ERROR_QUIET)
  # The command lines are of no use to a reader.
  string(REGEX REPLACE "[^\n]*clang-tidy[^\n]* -p=[^\n]*\n" "" complaints "${complaints}")
  if(misformatted OR untidy)
    message(FATAL_ERROR "${complaints}\nclang-format ended with ${misformatted}, clang-tidy with ${untidy}.")
  endif()
endif()
