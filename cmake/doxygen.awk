# A header of posenc goes in; out comes what Doxygen takes for documentation: every // comment before a declaration and
# every one behind it, and the same of C's comments. Lines stay where they are, so that warnings name the right ones.

# The comment that the file begins with is about the file.
NR == 1 && /^\/\/ / {
  sub(/^\/\/ /, "/// \\file\n/// ")
}
NR == 1 && /^\/\* / {
  sub(/^\/\* /, "/** \\file\n * ")
}

# Headings between sections, and comments of what Doxygen does not see.
/^ *\/\/ -{4} / || /^(#|}|extern)/ {
  if (/^ *\/\//) print ""
  else print
  next
}

{
  if (/^ *\/\/( |$)/) sub(/\/\//, "///")
  else if (/^ *\/\*( |$)/) sub(/\/\*/, "/**")
  else if (/[^ ] +\/\/ /) sub(/\/\/ /, "///< ")
  else if (/[^ ] +\/\* /) sub(/\/\* /, "/**< ")
  print
}
