//===- Measure.cpp - many things timed in turns ---------------------------===//
//
// Google Benchmark runs the subjects and interleaves their repetitions; the
// number of calls comes from a warm-up, so every repetition has as many.
//
//===----------------------------------------------------------------------===//

#include "Measure.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <mutex>

using namespace heddle::bench;

// A sample shorter than this is several calls: reading the clock takes some 30 ns.
static constexpr double shortestSample = 10e-6;
// Before a repetition counts: what other subjects left in the caches goes.
static constexpr double settling = 2e-3;
static constexpr int64_t mostSamples = 200000;

double heddle::bench::now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

namespace {

/// How a subject's repetition is divided.
struct Plan {
  int64_t batch = 1;   // calls in a sample
  int64_t samples = 1; // in a repetition
  double seconds = 0;  // of a repetition
};

/// Takes what Google Benchmark reports to the subject that a run is of.
class Collector : public benchmark::BenchmarkReporter {
public:
  explicit Collector(llvm::MutableArrayRef<Subject> subjects) : subjects(subjects) {}

  bool ReportContext(const Context &) override { return true; }
  void ReportRuns(const std::vector<Run> &runs) override {
    for (const Run &run : runs) {
      if (run.run_type != Run::RT_Iteration || run.error_occurred)
        continue;
      size_t index = std::stoul(run.run_name.function_name);
      double count = double(run.iterations);
      Repetition &repetition = subjects[index].repetitions[run.repetition_index];
      repetition.iterations = run.iterations;
      repetition.realSeconds = run.real_accumulated_time / count;
      repetition.cpuSeconds = run.cpu_accumulated_time / count;
    }
  }

private:
  llvm::MutableArrayRef<Subject> subjects;
};

} // namespace

/// Calls for `seconds`, and at least once; how long one call took, with what prepares it.
static double callFor(Subject &subject, double seconds, size_t caller) {
  int64_t calls = 0, next = 1;
  double start = now(), elapsed = 0;
  do {
    for (; calls < next; ++calls) {
      if (subject.prepare)
        subject.prepare();
      subject.call(caller);
    }
    elapsed = now() - start;
    next *= 2;
    if (elapsed > 0)
      next = std::min(next, calls + std::max<int64_t>(1, int64_t((seconds - elapsed) * double(calls) / elapsed)));
  } while (elapsed < seconds);
  return elapsed / double(calls);
}

static Plan planFor(const Subject &subject, double call, double seconds) {
  Plan plan;
  plan.seconds = seconds;
  if (!subject.prepare)
    plan.batch = std::max<int64_t>(1, int64_t(std::ceil(shortestSample / std::max(call, 1e-9))));
  double samples = seconds / (std::max(call, 1e-9) * double(plan.batch));
  plan.samples = std::clamp<int64_t>(int64_t(samples), 1, mostSamples);
  return plan;
}

static void runRepetition(benchmark::State &state, Subject &subject, const Plan &plan, size_t repetition) {
  size_t caller = size_t(state.thread_index());
  if (!subject.prepare)
    callFor(subject, std::min(settling, plan.seconds), caller);
  std::vector<double> samples;
  samples.reserve(size_t(plan.samples));
  double start = 0, prepared = 0;
  while (state.KeepRunningBatch(plan.batch)) {
    double before = now();
    if (samples.empty())
      start = before;
    if (subject.prepare) {
      state.PauseTiming();
      subject.prepare();
      state.ResumeTiming();
      prepared += now() - before;
      before = now();
    }
    for (int64_t i = 0; i < plan.batch; ++i)
      subject.call(caller);
    double seconds = now() - before;
    state.SetIterationTime(seconds);
    samples.push_back(seconds / double(plan.batch));
  }
  double wall = now() - start - prepared;
  static std::mutex mutex; // callers at once
  std::lock_guard<std::mutex> lock(mutex);
  std::vector<double> &all = subject.samples[repetition];
  all.insert(all.end(), samples.begin(), samples.end());
  double &longest = subject.repetitions[repetition].wallSeconds;
  longest = std::max(longest, wall);
}

static void initializeOnce() {
  static bool done = [] {
    // Google Benchmark keeps the pointer to the name.
    static char name[] = "heddle", interleave[] = "--benchmark_enable_random_interleaving=true";
    char *arguments[] = {name, interleave, nullptr};
    int count = 2;
    benchmark::Initialize(&count, arguments);
    return true;
  }();
  (void)done;
}

void heddle::bench::measure(llvm::MutableArrayRef<Subject> subjects, const Timing &timing,
                            const std::function<void(double)> &progress) {
  initializeOnce();
  benchmark::ClearRegisteredBenchmarks();
  double done = 0, all = double(subjects.size() * timing.repetitions);
  for (size_t i = 0; i < subjects.size(); ++i) {
    Subject &subject = subjects[i];
    subject.samples.assign(timing.repetitions, {});
    subject.repetitions.assign(timing.repetitions, {});
    bool own = subject.duration > 0;
    double seconds = own ? subject.duration : timing.duration;
    Plan plan = planFor(subject, callFor(subject, own ? std::min(timing.warmup, seconds) : timing.warmup, 0),
                        seconds / timing.repetitions);
    // Google Benchmark does not say which repetition it runs, only that they come in order.
    auto run = [&, plan, repetition = size_t(0)](benchmark::State &state) mutable {
      size_t current = repetition;
      runRepetition(state, subject, plan, current);
      if (state.thread_index() != 0)
        return;
      ++repetition;
      if (progress)
        progress(++done / all);
    };
    benchmark::RegisterBenchmark(std::to_string(i).c_str(), run)
        ->Iterations(plan.batch * plan.samples)
        ->Repetitions(int(timing.repetitions))
        ->Threads(int(subject.callers))
        ->UseManualTime();
  }
  Collector collector(subjects);
  benchmark::RunSpecifiedBenchmarks(&collector, ".");
  benchmark::ClearRegisteredBenchmarks();
}
