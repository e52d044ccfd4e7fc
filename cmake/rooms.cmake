# The rooms check: the include lines of the library and of the command line program go in, a sentence for each one that
# the table below does not allow comes out. include() of this file gives posenc_add_rooms_test(); run as a script,
#
#     cmake -DSOURCE_DIR=<checkout> -P cmake/rooms.cmake
#
# it checks a tree, and with -DSELF_TEST=ON it shows that it finds violations.

cmake_policy(VERSION 3.25)

# The table. Data flows down, and a room includes only rooms above it. A row is: the room, its files, the rooms it may
# include besides itself, and what it may include from outside besides the standard library; - is nothing. A file
# belongs to the first row that matches its path. Two rooms have a plain header besides their per-target files, for the
# encoder to see: memory is that of the store, seam that of the kernels. lanes and sincos are what the kernels stand on,
# and target is the foreach_target file that compiles all per-target files. Similarity has three rows: dot is what the
# encoder sees, dots its foreach_target file, sum the integer arithmetic below it. calls, checks, lists, axes, c and
# encoder are the files of the door.
#
#    room    | files                              | may include                                                   | from outside
set(ROOMS
    "door    | include/posenc/[^/]*[.]h           | -                                                             | -"
    "cli     | src/cli/[^/]*                      | door                                                          | CLI png posix"
    "spec    | src/spec[^/]*                      | door                                                          | -"
    "heap    | src/heap[.](h|cc)                  | door                                                          | -"
    "turns   | src/(turns|wide)[^/]*              | door spec                                                     | -"
    "grid    | src/grid[^/]*                      | door spec turns                                               | -"
    "repair  | src/repair[^/]*                    | door turns                                                    | -"
    "lanes   | src/lanes[^/]*-inl[.]h             | -                                                             | hwy"
    "sincos  | src/sincos[^/]*-inl[.]h            | door grid lanes                                               | hwy"
    "memory  | src/store[.]h                      | door grid                                                     | -"
    "store   | src/(store|output_rows|rounding|words|bounce)-inl[.]h | door turns grid repair lanes memory                           | hwy"
    "seam    | src/kernels[.]h                    | door turns grid memory                                        | -"
    "kernels | src/(range|range_rows|blocks|added_rows|positions|(float_)?recurrence|angles|sorted)-inl[.]h | door turns grid lanes sincos memory store seam                | hwy"
    "rotate  | src/rotate-inl[.]h                 | door turns grid repair lanes sincos memory store seam kernels | hwy"
    "turner  | src/rotate[.]cc                    | door grid memory seam rotate                                  | hwy"
    "target  | src/kernels[^/]*[.]cc              | door turns grid repair lanes sincos memory store seam kernels | hwy"
    "mode    | src/float_mode[.]h                 | -                                                             | intrinsics"
    "calls   | src/calls[.]h                      | door grid memory                                              | -"
    "checks  | src/arguments[.]h                  | door memory calls                                             | -"
    "sum     | src/similarity_sum[.](h|cc)        | turns repair                                                  | -"
    "dot     | src/similarity[.]h                 | grid                                                          | -"
    "dots    | src/similarity(-inl[.]h|[.]cc)     | turns grid lanes sincos sum dot                               | hwy"
    "c       | src/c_api[.]cc                     | door heap memory calls                                        | -"
    "presets | src/presets[.]cc                   | door heap                                                     | -"
    "axes    | src/axes[.]cc                      | door memory mode calls checks                                 | -"
    "lists   | src/lists[.](h|cc)                 | door turns grid memory seam calls                             | -"
    "encoder | src/encoder[.]cc                   | door spec heap grid memory seam mode calls checks dot lists   | -")

# The names of the last column, as regular expressions of what stands between the marks of an include line.
set(OUTSIDE_hwy "hwy/.*")
set(OUTSIDE_CLI "CLI/.*")
set(OUTSIDE_png "png[.]h")
set(OUTSIDE_posix "(fcntl|signal|unistd|sys/[a-z]+)[.]h")
set(OUTSIDE_intrinsics "[a-z]+intrin[.]h")
# The standard library, and the headers that it shares with C.
set(STANDARD "[a-z_]+|std[a-z]+[.]h")

function(posenc_add_rooms_test)
  set(script ${PROJECT_SOURCE_DIR}/cmake/rooms.cmake)
  add_test(NAME Rooms.IncludeOnlyRoomsAbove COMMAND ${CMAKE_COMMAND} -DSOURCE_DIR=${PROJECT_SOURCE_DIR} -P ${script})
  add_test(NAME Rooms.CheckFindsViolations
           COMMAND ${CMAKE_COMMAND} -DSELF_TEST=ON -DWORK_DIR=${PROJECT_BINARY_DIR}/rooms -P ${script})
  set_tests_properties(Rooms.IncludeOnlyRoomsAbove Rooms.CheckFindsViolations PROPERTIES LABELS quick)
endfunction()

# Sets <out> to the fields of the row of ROOMS that <file> belongs to, or to nothing.
function(find_room file out)
  foreach(row IN LISTS ROOMS)
    string(REGEX REPLACE " *[|] " ";" fields "${row}")
    list(TRANSFORM fields STRIP)
    list(GET fields 1 pattern)
    if(file MATCHES "^${pattern}$")
      set(${out} "${fields}" PARENT_SCOPE)
      return()
    endif()
  endforeach()
  set(${out} "" PARENT_SCOPE)
endfunction()

# Sets <out> to a sentence if the table does not allow <file> to have the include line <line>, else to nothing.
function(judge file line out)
  find_room(${file} room)
  list(GET room 0 name)
  list(GET room 2 rooms_above)
  list(GET room 3 outside)
  string(REPLACE " " ";" rooms_above "${name} ${rooms_above}")
  string(REPLACE " " ";" outside "${outside}")
  set(${out} "" PARENT_SCOPE)

  if(NOT line MATCHES "[\"<]([^\">]+)[\">]")
    # HWY_TARGET_INCLUDE belongs to foreach_target.h; no other include of ours is computed.
    set(${out} "${file} (${name}) has an include that names no file: ${line}" PARENT_SCOPE)
    return()
  endif()
  set(included "${CMAKE_MATCH_1}")
  if(included MATCHES "^(${STANDARD})$")
    return()
  endif()
  foreach(kind IN LISTS outside)
    if(DEFINED OUTSIDE_${kind} AND included MATCHES "^(${OUTSIDE_${kind}})$")
      return()
    endif()
  endforeach()

  string(REGEX REPLACE "^posenc/" "include/posenc/" path "${included}")
  find_room(${path} target)
  if(NOT target)
    set(${out} "${file} (${name}) includes ${included}, which is no path of a file of a room." PARENT_SCOPE)
    return()
  endif()
  list(GET target 0 target_name)
  if(NOT target_name IN_LIST rooms_above)
    set(${out} "${file} (${name}) includes ${included} (${target_name})." PARENT_SCOPE)
  endif()
endfunction()

# Sets <out> to the sentences about the tree <top>, and <count> to the number of its include lines.
function(check_tree top out count)
  file(GLOB_RECURSE files RELATIVE ${top} ${top}/include/*.h ${top}/src/*.h ${top}/src/*.cc ${top}/src/*.inc)
  set(violations "")
  set(seen 0)
  foreach(file IN LISTS files)
    find_room(${file} room)
    if(NOT room)
      list(APPEND violations "${file} belongs to no room: cmake/rooms.cmake has the table.")
      continue()
    endif()
    file(STRINGS ${top}/${file} lines REGEX "^[ \t]*#[ \t]*include")
    foreach(line IN LISTS lines)
      math(EXPR seen "${seen} + 1")
      judge(${file} "${line}" violation)
      if(violation)
        list(APPEND violations "${violation}")
      endif()
    endforeach()
  endforeach()
  set(${out} "${violations}" PARENT_SCOPE)
  set(${count} ${seen} PARENT_SCOPE)
endfunction()

# Fails unless a tree of one file <file> with the one include <included> is judged as <expected>: ALLOWED or REFUSED.
function(expect expected file included)
  file(REMOVE_RECURSE ${WORK_DIR})
  file(WRITE ${WORK_DIR}/${file} "// A comment that says #include \"src/store-inl.h\" is none.\n#include ${included}\n")
  check_tree(${WORK_DIR} violations count)
  file(REMOVE_RECURSE ${WORK_DIR})
  if(violations)
    set(verdict REFUSED)
  else()
    set(verdict ALLOWED)
  endif()
  if(NOT verdict STREQUAL expected)
    message(SEND_ERROR "${file} with #include ${included} should be ${expected}, and is ${verdict}. ${violations}")
  endif()
endfunction()

function(self_test)
  expect(ALLOWED include/posenc/posenc.h "<cstdint>")
  expect(ALLOWED include/posenc/c_api.h "<stddef.h>")
  expect(ALLOWED include/posenc/presets.h "\"posenc/posenc.h\"")
  expect(ALLOWED src/axes.cc "\"src/arguments.h\"")
  expect(ALLOWED src/similarity-inl.h "\"src/sincos-inl.h\"")
  expect(ALLOWED src/turns.cc "\"src/wide.h\"")
  expect(ALLOWED src/range-inl.h "\"hwy/highway.h\"")
  expect(ALLOWED src/range-inl.h "\"src/store-inl.h\"")
  expect(ALLOWED src/kernels.cc "\"src/range-inl.h\"")
  expect(ALLOWED src/cli/main.cc "\"src/cli/npy.h\"")
  expect(ALLOWED src/cli/main.cc "\"posenc/posenc.h\"")
  expect(REFUSED include/posenc/posenc.h "\"src/spec.h\"")         # the door shows the standard library only
  expect(REFUSED include/posenc/posenc.h "\"hwy/base.h\"")
  expect(REFUSED include/posenc/posenc.h "<png.h>")
  expect(REFUSED src/spec.cc "\"src/turns.h\"")                    # upstream
  expect(REFUSED src/turns.h "\"src/grid.h\"")
  expect(REFUSED src/grid.cc "\"src/repair.h\"")
  expect(REFUSED src/repair.cc "\"src/kernels.h\"")
  expect(REFUSED src/sincos-inl.h "\"src/store-inl.h\"")
  expect(REFUSED src/range-inl.h "\"src/repair.h\"")
  expect(REFUSED src/range-inl.h "\"src/rotate-inl.h\"")
  expect(REFUSED src/store-inl.h "\"src/range-inl.h\"")
  expect(REFUSED src/store.h "\"hwy/base.h\"")
  expect(REFUSED src/lanes-inl.h "\"src/grid.h\"")
  expect(REFUSED src/encoder.cc "\"src/store-inl.h\"")             # per-target code outside a per-target file
  expect(REFUSED src/encoder.cc "<hwy/targets.h>")
  expect(REFUSED src/encoder.cc "<immintrin.h>")
  expect(REFUSED src/kernels.h "\"hwy/base.h\"")
  expect(REFUSED src/axes.cc "\"src/kernels.h\"")                  # a grid is made of calls of the door
  expect(REFUSED src/c_api.cc "\"src/spec.h\"")
  expect(REFUSED src/presets.cc "\"src/turns.h\"")
  expect(REFUSED src/similarity_sum.cc "\"src/similarity-inl.h\"")
  expect(REFUSED src/repair.cc "  <hwy/base.h>  // NOLINT")
  expect(REFUSED src/cli/main.cc "\"src/grid.h\"")                 # programs use the door
  expect(REFUSED src/cli/main.cc "<hwy/targets.h>")
  expect(REFUSED src/turns.cc "\"wide.h\"")                        # not by its path from the top
  expect(REFUSED src/turns.cc "\"src/../src/grid.h\"")
  expect(REFUSED src/turns.cc "HEADER")
  expect(REFUSED src/helper.cc "<vector>")                         # a file without a room
endfunction()

if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  if(SELF_TEST)
    self_test()
    return()
  endif()
  check_tree(${SOURCE_DIR} violations count)
  foreach(violation IN LISTS violations)
    message(SEND_ERROR "${violation}")
  endforeach()
  if(count LESS 20)
    message(SEND_ERROR "Only ${count} include lines under ${SOURCE_DIR}: this is not the tree of posenc.")
  endif()
  message(STATUS "${count} include lines")
endif()
