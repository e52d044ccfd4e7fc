# The API reference: the public headers go in, html/index.html in the directory docs of the build comes out. include()
# of this file gives posenc_add_docs_target(), which adds the target `docs`. It fails at a name without a comment.

function(posenc_add_docs_target)
  find_program(POSENC_DOXYGEN NAMES doxygen)
  mark_as_advanced(POSENC_DOXYGEN)
  if(NOT POSENC_DOXYGEN)
    add_custom_target(docs COMMAND ${CMAKE_COMMAND} -E echo "doxygen is needed: cmake/setup.sh docs installs it"
                      COMMAND ${CMAKE_COMMAND} -E false VERBATIM)
    return()
  endif()
  set(POSENC_DOCS_DIR ${PROJECT_BINARY_DIR}/docs)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/Doxyfile.in ${POSENC_DOCS_DIR}/Doxyfile @ONLY)
  add_custom_target(
    docs
    COMMAND ${POSENC_DOXYGEN} ${POSENC_DOCS_DIR}/Doxyfile
    COMMAND ${CMAKE_COMMAND} -E echo "${POSENC_DOCS_DIR}/html/index.html"
    VERBATIM)
endfunction()
