//===- RooflinePlot.h - writes a roofline plot ------------------*- C++ -*-===//

#ifndef HEDDLE_BENCH_ROOFLINEPLOT_H
#define HEDDLE_BENCH_ROOFLINEPLOT_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <string>
#include <vector>

namespace heddle::bench {

struct PlotPoint {
  std::string name, note;     // the note is a tooltip
  double intensity, rate;     // FLOP per byte, FLOP per second
  enum Kind { Default, Other, Kernel } kind;
  bool important = true; // whether it has a label if there is room
};

struct PlotRoof {
  std::string name;
  double bandwidth; // bytes per second
};

/// Writes an SVG element with logarithmic axes: the compute roof, a slope for each bandwidth, and the points. The
/// second slope is dashed; a legend below the plot explains both slopes. Labels never overlap. If there are too many
/// points, only the fastest points have labels. Colours are CSS classes that the page must define.
void writeRoofline(llvm::raw_ostream &os, double peak, const std::vector<PlotRoof> &roofs,
                   std::vector<PlotPoint> points);

/// Escapes `text` for HTML.
std::string escapeHtml(llvm::StringRef text);

} // namespace heddle::bench

#endif // HEDDLE_BENCH_ROOFLINEPLOT_H
