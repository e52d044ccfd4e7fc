# Toolchain: on an x86-64 Debian, builds programs for 64-bit ARM and runs them under QEMU, with every instruction set
# that it emulates. `cmake/setup.sh aarch64` installs the cross compiler, the arm64 libraries and QEMU.

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static -cpu max)

# Debian keeps the headers of all architectures in /usr/include, and CMake finds libraries and packages of this one by
# CMAKE_LIBRARY_ARCHITECTURE; pkg-config has to be told.
set(ENV{PKG_CONFIG_LIBDIR} /usr/lib/aarch64-linux-gnu/pkgconfig:/usr/share/pkgconfig)
