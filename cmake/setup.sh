#!/bin/sh
# Installs what a build of posenc needs, and does nothing where all of it is there.
#
#     cmake/setup.sh [preset ...]        what the presets demo and test need, and what each named preset needs besides;
#                                        memcheck is for those tests of any preset that valgrind runs
#
# On Debian and Ubuntu through apt-get, as root or with sudo; on macOS through brew; elsewhere it prints the list and
# ends with 1.
set -eu

# One need a line: preset (all: every one), what shows that it is there, Debian package, brew formula (-: part of the
# system). `tool` finds a program, `module` a library that pkg-config knows, at this version or later, `clang` whether
# Clang links with a flag, and `arm64` such a library for the toolchain of cmake/aarch64-linux-gnu.cmake.
needs='
all tool:c++ g++ -
all tool:cmake>=3.25 cmake cmake
all tool:ninja ninja-build ninja
all tool:pkg-config pkg-config pkgconf
all module:libhwy>=1.0.3 libhwy-dev highway
all module:gtest>=1.10 libgtest-dev googletest
all module:mpfr>=4 libmpfr-dev mpfr
all module:sleef>=3.5.1 libsleef-dev sleef
all module:benchmark>=1.6 libbenchmark-dev google-benchmark
all module:CLI11>=2 libcli11-dev cli11
all module:libpng>=1.6 libpng-dev libpng
bench module:eigen3>=3.3 libeigen3-dev eigen
clang tool:clang++ clang -
asan tool:clang++ clang -
asan clang:-fsanitize=address libclang-rt-dev -
tsan tool:clang++ clang -
tsan clang:-fsanitize=address libclang-rt-dev -
fuzz tool:clang++ clang -
fuzz clang:-fsanitize=address libclang-rt-dev -
memcheck tool:valgrind valgrind -
docs tool:doxygen doxygen doxygen
lint tool:clang++ clang llvm
lint tool:clang-format clang-format llvm
lint tool:run-clang-tidy clang-tidy llvm
emulated tool:qemu-x86_64-static qemu-user-static -
aarch64 tool:aarch64-linux-gnu-g++ g++-aarch64-linux-gnu -
aarch64 tool:qemu-aarch64-static qemu-user-static -
aarch64 arm64:libhwy>=1.0.3 libhwy-dev:arm64 -
aarch64 arm64:gtest>=1.10 libgtest-dev:arm64 -
aarch64 arm64:mpfr>=4 libmpfr-dev:arm64 -
aarch64 arm64:sleef>=3.5.1 libsleef-dev:arm64 -
'

for preset in "$@"; do
  case $preset in
    demo | test | bench | profile | asan | tsan | fuzz | memcheck | clang | docs | lint | emulated | aarch64) ;;
    *)
      echo "cmake/setup.sh: there is no preset '$preset', but demo, test, bench, profile, asan, tsan, fuzz, clang," \
        "docs, lint, emulated and aarch64; and memcheck, for tests in valgrind" >&2
      exit 2
      ;;
  esac
done

# at_least 3.25.1 3.25: succeeds if the first version is the second or later.
at_least() {
  [ "$(printf '%s\n%s\n' "$2" "$1" | sort -t. -k1,1n -k2,2n -k3,3n | head -n 1)" = "$2" ]
}

# is_there tool:cmake>=3.25: succeeds if the machine has it.
is_there() {
  name=${1#*:}
  version=
  case $name in
    *'>='*)
      version=${name#*>=}
      name=${name%%>=*}
      ;;
  esac
  case $1 in
    tool:*)
      command -v "$name" >/dev/null || return 1
      [ -z "$version" ] || at_least "$("$name" --version | sed -n '1s/[^0-9]*\([0-9.]*\).*/\1/p')" "$version"
      ;;
    module:*) command -v pkg-config >/dev/null && pkg-config --exists "$name >= $version" ;;
    clang:*)
      command -v clang++ >/dev/null && echo 'int main() {}' | clang++ "$name" -x c++ -o /dev/null - 2>/dev/null
      ;;
    arm64:*)
      command -v pkg-config >/dev/null &&
        PKG_CONFIG_LIBDIR=/usr/lib/aarch64-linux-gnu/pkgconfig:/usr/share/pkgconfig pkg-config --exists "$name >= $version"
      ;;
  esac
}

# missing 1|2|3: that field of every need of the presets that the machine does not have.
missing() {
  field=$1
  shift
  echo "$needs" | while read -r preset probe debian brew; do
    case " all $* " in
      *" ${preset:-none} "*) is_there "$probe" || echo "$probe $debian $brew" | cut -d ' ' -f "$field" ;;
    esac
  done
}

if [ -z "$(missing 1 "$@")" ]; then
  exit 0
fi

as_root=
[ "$(id -u)" -eq 0 ] || as_root=sudo

if [ "$(uname -s)" = Darwin ] && command -v brew >/dev/null; then
  packages=$(missing 3 "$@" | grep -v '^-$' || true)
  # shellcheck disable=SC2086  # one argument a package
  [ -z "$packages" ] || brew install $packages
elif command -v apt-get >/dev/null && { [ -z "$as_root" ] || command -v sudo >/dev/null; }; then
  packages=$(missing 2 "$@")
  apt="$as_root env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300"
  case $packages in
    *:arm64*) $as_root dpkg --add-architecture arm64 ;;
  esac
  $apt update
  # shellcheck disable=SC2086
  $apt install -y --no-install-recommends $packages
else
  echo "cmake/setup.sh: install these, by their Debian names, and run it again:" >&2
  missing 2 "$@" >&2
  exit 1
fi

left=$(missing 1 "$@")
if [ -n "$left" ]; then
  echo "cmake/setup.sh: the packages of this system do not give" >&2
  echo "$left" >&2
  exit 1
fi
