//===- RooflinePlot.h - writes a roofline plot ------------------*- C++ -*-===//

#ifndef HEDDLE_BENCH_ROOFLINEPLOT_H
#define HEDDLE_BENCH_ROOFLINEPLOT_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <string>
#include <vector>

namespace heddle::bench {

/// A point in the plot: a candidate (the model compiled with one choice of strategies), or a kernel of the default
/// candidate.
struct PlotPoint {
  std::string name, note;                    // the note is a tooltip
  double intensity, rate;                    // FLOP per byte, FLOP per second
  enum Kind { Default, Other, Kernel } kind; // the default candidate, another candidate, or a kernel
  bool important = true;                     // whether the point has a label if there is room
};

/// A bandwidth in the plot.
struct PlotRoof {
  std::string name;
  double bandwidth; // bytes per second
};

/// Writes an SVG element with logarithmic axes: the compute roof `peak` in FLOP per second, a slope for each bandwidth
/// in `roofs`, and the points. All slopes but the first are dashed; a legend below the plot explains them. Labels on
/// the same side of their points do not overlap. If there are too many points, only the default candidate and the
/// fastest points have labels. Colours are CSS classes that the page must define. Writes nothing if `peak` is not
/// positive or if no point has positive coordinates.
void writeRoofline(llvm::raw_ostream &os, double peak, const std::vector<PlotRoof> &roofs,
                   std::vector<PlotPoint> points);

/// Escapes `text` for HTML.
std::string escapeHtml(llvm::StringRef text);

} // namespace heddle::bench

#endif // HEDDLE_BENCH_ROOFLINEPLOT_H
