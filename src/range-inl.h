// Room kernels: a grid and a range of positions go in, rows rotated by the recurrence go to the store; per target.

#if defined(POSENC_SRC_RANGE_INL_H_TOGGLE) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_SRC_RANGE_INL_H_TOGGLE
#undef POSENC_SRC_RANGE_INL_H_TOGGLE
#else
#define POSENC_SRC_RANGE_INL_H_TOGGLE
#endif

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "src/added_rows-inl.h"
#include "src/blocks-inl.h"
#include "src/bounce-inl.h"
#include "src/grid.h"
#include "src/kernels.h"
#include "src/lanes-inl.h"
#include "src/positions-inl.h"
#include "src/recurrence-inl.h"
#include "src/sincos-inl.h"
#include "src/store-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posenc {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// kPairs: of doubles.
template <bool kPairs>
class RangeKernel {
 public:
  RangeKernel(const FrequencyGrid& grid, const RangePositions& positions, const Output& output)
      : grid_(grid),
        positions_(positions),
        output_(output),
        rows_(grid, positions, output),
        end_(positions.first + static_cast<std::int64_t>(positions.count - 1)) {}

  void Run() const {
    if (positions_.step == 1) {
      // A block of a chunk fits into the buffer of Bounce.
      const std::size_t chunk = kPairs && rows_.output().bounces() ? kChunkGroups / 2 : kChunkGroups;
      // Super-blocks outside: the rows of one stay near each other in memory while all groups pass over them.
      for (std::int64_t super = Floor(positions_.first, kSuperRows);;) {
        for (std::size_t g = 0; g < grid_.groups; g += chunk) {
          Group groups[kChunkGroups];
          const std::size_t count = std::min(chunk, grid_.groups - g);
          for (std::size_t i = 0; i < count; ++i) {
            groups[i] = {FractionsOfGroup(grid_.half, g + i), grid_.rotation + (g + i) * kRotationDoubles,
                         grid_.rotation_low + (g + i) * kRotationDoubles, g + i};
          }
          SuperBlock(groups, count, super);
        }
        if (end_ - super < kSuperRows) break;
        super += kSuperRows;
      }
    } else {
      // Groups outside: the rotations of this step are made once a group.
      for (std::size_t g = 0; g < grid_.groups; ++g) SteppedGroup(g);
    }
    if (rows_.output().has_zero()) {
      hwy::FlushStream();  // what stands there has come from a buffer
      for (std::size_t row = 0; row < positions_.count; ++row) StoreZero<kPairs>(rows_.output(), row);
    }
    hwy::FlushStream();
  }

 private:
  using T = LanesType<kPairs>;
  using AtSuper = GroupAtSuper<kPairs>;
  using Rows = RangeRows<kPairs>;

  // Rows that are written before the next group of a chunk begins: the shorter the runs of a group, the nearer the
  // next ones have to follow, past the caches. Streams of 128 bytes in 256 rows reach 0.7 of a fill here, in 64 rows
  // 0.9. Where sines and cosines have runs of their own, it is 0.68 in 64 rows and 0.94 in the 16 of a block.
  static constexpr int kPartRows = 64;

  // Whether whole blocks that are added to x are written by rows. One lane is too slow for memory to matter, and spares
  // the code.
  static constexpr bool kAddsByRows = HWY_TARGET != HWY_SCALAR;

  static std::int64_t Floor(std::int64_t j, std::int64_t multiple) { return j & ~(multiple - 1); }

  HWY_NOINLINE void SteppedGroup(std::size_t g) const {
    HWY_ALIGN_MAX std::uint64_t step[3][kGroup];
    HWY_ALIGN_MAX double rotation[kRotationDoubles];
    HWY_ALIGN_MAX double rotation_low[kRotationDoubles];
    for (std::size_t k = 0; k < kGroup; ++k) MultiplyFraction(g * kGroup + k, positions_.step, k, step);
    const Group group{{{step[0], step[1], step[2]}}, rotation, rotation_low, g};
    FillGroupRotations(group.half_step, rotation, rotation_low);
    for (std::int64_t super = Floor(positions_.first, kSuperRows);;) {
      SuperBlock(&group, 1, super);
      if (end_ - super < kSuperRows) break;
      super += kSuperRows;
    }
  }

  // to[..][k] = factor * half a position of frequency f, mod 1 turn.
  void MultiplyFraction(std::size_t f, std::uint64_t factor, std::size_t k, std::uint64_t (&to)[3][kGroup]) const {
    Uint128 carry = 0;
    for (int i = 0; i < 3; ++i) {
      carry += Uint128{grid_.half.limb[i][f]} * factor;
      to[i][k] = static_cast<std::uint64_t>(carry);
      carry >>= 64;
    }
  }

  HWY_NOINLINE void SuperBlock(const Group* groups, std::size_t count, std::int64_t super) const {
    const std::int64_t begin = std::max(super, positions_.first);
    const std::int64_t last = end_ - super < kSuperRows ? end_ : super + (kSuperRows - 1);
    AtSuper at_super[kChunkGroups];
    for (std::size_t i = 0; i < count; ++i) {
      at_super[i].group = groups[i];
      at_super[i].super = super;
      at_super[i].is_evaluated = false;
    }
    if (rows_.output().bounces()) return BouncedParts(at_super, count, begin, last);
    Parts(rows_, at_super, count, begin, last);
  }

  // Rows begin .. last, one part after the other.
  HWY_NOINLINE void Parts(const Rows& rows, AtSuper* groups, std::size_t count, std::int64_t begin,
                          std::int64_t last) const {
    const bool in_short_runs = rows.output().in_runs() && rows.output().streams();
    const std::int64_t part_rows = rows.output().adds() || in_short_runs ? kBlockRows : kPartRows;
    for (std::int64_t part = Floor(begin, part_rows);; part += part_rows) {
      const std::int64_t part_last = last - part < part_rows ? last : part + (part_rows - 1);
      Anchored<kPairs> by_rows[kChunkGroups];
      std::size_t waiting = 0;
      const std::int64_t part_begin = std::max(part, begin);
      const bool by_row = kAddsByRows && rows.output().adds() && part_last - part_begin == kBlockRows - 1;
      const double farthest = by_row ? Farthest(rows, part_begin, part_last) : 0.0;
      for (std::size_t i = 0; i < count; ++i) {
        if (by_row && HWY_LIKELY(farthest * grid_.least_radians[groups[i].group.index] >= kSmallRadians<T>)) {
          Anchored<kPairs>& to = by_rows[waiting++];
          if (!groups[i].is_evaluated) Evaluate(groups[i]);
          to.group = &groups[i].group;
          rows.recurrence().RotateAnchors(groups[i].group, groups[i].BlockIndex(part), groups[i].anchors, 0, kGroup,
                                          to.anchors);
        } else {
          GroupInPart(rows, groups[i], part_begin, part_last);
        }
      }
      if constexpr (kAddsByRows) {
        if (waiting != 0) {
          ForType<kPairs>(rows.output().type(), [&](auto t) POSENC_INLINE_LAMBDA {
            RowAdder<decltype(t)>(rows).Block(by_rows, waiting, part);
          });
        }
      }
      if (part_last == last) break;
    }
  }

  HWY_NOINLINE static void WholeBlocks(const Rows& rows, const AtSuper& at, std::int64_t block, std::int64_t count,
                                       std::size_t begin, std::size_t end) {
    ForType<kPairs>(rows.output().type(), [&](auto t) POSENC_INLINE_LAMBDA {
      BlockWriter<decltype(t)>(rows).WholeBlocks(at, block, count, begin, end);
    });
  }

  // Frequencies begin .. below end of a group in a whole block, vector by vector, by the series of small angles: a
  // table of 256 rows with a base of 5e6 is 2.5 times as fast here as row by row. Returns the end of what is written.
  // Doubles, sums and single lanes are left to rows.
  HWY_NOINLINE static std::size_t SmallColumns(const Rows& rows, std::size_t g, std::int64_t block, double farthest,
                                               std::size_t begin, std::size_t end) {
    if constexpr (kPairs || HWY_TARGET == HWY_SCALAR) {
      return begin;
    } else {
      if (rows.output().adds()) return begin;
      const std::size_t lanes = hn::Lanes(Doubles()), whole = rows.WholeVectors(g, begin, end, lanes);
      ColumnWaves waves;
      for (std::size_t k = begin; k < whole; k += lanes) {
        if (!rows.SmallColumn(block, farthest, g * kGroup + k, waves)) return k;
        const bool is_decided = ForType<kPairs>(rows.output().type(), [&](auto t) POSENC_INLINE_LAMBDA {
          return BlockWriter<decltype(t)>(rows).Column(waves, block, g * kGroup + k);
        });
        if (HWY_LIKELY(is_decided)) continue;
        rows.output().Flush();  // what is repaired comes after what was streamed
        return k;
      }
      return whole;
    }
  }

  // The same by way of a buffer, as many rows at a time as it holds.
  HWY_NOINLINE void BouncedParts(AtSuper* groups, std::size_t count, std::int64_t begin, std::int64_t last) const {
    HWY_ALIGN_MAX std::byte buffer[Bounce::kBufferBytes];
    const Bounce bounce(grid_, output_, groups[0].group.index * kGroup, (groups[count - 1].group.index + 1) * kGroup);
    const auto part_rows = static_cast<std::int64_t>(bounce.rows());
    for (std::int64_t part = Floor(begin, part_rows);; part += part_rows) {
      const std::int64_t part_begin = std::max(part, begin);
      const std::int64_t part_last = last - part < part_rows ? last : part + (part_rows - 1);
      const std::size_t row = static_cast<std::size_t>(part_begin - positions_.first);
      const std::size_t part_count = static_cast<std::size_t>(part_last - part_begin) + 1;
      bounce.Prefetch(row, part_count);
      Parts(rows_.In(bounce.To(buffer, row)), groups, count, part_begin, part_last);
      bounce.CopyOut(buffer, row, part_count);
      if (part_last == last) break;
    }
  }

  // The largest |position| of rows begin .. last.
  static double Farthest(const Rows& rows, std::int64_t begin, std::int64_t last) {
    return std::max(std::fabs(static_cast<double>(rows.PositionOfRow(begin))),
                    std::fabs(static_cast<double>(rows.PositionOfRow(last))));
  }

  // Writes a group in rows begin .. last, of some blocks.
  HWY_NOINLINE void GroupInPart(const Rows& rows, AtSuper& at, std::int64_t begin, std::int64_t last) const {
    const std::size_t g = at.group.index;
    const std::size_t end = std::min(kGroup, grid_.shape.sines - g * kGroup);
    std::int64_t whole_blocks = 0;  // that end before this block and are to be written
    for (std::int64_t block = Floor(begin, kBlockRows);; block += kBlockRows) {
      const std::int64_t block_last = last - block < kBlockRows ? last : block + (kBlockRows - 1);
      const BlockRows block_rows{block, std::max(block, begin), block_last};
      const bool whole = block_rows.last - block_rows.begin == kBlockRows - 1;
      const double farthest = Farthest(rows, block_rows.begin, block_rows.last);
      const bool is_small = farthest * grid_.most_radians[g] < kSmallRadians<T>;
      const bool is_mixed = farthest * grid_.least_radians[g] < kSmallRadians<T>;
      if (!is_small && !at.is_evaluated) Evaluate(at);
      if (whole && !is_mixed && !rows.output().adds()) {
        ++whole_blocks;
        if (block_last == last) WholeBlocks(rows, at, block - (whole_blocks - 1) * kBlockRows, whole_blocks, 0, end);
      } else {
        if (whole_blocks != 0) WholeBlocks(rows, at, block - whole_blocks * kBlockRows, whole_blocks, 0, end);
        whole_blocks = 0;
        if (is_small) {
          const std::size_t from = whole ? SmallColumns(rows, g, block, farthest, 0, end) : 0;
          if (from < end) {
            for (std::int64_t j = block_rows.begin;; ++j) {
              rows.Small(g * kGroup + from, g * kGroup + end, j);
              if (j == block_rows.last) break;
            }
          }
        } else {
          Anchors<kPairs> anchors;
          rows.recurrence().RotateAnchors(at.group, at.BlockIndex(block), at.anchors, 0, kGroup, anchors);
          if (is_mixed) {
            MixedBlock(rows, at, anchors, block_rows, farthest);
          } else {
            rows.Decide(at.group, anchors, block_rows, 0, end, false);
          }
        }
      }
      if (block_last == last) break;
    }
  }

  void Evaluate(AtSuper& at) const {
    rows_.recurrence().Evaluate(at.group, at.super, at.anchors);
#if POSENC_WHOLE_VECTORS
    if (output_.type == ElementType::kBFloat16) at.float_rotations.Fill(at.group.rotation);
#endif
    at.is_evaluated = true;
  }

  // A block whose vectors have small angles or not.
  HWY_NOINLINE void MixedBlock(const Rows& rows, const AtSuper& at, const Anchors<kPairs>& anchors,
                               const BlockRows& block_rows, double farthest) const {
    const Doubles d;
    const std::size_t k0 = at.group.index * kGroup;
    const std::size_t end = std::min(kGroup, grid_.shape.sines - k0);
    const bool whole = block_rows.last - block_rows.begin == kBlockRows - 1 && !rows.output().adds();
    const auto block = [&](std::size_t vectors_begin, std::size_t vectors_end) {
      if (vectors_begin >= vectors_end) return;
      if (whole) return WholeBlocks(rows, at, block_rows.block, 1, vectors_begin, vectors_end);
      rows.Decide(at.group, anchors, block_rows, vectors_begin, vectors_end, false);
    };
    std::size_t begin = 0;  // vectors from here to k have no small angle
    for (std::size_t k = 0; k < end; k += hn::Lanes(d)) {
      const Mask small = IsSmall<T>(d, grid_, k0 + k, farthest);
      if (hn::AllFalse(d, small)) continue;
      block(begin, k);
      begin = std::min(k + hn::Lanes(d), end);
      if (whole && SmallColumns(rows, at.group.index, block_rows.block, farthest, k, begin) == begin) continue;
      rows.Decide(at.group, anchors, block_rows, k, begin, true);
    }
    block(begin, end);
  }

  const FrequencyGrid& grid_;
  const RangePositions positions_;
  const Output output_;
  const Rows rows_;
  const std::int64_t end_;  // the last row
};

}  // namespace HWY_NAMESPACE
}  // namespace posenc
HWY_AFTER_NAMESPACE();

#endif  // POSENC_SRC_RANGE_INL_H_TOGGLE
