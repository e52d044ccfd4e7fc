# The disassembly of an archive (objdump -d --no-show-raw-insn) goes in; a line for each function comes out that has
# instructions beyond the architecture's baseline and does not belong to a namespace that is compiled for them, with the
# first such instruction. The linker keeps one copy of an inline function, and every CPU runs it.
#
# What a namespace may have: N_SSSE3 up to SSSE3, N_SSE4 up to SSE4.2, N_AVX2 up to AVX2, BMI2 and FMA, N_AVX3... all.
# N_NEON the baseline of 64-bit ARM, N_SVE... SVE.

function level_of_symbol(symbol) {
  if (symbol ~ /N_(AVX3|AVX10)/) return 4
  if (symbol ~ /N_AVX2/) return 3
  if (symbol ~ /N_SSE4/) return 2
  if (symbol ~ /N_SSSE3/) return 1
  if (symbol ~ /N_SVE/) return 4
  return 0
}

function level_of_instruction(mnemonic, operands) {
  if (operands ~ /%zmm|%[xyz]mm(1[6-9]|2[0-9]|3[01])|%k[0-7]/) return 4
  if (operands ~ /%ymm/ || mnemonic ~ /^v/) return 3
  if (mnemonic ~ /^(andn|bextr|blsi|blsmsk|blsr|bzhi|mulx|pdep|pext|rorx|sarx|shlx|shrx)[lq]?$/) return 3
  if (mnemonic ~ /^(round[ps][sd]|blend|pblend|p(min|max)(sb|uw|sd|ud)$|pmulld|pmuldq|ptest|pcmp(eqq|gtq|.str)|pmov[sz]x)/) return 2
  if (mnemonic ~ /^(packusdw|p(ext|ins)r[bdq]|insertps|extractps|dpp[sd]|mpsadbw|phminpos|movntdqa|crc32|popcnt)/) return 2
  if (mnemonic ~ /^(pshufb|pabs[bwd]|palignr|psign[bwd]|ph(add|sub)|pmaddubsw|pmulhrsw|movddup|movs[hl]dup|h(add|sub)p|addsub|lddqu)/) return 1
  if (operands ~ /(^|[ ,{\[])(z[0-9]+([.,\]]|$)|p[0-9]+([.\/]|$))/) return 4
  return 0
}

/^[0-9a-f]+ <.*>:$/ {
  symbol = $2
  allowed = level_of_symbol(symbol)
  reported = 0
  ++functions
  next
}

/^ *[0-9a-f]+:[ \t]/ {
  ++instructions
  if (reported || symbol == "") next
  line = $0
  sub(/^ *[0-9a-f]+:[ \t]+/, "", line)
  sub(/ +[#<].*$/, "", line)
  mnemonic = line
  sub(/[ \t].*$/, "", mnemonic)
  operands = line
  sub(/^[^ \t]+[ \t]*/, "", operands)
  level = level_of_instruction(mnemonic, operands)
  if (level > highest) highest = level
  if (level > allowed) {
    print symbol " " line
    reported = 1
  }
}

END { print "functions " functions " instructions " instructions " highest " highest }
