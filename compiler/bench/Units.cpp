//===- Units.cpp - numbers with units as text -----------------------------===//

#include "Units.h"

#include <cmath>
#include <cstdio>
#include <initializer_list>
#include <utility>

using namespace heddle::bench;

std::string heddle::bench::digits(double value, int significant) {
  int decimals = significant - 1;
  if (value >= 1) {
    double unit = std::pow(10, std::floor(std::log10(value)) + 1 - significant);
    value = std::round(value / unit) * unit; // rounding may add a digit: with 3 digits, 99.96 becomes 100
    decimals = std::max(0, significant - 1 - int(std::floor(std::log10(value) + 1e-9)));
  }
  char text[64];
  snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

/// Formats a value with three digits in the first of the `units` that is not larger than the value, or in the last one.
/// `units` are in descending order. Values from 999.5 on use the larger unit, because they would be rounded to 1000.
static std::string scaled(double value, std::initializer_list<std::pair<double, const char *>> units) {
  auto unit = units.begin();
  while (unit + 1 != units.end() && value < unit->first * 0.9995)
    ++unit;
  return digits(value / unit->first, 3) + " " + unit->second;
}

std::string heddle::bench::timeText(double seconds) {
  return scaled(seconds, {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}});
}
std::string heddle::bench::flopsText(double rate) {
  return scaled(rate, {{1e12, "TFLOP/s"}, {1e9, "GFLOP/s"}, {1e6, "MFLOP/s"}});
}
std::string heddle::bench::operationsText(double flops) {
  return scaled(flops, {{1e12, "TFLOP"}, {1e9, "GFLOP"}, {1e6, "MFLOP"}, {1e3, "kFLOP"}, {1, "FLOP"}});
}
std::string heddle::bench::bytesText(double bytes) {
  return scaled(bytes, {{1e9, "GB"}, {1e6, "MB"}, {1e3, "kB"}, {1, "B"}});
}
std::string heddle::bench::bytesRateText(double rate) { return scaled(rate, {{1e9, "GB/s"}, {1e6, "MB/s"}}); }
std::string heddle::bench::percentText(double share) { return digits(100 * share, share < 0.1 ? 2 : 3) + "%"; }
