// Positions from a file: a .npy or a text goes in, blocks of exact positions come out.

#include "src/cli/position_file.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string_view>
#include <type_traits>

#include "src/cli/npy_input.h"
#include "src/cli/numbers.h"
#include "src/cli/spec_options.h"

namespace posenc::cli {
namespace {

constexpr std::size_t kMostInBlock = 8192;

// No double holds all integers beyond this one.
constexpr std::int64_t kLargestExact = std::int64_t{1} << 53;

struct StoredHalf {
  std::uint16_t bits;
};

double RealOf(StoredHalf half) noexcept {
  const int exponent = half.bits >> 10 & 31;
  const int fraction = half.bits & 1023;
  double magnitude = std::ldexp(exponent == 0 ? fraction : fraction + 1024, std::max(exponent, 1) - 25);
  if (exponent == 31) {
    using Limits = std::numeric_limits<double>;
    magnitude = fraction == 0 ? Limits::infinity() : Limits::quiet_NaN();
  }
  return (half.bits & 0x8000) != 0 ? -magnitude : magnitude;
}

double RealOf(double real) noexcept { return real; }

template <class Item>
bool WidenItems(const char* items, std::size_t count, std::vector<std::int64_t>* integers, std::vector<double>* reals) {
  for (std::size_t i = 0; i < count; ++i) {
    Item item;
    std::memcpy(&item, items + i * sizeof(Item), sizeof(Item));
    if constexpr (std::is_integral_v<Item>) {
      integers->push_back(static_cast<std::int64_t>(item));
      if constexpr (std::is_same_v<Item, std::uint64_t>) {
        if (integers->back() < 0) return false;
      }
    } else {
      reals->push_back(RealOf(item));
    }
  }
  return true;
}

struct StoredType {
  const char* kind;
  bool (*widen)(const char*, std::size_t, std::vector<std::int64_t>*, std::vector<double>*);
};

// All that ParseNpyHeader lets pass.
constexpr StoredType kStoredTypes[] = {
    {"i1", WidenItems<std::int8_t>},   {"i2", WidenItems<std::int16_t>},  {"i4", WidenItems<std::int32_t>},
    {"i8", WidenItems<std::int64_t>},  {"u1", WidenItems<std::uint8_t>},  {"u2", WidenItems<std::uint16_t>},
    {"u4", WidenItems<std::uint32_t>}, {"u8", WidenItems<std::uint64_t>}, {"f2", WidenItems<StoredHalf>},
    {"f4", WidenItems<float>},         {"f8", WidenItems<double>},
};

bool IsPosition(double real) noexcept { return !std::isfinite(real) || std::fabs(real) <= 0x1p63; }

}  // namespace

Outcome PositionFile::Open(const std::string& path) {
  Outcome outcome = input_.Open("--positions-file", path);
  if (outcome.done()) outcome = input_.MakeSeekable();
  if (!outcome.done()) return outcome;
  integers_.reserve(kMostInBlock);
  reals_.reserve(kMostInBlock);
  char first[kByteOrderMark.size()] = {};
  std::size_t got = 0;
  outcome = input_.Read(first, sizeof(first), &got);
  if (std::string_view(first, got) == kByteOrderMark) begin_ = got;
  if (outcome.done()) outcome = input_.SeekTo(begin_);
  if (!outcome.done()) return outcome;
  // No text begins with the first byte of a .npy, neither in ASCII nor in UTF-8.
  outcome = first[0] == '\x93' ? OpenNpy() : CountText();
  return outcome.done() ? Begin() : outcome;
}

Outcome PositionFile::OpenNpy() {
  NpyArray array;
  Outcome outcome = ReadNpyHeader(&input_, kNpyNumbers, &array, &begin_);
  if (!outcome.done()) return outcome;
  if (!array.is_native) {
    return Failure(input_.named() + " must hold numbers in the byte order of this machine, not " + Quoted(array.descr));
  }
  const auto* const type =
      std::ranges::find_if(kStoredTypes, [&](const StoredType& stored) { return array.kind == stored.kind; });
  widen_ = type->widen;
  item_bytes_ = array.item_bytes;
  items_.resize(kMostInBlock * item_bytes_);
  count_ = array.count;
  for (row_ = 0; outcome.done() && row_ < count_; row_ += integers_.size() + reals_.size()) {
    outcome = ReadBlock(kMostInBlock);
  }
  return outcome;
}

Outcome PositionFile::CountText() {
  for (;;) {
    Outcome outcome = ReadBlock(kMostInBlock);
    const std::size_t read = integers_.size() + reals_.size();
    if (!outcome.done() || read == 0) return outcome;
    row_ += read;
    count_ = row_;
  }
}

Outcome PositionFile::Begin() {
  row_ = 0;
  text_.Restart();
  ahead_.reset();
  return input_.SeekTo(begin_);
}

Outcome PositionFile::ReadItems(std::size_t count) {
  Outcome outcome = input_.ReadAll(items_.data(), count * item_bytes_);
  if (!outcome.done() || widen_(items_.data(), count, &integers_, &reals_)) return outcome;
  return Failure(input_.named() + " must hold positions of at most 2^63 - 1; position " +
                 std::to_string(row_ + integers_.size() - 1) + " (from 0) is " +
                 std::to_string(static_cast<std::uint64_t>(integers_.back())));
}

Outcome PositionFile::ReadText(std::size_t most) {
  for (std::size_t read = 0; read < most; ++read) {
    if (!ahead_) {
      bool end = false;
      PositionText::Number number;
      Outcome outcome = text_.Next(&input_, &number, &end);
      if (!outcome.done() || end) return outcome;
      ahead_ = number;
    }
    // A block is of one kind. An integer that is a double too need not end a block of reals.
    const std::int64_t* const integer = std::get_if<std::int64_t>(&*ahead_);
    if (integer == nullptr && integers_.empty()) {
      reals_.push_back(std::get<double>(*ahead_));
    } else if (integer != nullptr && reals_.empty()) {
      integers_.push_back(*integer);
    } else if (integer != nullptr && *integer >= -kLargestExact && *integer <= kLargestExact) {
      reals_.push_back(static_cast<double>(*integer));
    } else {
      return Done();
    }
    ahead_.reset();
  }
  return Done();
}

Outcome PositionFile::ReadBlock(std::size_t most) {
  integers_.clear();
  reals_.clear();
  Outcome outcome = widen_ == nullptr
                        ? ReadText(most)
                        : ReadItems(static_cast<std::size_t>(std::min<std::uint64_t>(most, count_ - row_)));
  if (!outcome.done()) return outcome;
  const auto wrong = std::ranges::find_if_not(reals_, IsPosition);
  if (wrong == reals_.end()) return Done();
  return Failure(input_.named() + ": " + SentenceOf(Error::kPosition) + "; position " +
                 std::to_string(row_ + static_cast<std::uint64_t>(wrong - reals_.begin())) + " (from 0) is " +
                 FormatNumber(*wrong));
}

Outcome PositionFile::Next(std::size_t most_rows, PositionBlock* block) {
  Outcome outcome = row_ == count_ ? Begin() : Done();
  if (outcome.done()) {
    outcome = ReadBlock(static_cast<std::size_t>(std::min<std::uint64_t>({most_rows, kMostInBlock, count_ - row_})));
  }
  if (!outcome.done()) return outcome;
  const std::size_t rows = integers_.size() + reals_.size();
  if (rows == 0) return Failure(input_.named() + " must not change while it is read");
  row_ += rows;
  if (reals_.empty()) {
    *block = std::span<const std::int64_t>(integers_);
  } else {
    *block = std::span<const double>(reals_);
  }
  return Done();
}

}  // namespace posenc::cli
