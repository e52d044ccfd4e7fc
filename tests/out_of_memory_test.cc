// Tests of every allocation that fails: Make, the presets and the C API say so by a value, whichever allocation it was,
// and give back what they had.

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <vector>

#include "posenc/c_api.h"
#include "posenc/posenc.h"
#include "posenc/presets.h"

namespace {

// Allocations until one fails; negative: none does. The tests run on one thread.
int g_until_failure = -1;
int g_blocks = 0;  // allocated and not given back

void* Allocate(std::size_t size) noexcept {
  if (g_until_failure == 0) return nullptr;
  if (g_until_failure > 0) --g_until_failure;
  void* const block = std::malloc(size == 0 ? 1 : size);
  if (block != nullptr) ++g_blocks;
  return block;
}

void* AllocateOrThrow(std::size_t size) {
  void* const block = Allocate(size);
  if (block == nullptr) throw std::bad_alloc();
  return block;
}

void Free(void* block) noexcept {
  if (block != nullptr) --g_blocks;
  std::free(block);
}

}  // namespace

void* operator new(std::size_t size) { return AllocateOrThrow(size); }
void* operator new[](std::size_t size) { return AllocateOrThrow(size); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return Allocate(size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return Allocate(size); }
void operator delete(void* block) noexcept { Free(block); }
void operator delete[](void* block) noexcept { Free(block); }
void operator delete(void* block, std::size_t) noexcept { Free(block); }
void operator delete[](void* block, std::size_t) noexcept { Free(block); }
void operator delete(void* block, const std::nothrow_t&) noexcept { Free(block); }
void operator delete[](void* block, const std::nothrow_t&) noexcept { Free(block); }

namespace posenc::test {
namespace {

// Calls attempt() with the first allocation failing, then with the second, and so on, until it says that it succeeded.
// Returns how many failed. What it did must have no block left when it returns.
template <class Attempt>
int FailuresOf(const Attempt& attempt) {
  for (int failures = 0; failures < 100; ++failures) {
    const int before = g_blocks;
    g_until_failure = failures;
    const bool succeeded = attempt();
    g_until_failure = -1;
    EXPECT_EQ(g_blocks, before) << "after " << failures << " allocations";
    if (succeeded) return failures;
  }
  ADD_FAILURE() << "a hundred allocations";
  return 100;
}

TEST(OutOfMemory, OfMakeIsAnError) {
  EXPECT_EQ(FailuresOf([] {
              const Result<Encoder> made = Encoder::Make({.dim = 512});
              EXPECT_TRUE(made.error == Error::kNone || made.error == Error::kMemory);
              EXPECT_EQ(made.value.spec().dim, made ? 512u : 0u);
              return static_cast<bool>(made);
            }),
            2);  // the encoder with its counts, and the tables
}

TEST(OutOfMemory, OfMakeWithFrequenciesIsAnError) {
  Spec spec{.dim = 6};
  spec.inv_freq = {1.0, 0.5, 0.25};
  EXPECT_EQ(FailuresOf([&] {
              const Result<Encoder> made = Encoder::Make(spec);
              EXPECT_TRUE(made.error == Error::kNone || made.error == Error::kMemory);
              return static_cast<bool>(made);
            }),
            3);
}

TEST(OutOfMemory, OfAnEncoderOfCIsACode) {
  const std::vector<double> inv_freq = {1.0, 0.5, 0.25};
  posenc_spec spec = posenc_default_spec(6);
  spec.inv_freq = inv_freq.data();
  spec.inv_freq_count = inv_freq.size();
  EXPECT_EQ(FailuresOf([&] {
              posenc_encoder* encoder = nullptr;
              const int code = posenc_make(&spec, &encoder);
              EXPECT_TRUE(code == 0 || code == static_cast<int>(Error::kMemory)) << posenc_message(code);
              EXPECT_EQ(encoder != nullptr, code == 0);
              posenc_free(encoder);
              return code == 0;
            }),
            5);
}

TEST(OutOfMemory, OfAGridOfManyAxesIsACode) {
  const posenc_spec spec = posenc_default_spec(2);
  posenc_encoder* encoder = nullptr;
  ASSERT_EQ(posenc_make(&spec, &encoder), 0);
  const double position = 1.0;
  std::vector<posenc_axis> axes;
  for (std::size_t i = 0; i < 9; ++i) axes.push_back({encoder, &position, 1, 2 * i});
  std::vector<float> row(18, -1.0f);
  const std::vector<float> untouched = row;
  EXPECT_EQ(FailuresOf([&] {
              const int code = posenc_encode_grid(axes.data(), axes.size(), 1, POSENC_F32, row.data(), 0);
              EXPECT_TRUE(code == 0 || code == static_cast<int>(Error::kMemory)) << posenc_message(code);
              EXPECT_TRUE(code == 0 || row == untouched);
              return code == 0;
            }),
            1);
  posenc_free(encoder);
}

TEST(OutOfMemory, OfAPresetIsASpecThatMakeRefuses) {
  EXPECT_GT(FailuresOf([] {
              const presets::Preset preset = presets::RopeLlama3(64);
              if (!preset.spec.inv_freq.empty()) return true;
              EXPECT_TRUE(std::isnan(preset.spec.base));
              return false;
            }),
            2);
}

TEST(OutOfMemory, OfFrequenciesIsAnEmptyList) {
  Spec spec{.dim = 6};
  spec.inv_freq = {1.0, 0.5, 0.25};
  for (const Spec& of : {Spec{.dim = 6}, spec}) {
    EXPECT_GE(FailuresOf([&] { return !presets::InvFreq(of).empty(); }), 3);
  }
}

}  // namespace
}  // namespace posenc::test
