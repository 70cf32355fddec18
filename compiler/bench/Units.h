//===- Units.h - numbers with units as text ---------------------*- C++ -*-===//

#ifndef HEDDLE_BENCH_UNITS_H
#define HEDDLE_BENCH_UNITS_H

#include <string>

namespace heddle::bench {

/// These functions format figures with at most three significant digits: "1.23 ms", "45.6 GFLOP/s", "6.45 GFLOP",
/// "3.10 MB", "42.1 GB/s" and "63.5%".
std::string timeText(double seconds);
std::string flopsText(double flopsPerSecond);
std::string operationsText(double flops);
std::string bytesText(double bytes);
std::string bytesRateText(double bytesPerSecond);
std::string percentText(double share);
/// Formats a value with this number of significant digits, such as "1.5". A value below 1 gets `significant` - 1
/// decimal places: "0.05" for 0.0512 and 3 digits.
std::string digits(double value, int significant);

} // namespace heddle::bench

#endif // HEDDLE_BENCH_UNITS_H
