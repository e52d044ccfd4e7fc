# What an archive brings into a program: libposenc.a goes in, a sentence comes out for each symbol that it needs and
# should not, and for each function with instructions that not every CPU has. include() of this file gives
# posenc_add_hygiene_tests(); run as a script,
#
#     cmake -DARCHIVE=<archive> -DNM=<nm> -DOBJDUMP=<objdump> -DCHECK=Symbols|Instructions
#           -DPROCESSOR=<CMAKE_SYSTEM_PROCESSOR> -P cmake/hygiene.cmake
#
# it checks an archive, and with -DBROKEN=ON it checks that each of the faults of tests/hygiene is found.

cmake_policy(VERSION 3.25)

function(posenc_add_hygiene_tests)
  # Unoptimised code, sanitizers and code for the linker to compile are not what is shipped, and need other symbols.
  get_target_property(interprocedural posenc INTERPROCEDURAL_OPTIMIZATION)
  if(NOT CMAKE_SYSTEM_NAME STREQUAL "Linux" OR NOT CMAKE_NM OR NOT CMAKE_OBJDUMP
     OR interprocedural OR CMAKE_CXX_FLAGS MATCHES "-fsanitize|-flto|--coverage"
     OR NOT CMAKE_BUILD_TYPE MATCHES "^(Release|RelWithDebInfo|MinSizeRel)$")
    return()
  endif()
  add_library(posenc_unhygienic STATIC ${PROJECT_SOURCE_DIR}/tests/hygiene/faults.cc)
  target_compile_features(posenc_unhygienic PRIVATE cxx_std_20)
  foreach(check Symbols Instructions)
    set(command ${CMAKE_COMMAND} -DNM=${CMAKE_NM} -DOBJDUMP=${CMAKE_OBJDUMP} -DCHECK=${check}
                -DPROCESSOR=${CMAKE_SYSTEM_PROCESSOR})
    set(script -P ${PROJECT_SOURCE_DIR}/cmake/hygiene.cmake)
    add_test(NAME Hygiene.${check} COMMAND ${command} -DARCHIVE=$<TARGET_FILE:posenc> ${script})
    add_test(NAME Hygiene.${check}CheckFindsFaults
             COMMAND ${command} -DARCHIVE=$<TARGET_FILE:posenc_unhygienic> -DBROKEN=ON ${script})
    set_tests_properties(Hygiene.${check} Hygiene.${check}CheckFindsFaults PROPERTIES LABELS quick TIMEOUT 120)
  endforeach()
endfunction()

# What every member may need from outside, as regular expressions of mangled names.
set(ALLOWED
    "mem(cpy|move|set|cmp)|bcmp|__mem(cpy|move|set)_chk|str(len|cmp|ncmp)"
    "(frexp|ldexp|sqrt|pow|log|log2|exp|exp2|fma|floor|ceil|trunc|rint|nearbyint|round|lround)f?"
    "__u?(div|mod|divmod|mul)ti[34]|__aarch64_[a-z0-9_]+"                  # the compiler's arithmetic and atomics
    "_GLOBAL_OFFSET_TABLE_|__dso_handle|__stack_chk_fail|__libc_single_threaded|__tls_get_addr"
    "__cxa_atexit|__cxa_guard_(acquire|release)"
    "_Zn[wa][jm]RKSt9nothrow_t|_ZSt7nothrow|_Zd[la]Pv[jm]?"
    "_ZNSt19_Sp_make_shared_tag5_S_eqERKSt9type_info"                      # std::shared_ptr of one allocation,
    "_ZTVN10__cxxabiv1[0-9]+__[a-z_]*class_type_infoE"                     # and its type, which sanitizers look at
    "_ZN3hwy(16SupportedTargetsEv|15GetChosenTargetEv|12chosen_target.*)")
# What heap.cc needs besides: an exception of std::vector, caught.
set(ALLOWED_OF_HEAP
    "__cxa_(begin|end)_catch|__gxx_personality_v0|_ZSt9terminatev|_Unwind_Resume"
    "_Znw[jm]|_ZSt20__throw_length_errorPKc|_ZSt28__throw_bad_array_new_lengthv|_ZSt17__throw_bad_allocv")

# Sets <out> to the sentences about the symbols of the archive.
function(check_symbols out)
  execute_process(COMMAND ${NM} ${ARCHIVE} OUTPUT_VARIABLE listing COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE ";" "," listing "${listing}")
  string(REPLACE "\n" ";" lines "${listing}")
  # Members need one another.
  set(defined "")
  foreach(line IN LISTS lines)
    if(line MATCHES "^[0-9a-f]+ [A-TV-Za-z] ([^ ]+)$")
      set(defined_${CMAKE_MATCH_1} TRUE)
    endif()
  endforeach()
  list(JOIN ALLOWED "|" allowed)
  list(JOIN ALLOWED_OF_HEAP "|" allowed_of_heap)
  set(found "")
  set(members 0)
  foreach(line IN LISTS lines)
    if(line MATCHES "^(.*)[.]o:$")
      set(member "${CMAKE_MATCH_1}")
      math(EXPR members "${members} + 1")
    elseif(line MATCHES "^ +[Uw] ([^ ]+)$")
      set(symbol "${CMAKE_MATCH_1}")
      if(defined_${symbol} OR symbol MATCHES "^(${allowed})$"
         OR (member STREQUAL "heap.cc" AND symbol MATCHES "^(${allowed_of_heap})$"))
        continue()
      endif()
      list(APPEND found "${member} needs ${symbol}")
    elseif(line MATCHES " [tT] (_GLOBAL__sub_I_.*)$")
      list(APPEND found "${member} has code that runs before main: ${CMAKE_MATCH_1}")
    endif()
  endforeach()
  if(members EQUAL 0)
    list(APPEND found "${ARCHIVE} has no members")
  endif()
  set(${out} "${found}" PARENT_SCOPE)
endfunction()

# Sets <out> to the sentences about its instructions.
function(check_instructions out)
  cmake_path(GET CMAKE_CURRENT_LIST_FILE PARENT_PATH here)
  execute_process(
    COMMAND ${OBJDUMP} -d --no-show-raw-insn ${ARCHIVE}
    COMMAND awk -f ${here}/instructions.awk
    OUTPUT_VARIABLE listing COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE ";" "," listing "${listing}")
  string(REPLACE "\n" ";" lines "${listing}")
  set(found "")
  foreach(line IN LISTS lines)
    if(line MATCHES "^functions ([0-9]+) instructions ([0-9]+) highest ([0-9]+)$")
      message(STATUS "${line}")
      if(NOT BROKEN AND (CMAKE_MATCH_2 LESS 10000 OR CMAKE_MATCH_3 LESS 3))
        list(APPEND found "that is not what the kernels are compiled to: ${line}")
      endif()
    elseif(line)
      list(APPEND found "not every CPU runs ${line}")
    endif()
  endforeach()
  set(${out} "${found}" PARENT_SCOPE)
endfunction()

# The faults of tests/hygiene/faults.cc, as what is said of them.
set(FAULTS_Symbols printf abort __cxa_throw __cxa_begin_catch _Znwm _ZSt4cout "before main")
set(FAULTS_Instructions "")
if(PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
  list(APPEND FAULTS_Symbols _ZGVdN4v_sin)
  set(FAULTS_Instructions FaultAvx512 FaultAvx2 FaultFma FaultBmi2 FaultSse41 FaultSsse3)
elseif(PROCESSOR MATCHES "^(aarch64|arm64)$")
  set(FAULTS_Instructions FaultSve)
endif()

if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  if(CHECK STREQUAL "Symbols")
    check_symbols(found)
  else()
    check_instructions(found)
  endif()
  if(NOT BROKEN)
    foreach(sentence IN LISTS found)
      message(SEND_ERROR "${sentence}")
    endforeach()
    return()
  endif()
  foreach(fault IN LISTS FAULTS_${CHECK})
    if(NOT "${found}" MATCHES "${fault}")
      message(SEND_ERROR "${fault} was not found in: ${found}")
    endif()
  endforeach()
  foreach(sentence IN LISTS found)
    if(sentence MATCHES "Allowed")
      message(SEND_ERROR "${sentence}, which is allowed.")
    endif()
  endforeach()
endif()
