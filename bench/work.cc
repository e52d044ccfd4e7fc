// Bench, work: a Case goes in, what makes one pass of it comes out.

#include "bench/work.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <utility>

#include "bench/check.h"
#include "posenc/posenc.h"

namespace posenc_bench {
namespace {

using posenc::Encoder;
using posenc::Rows;

// An error here is one of the benchmark.
void Require(posenc::Error error) {
  if (error == posenc::Error::kNone) return;
  static_cast<void>(std::fprintf(stderr, "posenc_bench: %s\n", posenc::Message(error)));
  std::abort();
}

// Memory, inputs, and the fill. Leaves `run` to be set.
Work Prepared(const Case& c) {
  Work work;
  work.c = c;
  work.inputs = std::make_shared<const Inputs>(InputsOf(c));
  work.next_pass = std::make_shared<std::size_t>(0);
  const std::size_t bytes = c.SpannedBytes();
  if (c.pages == PageState::kFresh) {
    work.fresh = std::make_shared<TableMemory>(bytes, PageState::kFresh);
    work.memory = work.fresh.get();
  } else {
    work.memory = WarmMemory(MemoryUse::kOut, bytes);
  }
  TableMemory* x_memory = nullptr;
  const bool out_of_place = c.ReadsX() && !c.in_place;
  if (out_of_place) x_memory = WarmMemory(MemoryUse::kX, bytes);
  if (work.memory == nullptr || work.memory->data() == nullptr || (out_of_place && x_memory == nullptr)) {
    work.error = "not enough free memory";
    return work;
  }
  work.out = static_cast<unsigned char*>(work.memory->data()) + c.misalignment;
  if (out_of_place) work.x = static_cast<unsigned char*>(x_memory->data()) + c.misalignment;
  if (c.in_place) work.x = work.out;
  if (work.x != nullptr) FillX(c.format, work.x, bytes - c.misalignment);
  return work;
}

// What the memory could do with the bytes of the case; and the libm loop, where posenc is called in place of it.
void AddBaselines(Work& work) {
  const Case& c = work.c;
  if (c.op == Op::kSimilarity) return;
  // A fill of x would change what is added: in place, other memory is filled.
  if (!c.in_place) {
    work.baselines.push_back(Fill(work.out, c.Bytes()));
  } else if (TableMemory* other = WarmMemory(MemoryUse::kX, c.Bytes())) {
    work.baselines.push_back(Fill(other->data(), c.Bytes()));
  }
  if (work.x != nullptr && !c.in_place) work.baselines.push_back(Copy(work.x, work.out, c.Bytes()));
  if (c.in_place) work.baselines.push_back(Scale(work.out, c.Bytes(), c.format.Bytes()));
  if (c.op == Op::kEncodeRange || c.op == Op::kEncode) {
    work.baselines.push_back(Libm(c.spec, c.rows, *work.inputs));
  }
}

// A pass of rows of T, each written by call(pass).
template <class Call>
void SetRun(Work& work, Call call) {
  work.run = [call = std::move(call), next = work.next_pass, out = work.out](std::size_t passes) mutable {
    std::size_t pass = *next;
    for (const std::size_t end = pass + passes; pass != end; ++pass) {
      call(pass);
      Observe(out);
    }
    *next = pass;
  };
}

// Half of the columns of a grid.
struct GridAxes {
  Encoder encoder;
  std::vector<double> slow;
  std::vector<double> fast;
};

std::vector<double> Counting(std::size_t count) {
  std::vector<double> reals(count);
  for (std::size_t i = 0; i < count; ++i) reals[i] = static_cast<double>(i);
  return reals;
}

template <class T>
void SetGridRun(Work& work, const Encoder& encoder, const Rows<T>& out) {
  const std::size_t fast = FastAxisLength(work.c.rows);
  const auto axes = std::make_shared<const GridAxes>(GridAxes{encoder, Counting(work.c.rows / fast), Counting(fast)});
  SetRun(work, [axes, out, half = work.c.spec.dim / 2](std::size_t) {
    const posenc::Axis both[] = {{&axes->encoder, axes->slow, 0}, {&axes->encoder, axes->fast, half}};
    Require(posenc::EncodeGrid(std::span<const posenc::Axis>(both), out));
  });
}

template <class T>
void SetPosencRun(Work& work, const Encoder& encoder) {
  const Case& c = work.c;
  const std::shared_ptr<const Inputs> inputs = work.inputs;
  const std::size_t stride = c.padding == 0 ? 0 : c.Stride();
  const Rows<T> out = {static_cast<T*>(work.out), c.rows, stride};
  const Rows<const T> x = {static_cast<const T*>(work.x), c.rows, stride};
  switch (c.op) {
    case Op::kEncodeRange:
      SetRun(work, [=](std::size_t pass) { Require(encoder.EncodeRange(inputs->Start(pass), out)); });
      return;
    case Op::kEncode:
      if (inputs->integers.empty()) {
        SetRun(work, [=](std::size_t) { Require(encoder.Encode(std::span<const double>(inputs->reals), out)); });
      } else {
        SetRun(work,
               [=](std::size_t) { Require(encoder.Encode(std::span<const std::int64_t>(inputs->integers), out)); });
      }
      return;
    case Op::kEncodeAddRange:
      SetRun(work, [=, scale = c.XScale()](std::size_t pass) {
        Require(encoder.EncodeAddRange(inputs->Start(pass), scale, x, out));
      });
      return;
    case Op::kEncodePlanes: {
      const Rows<T> sin = {out.data, c.rows, 0};
      const Rows<T> cos = {out.data + c.rows * (c.spec.dim / 2), c.rows, 0};
      SetRun(work, [=](std::size_t pass) { Require(encoder.EncodePlanes(inputs->Start(pass), sin, cos)); });
      return;
    }
    case Op::kRotate:
      SetRun(work, [=, shape = posenc::HeadShape{c.heads, 0}](std::size_t) {
        Require(encoder.Rotate(std::span<const std::int64_t>(inputs->integers), shape, x, out));
      });
      return;
    case Op::kSimilarity:
      SetRun(work, [=, sums = std::span<double>(static_cast<double*>(work.out), c.rows)](std::size_t) {
        Require(encoder.Similarity(inputs->integers, sums));
      });
      return;
    case Op::kEncodeGrid:
      SetGridRun(work, encoder, out);
      return;
  }
}

}  // namespace

void Work::Restart() const {
  *next_pass = 0;
  std::memset(memory->data(), 0x3f, c.SpannedBytes());
  if (x != nullptr) FillX(c.format, x, c.SpannedBytes() - c.misalignment);
}

Work PosencWork(const Case& c) {
  Work work = Prepared(c);
  if (!work.error.empty()) return work;
  const posenc::Result<Encoder> made = Encoder::Make(c.op == Op::kEncodeGrid ? AxisSpec(c.spec) : c.spec);
  if (!made) {
    work.error = posenc::Message(made.error);
    return work;
  }
  VisitType(c.format, [&]<class T>(T) { SetPosencRun<T>(work, made.value); });
  AddBaselines(work);
  return work;
}

Work PeerWork(const Case& c, const Peer& peer) {
  Work work = Prepared(c);
  if (!work.error.empty()) return work;
  const auto frequencies = std::make_shared<const Frequencies>(c.spec);
  LoopJob job = JobFor(c.spec, *frequencies, static_cast<float*>(work.out));
  job.rows = c.rows;
  SetRun(work, [job, frequencies, inputs = work.inputs, loop = peer.loop](std::size_t pass) mutable {
    SetPositions(*inputs, pass, 0, job);
    loop(job);
  });
  AddBaselines(work);
  return work;
}

Work FillWork(const Case& c) {
  Work work = Prepared(c);
  if (!work.error.empty()) return work;
  work.run = Fill(work.out, c.Bytes()).run;
  work.baselines.push_back(Fill(work.out, c.Bytes()));
  return work;
}

}  // namespace posenc_bench
