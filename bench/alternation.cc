// Bench, alternation: a subject and its baselines go in, rounds of their times come out.

#include "bench/alternation.h"

namespace posenc_bench {

Alternation::Alternation(const Repeat& subject, const std::vector<Baseline>& baselines, TableMemory& memory,
                         const Effort& effort, Rounds& rounds)
    : subject_(subject), baselines_(baselines), memory_(memory), rounds_(rounds) {
  const bool warm = memory.state() == PageState::kWarm;
  rounds_.baselines.resize(baselines.size());
  for (const Baseline& baseline : baselines) {
    const bool many = warm || baseline.own_memory;
    baseline_passes_.push_back(many ? PassesPerSample(baseline.run, effort) : 1);
  }
  if (warm) passes_ = PassesPerSample(subject_, effort);
}

void Alternation::RunSubject() {
  const std::int64_t faults = PageFaults();
  rounds_.subject.push_back(SecondsPerPass(subject_, passes_));
  page_faults_ = PageFaults() - faults;
}

void Alternation::RunBaselines() {
  for (std::size_t b = 0; b < baselines_.size(); ++b) {
    memory_.Renew();
    const double seconds = SecondsPerPass(baselines_[b].run, baseline_passes_[b]);
    rounds_.baselines[b].push_back(seconds / baselines_[b].share);
  }
  memory_.Renew();
  rounds_.clock_hz.push_back(CoreClockHz());
}

}  // namespace posenc_bench
