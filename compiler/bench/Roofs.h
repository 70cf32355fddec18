//===- Roofs.h - the most this machine can do -------------------*- C++ -*-===//

#ifndef HEDDLE_BENCH_ROOFS_H
#define HEDDLE_BENCH_ROOFS_H

#include "Measure.h"
#include "RoofLoops.h"
#include "Work.h"
#include "heddle/abi.h"

#include <memory>

namespace heddle::bench {

/// Bytes a second at one size of everything that is touched.
struct BandwidthPoint {
  double footprint = 0, copy = 0, read = 0; // copy counts what is read and what is written
  double copyChange = 0, readChange = 0;    // how far the quartiles of the rounds lie apart, as a part
};

/// What was measured with one number of threads.
struct Roof {
  size_t threads = 1; // 0: of a device
  double flops = 0; // a second
  std::vector<BandwidthPoint> bandwidth; // by growing footprint
  double flopsChange = 0;

  /// Bytes a second of a loop that reads and writes so much and computes nothing: a copy of what
  /// is both, and reading or writing of the rest. Between measured sizes in proportion of their logarithms.
  double bandwidthFor(double bytesRead, double bytesWritten) const;
  /// Why it is not to be trusted for data of this size, if it is compute that bounds, or memory; empty
  /// where it is.
  std::string doubt(bool compute, double footprint) const;
};

/// Where a roof stands for a piece of work.
struct RoofLimit {
  double seconds = 0; // at best
  bool compute = true; // or memory
};
/// `copies` callers do it at once, each on data of its own; the seconds are for one of them.
RoofLimit limitOf(const Roof &roof, const Work &work, size_t copies = 1);

/// Adds what is to be timed for the roofs to the subjects of a run, and reads it off afterwards.
class RoofProbes {
public:
  virtual ~RoofProbes() = default;
  virtual std::vector<Subject> subjects() = 0;
  /// From the same subjects when they were timed.
  virtual std::vector<Roof> roofs(llvm::ArrayRef<Subject> timed) const = 0;
};

/// Footprints to measure bandwidths at: the largest, which stands for memory, and those around `sizes`.
std::vector<double> footprintsAround(double largest, llvm::ArrayRef<double> sizes);

/// A roof is the best there was, not what is usual.
struct Best {
  double seconds = 0; // 0: was not timed
  double change = 0;  // how far the quartiles of the rounds lie apart, as a part
};
Best bestOf(const Subject &subject);

/// Of the CPU.
class RoofMeter : public RoofProbes {
public:
  /// `executor` null: one thread only. The bandwidths are memory's, and those around `sizes`: bytes
  /// that are touched.
  RoofMeter(const RoofLoops &loops, const heddle_executor *executor, double largestCache,
            llvm::ArrayRef<double> sizes = {});
  ~RoofMeter() override;

  std::vector<Subject> subjects() override;
  /// One Roof for one thread, one for all.
  std::vector<Roof> roofs(llvm::ArrayRef<Subject> timed) const override;

private:
  struct Task;
  struct Probe;
  std::vector<Probe> probes() const;

  const RoofLoops &loops;
  const heddle_executor *executor;
  std::vector<double> footprints;
  float *memory = nullptr; // two halves
  size_t capacity = 0;     // floats in a half
};

} // namespace heddle::bench

#endif // HEDDLE_BENCH_ROOFS_H
