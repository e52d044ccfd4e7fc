// Bench, work: a Case goes in, what makes one pass of it comes out: calls of posenc, or the loop of a peer, on memory
// in the state that the case asks for, with the baselines to compare with.

#ifndef POSENC_BENCH_WORK_H_
#define POSENC_BENCH_WORK_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bench/baselines.h"
#include "bench/case.h"
#include "bench/inputs.h"
#include "bench/measure.h"
#include "bench/memory.h"
#include "bench/peers.h"

namespace posenc_bench {

// Ready to run, or `error` says why not. What run refers to lives as long as this object.
struct Work {
  std::string error;
  Case c;
  std::shared_ptr<const Inputs> inputs;
  void* out = nullptr;            // the first row
  void* x = nullptr;              // as `out` in place; null if the case reads nothing
  TableMemory* memory = nullptr;  // `out` is in it
  std::shared_ptr<TableMemory> fresh;
  std::shared_ptr<std::size_t> next_pass;
  Repeat run;
  std::vector<Baseline> baselines;

  // The next pass is the first one, what it reads is as it was, and what it writes is not there yet.
  void Restart() const;
};

// posenc on the target that Highway is set to.
Work PosencWork(const Case& c);

// `peer` on a case of EncodeRange or Encode, interleaved floats.
Work PeerWork(const Case& c, const Peer& peer);

// memset measured as if it were a subject: how far fill_ratio is from 1 is the noise of this machine.
Work FillWork(const Case& c);

}  // namespace posenc_bench

#endif  // POSENC_BENCH_WORK_H_
