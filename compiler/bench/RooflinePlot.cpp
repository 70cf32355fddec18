//===- RooflinePlot.cpp - writes a roofline plot --------------------------===//

#include "RooflinePlot.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"

#include <algorithm>
#include <cmath>

using namespace heddle::bench;

// Lengths in units of the drawing. The drawing is narrow, so that its text is legible on a narrow screen.
static constexpr double width = 400, height = 310;
static constexpr double left = 50, right = 10, top = 12, bottom = 42; // the margins around the axes
static constexpr double lineHeight = 14, letterWidth = 6.2;           // the size of the labels' font
// The number of fastest points that have labels. The point of the default candidate (the model compiled with the
// default strategies) has a label even if it is not among them.
static constexpr size_t maxLabels = 5;

std::string heddle::bench::escapeHtml(llvm::StringRef text) {
  std::string result;
  for (char c : text)
    switch (c) {
    case '&':
      result += "&amp;";
      break;
    case '<':
      result += "&lt;";
      break;
    case '>':
      result += "&gt;";
      break;
    case '"':
      result += "&quot;";
      break;
    default:
      result += c;
    }
  return result;
}

namespace {

/// A logarithmic axis.
struct Axis {
  double low, high; // the values at the two ends of the axis
  double from, to;  // the positions of `low` and `high` in the drawing

  double place(double value) const {
    return from + (to - from) * std::log(value / low) / std::log(high / low);
  }
  /// Returns the values of grid lines: powers of ten and, if there is room, also 2 and 5 times each power.
  std::vector<double> ticks() const {
    std::vector<double> values;
    bool fine = std::log10(high / low) < 2.6;
    for (double power = std::pow(10, std::floor(std::log10(low))); power <= high; power *= 10)
      for (double factor : {1.0, 2.0, 5.0})
        if ((fine || factor == 1) && power * factor >= low * 0.999 && power * factor <= high * 1.001)
          values.push_back(power * factor);
    return values;
  }
};

/// A roofline plot. `peak` is the compute roof in FLOP per second.
class Plot {
public:
  Plot(llvm::raw_ostream &os, double peak, const std::vector<PlotRoof> &roofs, std::vector<PlotPoint> points)
      : os(os), peak(peak), roofs(roofs), points(std::move(points)) {}

  void write();

private:
  void chooseAxes();
  void writeGrid();
  void writeRoofs();
  void writePoints();
  void text(double x, double y, const char *anchor, const char *kind, llvm::StringRef words);
  void line(const char *kind, double x1, double y1, double x2, double y2);

  llvm::raw_ostream &os;
  double peak;
  const std::vector<PlotRoof> &roofs;
  std::vector<PlotPoint> points;
  Axis x{}, y{};
};

} // namespace

/// Formats a number as "1.5", "1.5k" or "1.5M".
static std::string shortNumber(double value) {
  std::string result;
  llvm::raw_string_ostream stream(result);
  if (value >= 1e6)
    stream << llvm::format("%gM", value / 1e6);
  else if (value >= 1e3)
    stream << llvm::format("%gk", value / 1e3);
  else
    stream << llvm::format("%g", value);
  return result;
}

void Plot::text(double px, double py, const char *anchor, const char *kind, llvm::StringRef words) {
  os << llvm::format("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" class=\"%s\">", px, py, anchor, kind)
     << escapeHtml(words) << "</text>\n";
}

void Plot::line(const char *kind, double x1, double y1, double x2, double y2) {
  os << llvm::format("<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n", kind, x1, y1, x2, y2);
}

void Plot::chooseAxes() {
  double lowX = INFINITY, highX = 0, lowY = peak, highY = peak;
  for (const PlotPoint &point : points) {
    lowX = std::min(lowX, point.intensity);
    highX = std::max(highX, point.intensity);
    lowY = std::min(lowY, point.rate);
    highY = std::max(highY, point.rate);
  }
  for (const PlotRoof &roof : roofs) { // show the intersections with the compute roof
    lowX = std::min(lowX, peak / roof.bandwidth);
    highX = std::max(highX, peak / roof.bandwidth);
  }
  x = {lowX / 3, highX * 4, left, width - right};
  y = {lowY / 2.5, highY * 1.8, height - bottom, top};
}

void Plot::writeGrid() {
  for (double value : x.ticks()) {
    line("grid", x.place(value), top, x.place(value), height - bottom);
    text(x.place(value), height - bottom + 14, "middle", "tick", shortNumber(value));
  }
  for (double value : y.ticks()) {
    line("grid", left, y.place(value), width - right, y.place(value));
    text(left - 5, y.place(value) + 4, "end", "tick", shortNumber(value / 1e9));
  }
  text((left + width - right) / 2, height - 8, "middle", "axis", "FLOP / byte");
  os << llvm::format("<text class=\"axis\" text-anchor=\"middle\" transform=\"translate(13 %.0f) rotate(-90)\">GFLOP/s"
                     "</text>\n",
                     (top + height - bottom) / 2);
}

void Plot::writeRoofs() {
  double ridge = INFINITY;
  for (const PlotRoof &roof : roofs)
    ridge = std::min(ridge, peak / roof.bandwidth);
  line("roof", x.place(std::max(ridge, x.low)), y.place(peak), x.to, y.place(peak));
  text(x.to - 4, y.place(peak) - 5, "end", "roofname",
       "FMA " + shortNumber(std::round(peak / 1e8) / 10) + " GFLOP/s");
  for (size_t i = 0; i < roofs.size(); ++i) {
    // The line starts where it enters the drawing and ends at the compute roof.
    double bandwidth = roofs[i].bandwidth, start = std::max(x.low, y.low / bandwidth), end = peak / bandwidth;
    if (start < end)
      line(i ? "roof r1" : "roof", x.place(start), y.place(start * bandwidth), x.place(end), y.place(peak));
  }
}

void Plot::writePoints() {
  llvm::sort(points, [](const PlotPoint &a, const PlotPoint &b) {
    return std::tie(b.rate, a.name) < std::tie(a.rate, b.name);
  });
  size_t labels = 0;
  double nextLeft = 0, nextRight = 0; // labels are placed from top to bottom on both sides
  for (const PlotPoint &point : points) {
    double px = x.place(point.intensity), py = y.place(point.rate);
    bool labelled = point.kind == PlotPoint::Default || (labels < maxLabels && point.important);
    if (labelled) {
      ++labels;
      double length = double(point.name.size()) * letterWidth;
      bool onRight = px + 14 + length < width;
      double &next = onRight ? nextRight : nextLeft;
      double ly = std::max(py, next);
      if (ly <= height - bottom - 2) {
        double lx = onRight ? px + 14 : px - 14;
        line("leader", px, py, onRight ? lx - 2 : lx + 2, ly);
        text(lx, ly + 4, onRight ? "start" : "end", point.kind == PlotPoint::Default ? "label default" : "label",
             point.name);
        next = ly + lineHeight;
      }
    }
  }
  // Draw points above lines and labels. The points of the default are the last.
  for (PlotPoint::Kind kind : {PlotPoint::Kernel, PlotPoint::Other, PlotPoint::Default}) {
    static const char *const classes[] = {"point default", "point other", "point kernel"};
    for (const PlotPoint &point : points)
      if (point.kind == kind)
        os << llvm::format("<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"4.5\"><title>", classes[kind],
                           x.place(point.intensity), y.place(point.rate))
           << escapeHtml(point.name) << ": " << escapeHtml(point.note) << "</title></circle>\n";
  }
}

void Plot::write() {
  chooseAxes();
  os << llvm::format("<svg class=\"roofline\" viewBox=\"0 0 %.0f %.0f\" role=\"img\" aria-label=\"roofline plot\">\n",
                     width, height);
  writeGrid();
  writeRoofs();
  writePoints();
  os << "</svg>\n";
  if (roofs.empty())
    return;
  os << "<p class=\"legend\">Slopes: ";
  for (size_t i = 0; i < roofs.size(); ++i)
    os << (i ? "; dashed <b>" : "<b>") << escapeHtml(roofs[i].name) << "</b>";
  os << ".</p>\n";
}

void heddle::bench::writeRoofline(llvm::raw_ostream &os, double peak, const std::vector<PlotRoof> &given,
                                  std::vector<PlotPoint> points) {
  llvm::erase_if(points, [](const PlotPoint &point) { return !(point.intensity > 0 && point.rate > 0); });
  std::vector<PlotRoof> roofs = given;
  llvm::erase_if(roofs, [](const PlotRoof &roof) { return !(roof.bandwidth > 0); });
  if (points.empty() || !(peak > 0))
    return;
  Plot(os, peak, roofs, std::move(points)).write();
}
