//===- Roofs.h - measures the roofs of this machine -------------*- C++ -*-===//
//
// A roof is an upper bound of the roofline model: the measured rate of
// multiply-adds, or the measured bandwidth for data of some size.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_BENCH_ROOFS_H
#define HEDDLE_BENCH_ROOFS_H

#include "Measure.h"
#include "RoofLoops.h"
#include "Work.h"
#include "heddle/abi.h"

#include <memory>

namespace heddle::bench {

/// The bandwidths in bytes per second for one footprint (the size of all data that is accessed).
struct BandwidthPoint {
  double footprint = 0, copy = 0, read = 0; // `footprint`: bytes; `copy` counts bytes read and bytes written
  double copyChange = 0, readChange = 0;    // how much the times of `copy` and `read` vary (Best::change below)
};

/// The roofs for one number of threads.
struct Roof {
  size_t threads = 1;                    // 0 for a device
  double flops = 0;                      // operations per second; a multiply-add is two operations
  std::vector<BandwidthPoint> bandwidth; // by ascending footprint
  double flopsChange = 0; // like copyChange, for `flops`

  /// Returns the bandwidth in bytes per second of a loop that reads and writes these numbers of bytes and does not
  /// compute. The smaller of the two numbers counts as bytes that are copied; the other bytes are only read or only
  /// written. The bandwidth between measured footprints is interpolated linearly in the logarithm of the footprint.
  double bandwidthFor(double bytesRead, double bytesWritten) const;
  /// Returns the reason why a measured roof is not trusted, or "" if it is trusted. If `compute` is set, the roof in
  /// question is the rate of multiply-adds, otherwise the bandwidth for `footprint` bytes.
  std::string doubt(bool compute, double footprint) const;
};

/// The lower bound of the time for a given Work.
struct RoofLimit {
  double seconds = 0;  // the lower bound
  bool compute = true; // whether compute limits the work; otherwise memory does
};
/// Returns the lower bound if `copies` callers do the work concurrently, each on its own data: the minimum time of all
/// their calls together, divided by the number of calls.
RoofLimit limitOf(const Roof &roof, const Work &work, size_t copies = 1);

/// Provides the subjects (functions that are timed, Measure.h) that measure the roofs, and computes the roofs from the
/// times of the subjects.
class RoofProbes {
public:
  virtual ~RoofProbes() = default;
  /// Returns one subject for each measurement. The probes must outlive the subjects.
  virtual std::vector<Subject> subjects() = 0;
  /// Computes the roofs from the subjects after they were timed. The last roof is for the largest number of threads.
  virtual std::vector<Roof> roofs(llvm::ArrayRef<Subject> timed) const = 0;
};

/// Returns the footprints in bytes at which bandwidths are measured, in ascending order: `largest`, which should not
/// fit into caches, and the neighbours of each of `sizes` in a fixed grid.
std::vector<double> footprintsAround(double largest, llvm::ArrayRef<double> sizes);

/// The shortest time of a subject. A roof is an upper bound of the speed, so it is computed from the shortest time and
/// not from the median.
struct Best {
  double seconds = 0; // 0 if the subject was not timed
  double change = 0;  // the distance between the quartiles of the shortest times of rounds, relative to their median
};
Best bestOf(const Subject &subject);

/// Measures the roofs of the CPU.
class RoofMeter : public RoofProbes {
public:
  /// If `executor` is null, only one thread is measured. Bandwidths are measured for memory and for footprints around
  /// `sizes`. `largestCache` and `sizes` are in bytes.
  RoofMeter(const RoofLoops &loops, const heddle_executor *executor, double largestCache,
            llvm::ArrayRef<double> sizes = {});
  ~RoofMeter() override;
  /// Creates a meter with the loops for this CPU, whose features are `features`, and sets `name` to their name.
  static std::unique_ptr<RoofMeter> forThisCpu(llvm::ArrayRef<std::string> features, const heddle_executor *executor,
                                               llvm::ArrayRef<double> sizes, std::string &name);

  std::vector<Subject> subjects() override;
  /// Returns a Roof for a single thread and, if the executor has several threads, a Roof for all of them.
  std::vector<Roof> roofs(llvm::ArrayRef<Subject> timed) const override;

private:
  struct Task;
  struct Probe;
  /// Returns the measurements, in the order of subjects().
  std::vector<Probe> probes() const;

  const RoofLoops &loops;
  const heddle_executor *executor;
  std::vector<double> footprints;
  float *memory = nullptr; // two halves: destinations and sources; null if the allocation failed
  size_t capacity = 0;     // the number of floats in a half
};

} // namespace heddle::bench

#endif // HEDDLE_BENCH_ROOFS_H
