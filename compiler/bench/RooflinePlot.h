//===- RooflinePlot.h - work against the roofs of a machine -----*- C++ -*-===//

#ifndef HEDDLE_BENCH_ROOFLINEPLOT_H
#define HEDDLE_BENCH_ROOFLINEPLOT_H

#include "Roofs.h"

#include "llvm/Support/raw_ostream.h"

#include <string>
#include <vector>

namespace heddle::bench {

struct PlotPoint {
  std::string name, note;     // the note is shown when pointed at
  double intensity, rate;     // FLOP a byte, FLOP a second
  enum Kind { Default, Other, Kernel } kind;
  bool important = true; // gets a label where there is room
};

struct PlotRoof {
  std::string name;
  double bandwidth; // bytes a second
};

/// An SVG element with logarithmic axes: the compute roof, a slope for each bandwidth (the second one dashed, both explained
/// below it), the points. Labels never cover each other; where there are too many points, only the best have one. Colours
/// are classes that the page defines.
void writeRoofline(llvm::raw_ostream &os, double peak, const std::vector<PlotRoof> &roofs,
                   std::vector<PlotPoint> points);

/// `text` as it may stand in HTML.
std::string escapeHtml(llvm::StringRef text);

} // namespace heddle::bench

#endif // HEDDLE_BENCH_ROOFLINEPLOT_H
