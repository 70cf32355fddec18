//===- Measure.cpp - times subjects in turn -------------------------------===//
//
// A subject is a function that is timed. A round consists of one repetition of
// each subject; Google Benchmark runs the subjects of a round in random order.
// A repetition ends after a number of calls that was estimated in the warm-up,
// or when the time for the repetition is over.
//
//===----------------------------------------------------------------------===//

#include "Measure.h"

#include "llvm/ADT/STLExtras.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <mutex>
#include <numeric>

using namespace heddle::bench;

// The minimum duration of a sample in seconds. If a call is shorter, a sample consists of several calls, since reading
// the clock takes about 30 ns.
static constexpr double shortestSample = 10e-6;
// The maximum duration in seconds of the uncounted calls at the start of each repetition. These calls evict the data of
// other subjects from the caches.
static constexpr double settling = 2e-3;
static constexpr int64_t maxSamples = 200000; // of a caller in a repetition; this maximum limits the memory for samples

double heddle::bench::now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

namespace {

/// The division of a subject's time into repetitions, and of a repetition into samples.
struct Plan {
  int64_t batch = 1;   // calls in a sample
  int64_t samples = 1; // samples in a repetition
  double settling = 0; // the duration of the uncounted calls before a repetition, in seconds
  double seconds = 0;  // the maximum duration of a repetition
  unsigned repetitions = 1;
};

/// A reporter that stores the CPU times that Google Benchmark measured in one round. The name of a run is the index of
/// its subject.
class Collector : public benchmark::BenchmarkReporter {
public:
  Collector(llvm::MutableArrayRef<Subject> subjects, unsigned round) : subjects(subjects), round(round) {}

  bool ReportContext(const Context &) override { return true; }
  void ReportRuns(const std::vector<Run> &runs) override {
    for (const Run &run : runs) {
      if (run.run_type != Run::RT_Iteration || run.error_occurred)
        continue;
      size_t index = std::stoul(run.run_name.function_name);
      Repetition &repetition = subjects[index].repetitions[round];
      repetition.cpuSeconds = run.cpu_accumulated_time / double(repetition.iterations);
    }
  }

private:
  llvm::MutableArrayRef<Subject> subjects;
  unsigned round;
};

} // namespace

/// Calls the subject for `seconds`, but at least once. Returns the shortest time of a call, including its preparation.
static double callFor(Subject &subject, double seconds, size_t caller) {
  int64_t calls = 1;
  double start = now(), before = start, best = INFINITY;
  while (true) {
    for (int64_t i = 0; i < calls; ++i) {
      if (subject.prepare)
        subject.prepare();
      subject.call(caller);
    }
    double after = now(), left = seconds - (after - start);
    best = std::min(best, (after - before) / double(calls));
    if (left <= 0)
      return best;
    calls = std::clamp(int64_t(left / std::max(best, 1e-9)), int64_t(1), 2 * calls);
    before = after;
  }
}

/// Divides the time of a subject into repetitions and samples. `call` is the number of seconds of a call, including its
/// preparation.
static Plan planFor(const Subject &subject, double call, const Timing &timing) {
  Plan plan;
  call = std::max(call, 1e-9);
  // A repetition contains at least one counted call. If calls need no preparation, an uncounted call comes first.
  double minimum = subject.prepare ? call : 2 * call;
  plan.repetitions = unsigned(std::clamp(timing.duration / minimum, 1.0, double(timing.repetitions)));
  double seconds = plan.seconds = timing.duration / plan.repetitions;
  if (!subject.prepare) {
    plan.batch = std::max<int64_t>(1, int64_t(std::ceil(shortestSample / call)));
    plan.settling = std::min(settling, seconds / 2);
    seconds -= std::max(plan.settling, call);
  }
  plan.samples = int64_t(std::clamp(seconds / (call * double(plan.batch)), 1.0, double(maxSamples)));
  return plan;
}

/// Runs one repetition on one caller thread and adds its times to the subject.
static void runRepetition(benchmark::State &state, Subject &subject, const Plan &plan, unsigned repetition) {
  size_t caller = size_t(state.thread_index());
  double end = now() + plan.seconds;
  if (!subject.prepare)
    callFor(subject, plan.settling, caller);
  std::vector<double> samples;
  samples.reserve(size_t(plan.samples));
  double start = 0, prepared = 0, last = 0;
  while (state.KeepRunningBatch(plan.batch)) {
    double before = now();
    if (samples.empty())
      start = before;
    else if (before > end)
      continue; // skip the remaining planned iterations
    if (subject.prepare) {
      state.PauseTiming();
      subject.prepare();
      state.ResumeTiming();
      prepared += now() - before;
      before = now();
    }
    for (int64_t i = 0; i < plan.batch; ++i)
      subject.call(caller);
    last = now();
    state.SetIterationTime(last - before);
    samples.push_back((last - before) / double(plan.batch));
  }
  static std::mutex mutex; // protects the subject: several caller threads run this code
  std::lock_guard<std::mutex> lock(mutex);
  std::vector<double> &all = subject.samples[repetition];
  all.insert(all.end(), samples.begin(), samples.end());
  Repetition &sum = subject.repetitions[repetition];
  sum.iterations += int64_t(samples.size()) * plan.batch;
  sum.wallSeconds = std::max(sum.wallSeconds, last - start - prepared);
  sum.realSeconds = std::accumulate(all.begin(), all.end(), 0.0) / double(all.size());
}

/// Initializes Google Benchmark so that it runs the subjects of a round in random order.
static void initializeOnce() {
  static bool done = [] {
    // Google Benchmark keeps the pointers to the arguments.
    static char name[] = "heddle", interleave[] = "--benchmark_enable_random_interleaving=true";
    char *arguments[] = {name, interleave, nullptr};
    int count = 2;
    benchmark::Initialize(&count, arguments);
    return true;
  }();
  (void)done;
}

/// Runs one repetition of each subject whose plan has more than `round` repetitions. Calls `finish` after each
/// repetition.
static void runRound(llvm::MutableArrayRef<Subject> subjects, llvm::ArrayRef<Plan> plans, unsigned round,
                     const std::function<void()> &finish) {
  for (size_t i = 0; i < subjects.size(); ++i) {
    const Plan &plan = plans[i];
    if (round >= plan.repetitions)
      continue;
    auto run = [&subject = subjects[i], &plan, &finish, round](benchmark::State &state) {
      runRepetition(state, subject, plan, round);
      if (state.thread_index() == 0)
        finish();
    };
    benchmark::RegisterBenchmark(std::to_string(i).c_str(), run)
        ->Iterations(plan.batch * plan.samples)
        ->Threads(int(subjects[i].callers))
        ->UseManualTime();
  }
  Collector collector(subjects, round);
  benchmark::RunSpecifiedBenchmarks(&collector, ".");
  benchmark::ClearRegisteredBenchmarks();
}

void heddle::bench::measure(llvm::MutableArrayRef<Subject> subjects, const Timing &timing,
                            const std::function<void(double)> &progress) {
  initializeOnce();
  std::vector<Plan> plans;
  unsigned rounds = 0, all = 0, done = 0;
  for (Subject &subject : subjects) {
    Timing own = timing;
    if (subject.duration > 0) {
      own.warmup *= subject.duration / timing.duration;
      own.duration = subject.duration;
    }
    Plan plan = planFor(subject, callFor(subject, own.warmup, 0), own);
    subject.samples.assign(plan.repetitions, {});
    subject.repetitions.assign(plan.repetitions, {});
    rounds = std::max(rounds, plan.repetitions);
    all += plan.repetitions;
    plans.push_back(plan);
  }
  for (unsigned round = 0; round < rounds; ++round)
    runRound(subjects, plans, round, [&] {
      if (progress)
        progress(double(++done) / all);
    });
}

Rounds Subject::rounds() const {
  Rounds rounds;
  for (auto [repetition, seconds] : llvm::zip_equal(repetitions, samples))
    rounds.seconds.push_back(callers > 1 ? repetition.wallSeconds / double(std::max<int64_t>(1, repetition.iterations))
                                         : quantile(seconds, 0.5));
  rounds.best = callers > 1 ? rounds.seconds.empty() ? 0 : *llvm::min_element(rounds.seconds) : summary().best;
  return rounds;
}
