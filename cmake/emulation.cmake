# The tests of this build on CPUs that the machine does not have: the name of a CPU goes in, the targets that ran on it
# come out. Each of them has to give the golden hashes, and the best one has to agree with itself in every placement and
# for every field. include() of this file gives posenc_add_emulation_tests(), which adds the tests Emulated.<CPU> with
# the label `emulated`; run as a script,
#
#     cmake -DQEMU=<program> -DCPU=<name and features> -DBEST=<regex> -DTESTS=<posenc_tests> -P cmake/emulation.cmake
#
# it runs one of them, and fails unless the best target is BEST.

cmake_policy(VERSION 3.25)

# A name, the CPU as QEMU calls it, and the best target there. Highway's SSE4 asks for more than Nehalem has, AES. QEMU
# emulates no AVX-512. SSSE3 is not compiled. Releases of Highway differ in what they call the lowest targets:
# SCALAR, EMU128 or SSE2 is below SSE4, and NEON is split by features of the CPU.
set(CPUS_x86_64
    "Baseline | qemu64                              | SCALAR|EMU128|SSE2"
    "Nehalem  | Nehalem                             | SCALAR|EMU128|SSE2"
    "Westmere | Westmere                            | SSE4"
    "Haswell  | Haswell                             | AVX2")
set(CPUS_aarch64
    "CortexA72 | cortex-a72                         | NEON.*"
    "Sve128    | max,sve128=on,sve256=off,sve512=off | SVE2_128"
    "Sve256    | max,sve256=on,sve512=off           | SVE_256"
    "Sve512    | max,sve512=on,sve1024=off          | SVE2"
    "Sve2048   | max,sve2048=on                     | SVE2")

function(posenc_add_emulation_tests)
  set(architecture ${CMAKE_SYSTEM_PROCESSOR})
  if(NOT CMAKE_SYSTEM_NAME STREQUAL "Linux" OR NOT DEFINED CPUS_${architecture}
     OR CMAKE_CXX_FLAGS MATCHES "-fsanitize")
    return()
  endif()
  find_program(POSENC_QEMU NAMES qemu-${architecture}-static qemu-${architecture})
  mark_as_advanced(POSENC_QEMU)
  if(NOT POSENC_QEMU)
    return()
  endif()
  foreach(row IN LISTS CPUS_${architecture})
    string(REGEX MATCH "^([^ |]+) *[|] *([^ |]+) *[|] *(.*)$" row "${row}")
    set(name Emulated.${CMAKE_MATCH_1})
    add_test(NAME ${name}
             COMMAND ${CMAKE_COMMAND} -DQEMU=${POSENC_QEMU} -DCPU=${CMAKE_MATCH_2} -DBEST=${CMAKE_MATCH_3}
                     -DTESTS=$<TARGET_FILE:posenc_tests> -P ${PROJECT_SOURCE_DIR}/cmake/emulation.cmake)
    set_tests_properties(${name} PROPERTIES LABELS emulated TIMEOUT 1800)
  endforeach()
endfunction()

# Runs the tests of the filter, and sets OUTPUT to what they print. None is a failure too.
macro(run_tests filter)
  execute_process(COMMAND ${QEMU} -cpu ${CPU} ${TESTS} --gtest_filter=${filter} RESULT_VARIABLE result
                  OUTPUT_VARIABLE OUTPUT ERROR_VARIABLE OUTPUT)
  if(NOT result EQUAL 0 OR NOT OUTPUT MATCHES "PASSED  []] [1-9]")
    message(FATAL_ERROR "${filter} on ${CPU} ended with ${result}\n${OUTPUT}")
  endif()
endmacro()

if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  run_tests(Targets.*)
  if(NOT OUTPUT MATCHES "targets that ran: ([A-Z0-9_]+)([^\n]*)")
    message(FATAL_ERROR "Targets.EveryOneRunsWhenAskedFor does not say which ran:\n${OUTPUT}")
  endif()
  set(best ${CMAKE_MATCH_1})
  message(STATUS "${CPU} runs ${best}${CMAKE_MATCH_2}")
  if(NOT best MATCHES "^(${BEST})$")
    message(FATAL_ERROR "The best target of ${CPU} is ${best}, not ${BEST}.")
  endif()
  run_tests(GoldenHashes.*)
  run_tests(Agreement.*/${best})
endif()
