// Room door: the floating-point mode of the calling thread goes in and comes back; in between it is IEEE 754's default.
//
// The kernels need round to nearest and subnormals kept (no FTZ, DAZ or FZ), and no exception may trap. The caller may
// have set anything, and finds it as it was, flags included.

#ifndef POSENC_SRC_FLOAT_MODE_H_
#define POSENC_SRC_FLOAT_MODE_H_

#include <cstdint>

#if defined(__x86_64__) || defined(_M_X64) || defined(__SSE2__)
#include <xmmintrin.h>
#elif !defined(__aarch64__)
#include <cfenv>
#endif

namespace posenc {

class DefaultFloatMode {
 public:
  DefaultFloatMode(const DefaultFloatMode&) = delete;
  DefaultFloatMode& operator=(const DefaultFloatMode&) = delete;

#if defined(__x86_64__) || defined(_M_X64) || defined(__SSE2__)
  // Writing takes longer than a short row, and most callers have changed nothing but flags, which stay set.
  DefaultFloatMode() noexcept : saved_(_mm_getcsr()) {
    constexpr unsigned kPowerOn = 0x1F80, kFlags = 0x3F;
    if ((saved_ & ~kFlags) != kPowerOn) _mm_setcsr(kPowerOn);
  }
  ~DefaultFloatMode() {
    if (_mm_getcsr() != saved_) _mm_setcsr(saved_);
  }

 private:
  unsigned saved_;
#elif defined(__aarch64__)
  DefaultFloatMode() noexcept {
    __asm__ volatile("mrs %0, fpcr" : "=r"(control_));
    __asm__ volatile("mrs %0, fpsr" : "=r"(status_));
    __asm__ volatile("msr fpcr, %0" : : "r"(std::uint64_t{0}));
  }
  ~DefaultFloatMode() {
    __asm__ volatile("msr fpcr, %0" : : "r"(control_));
    __asm__ volatile("msr fpsr, %0" : : "r"(status_));
  }

 private:
  std::uint64_t control_;
  std::uint64_t status_;
#else
  DefaultFloatMode() noexcept {
    std::fegetenv(&saved_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~DefaultFloatMode() { std::fesetenv(&saved_); }

 private:
  std::fenv_t saved_;
#endif
};

}  // namespace posenc

#endif  // POSENC_SRC_FLOAT_MODE_H_
