//===- HtmlReport.cpp - benchmark results as one HTML page ----------------===//

#include "Formats.h"
#include "HtmlStyle.h"
#include "Lines.h"
#include "RooflinePlot.h"
#include "Units.h"

#include "llvm/Support/Format.h"

using namespace heddle::bench;

// A kernel that takes less than this share of a call has no bar.
static constexpr double smallestBar = 0.005;

/// Writes a bar that fills the share `part` of its track, and a mark at the share `mark` of the track. A mark beyond
/// the track is drawn as an arrow at the end of the track. A mark of 0 is not drawn. `kind` is a list of CSS classes
/// that begins with a space, or empty. `note` is the tooltip.
static void writeBar(llvm::raw_ostream &os, const char *kind, llvm::StringRef name, llvm::StringRef value, double part,
                     double mark, llvm::StringRef note) {
  os << "<div class=\"bar" << kind << "\" title=\"" << escapeHtml(note) << "\"><span class=\"name\">"
     << escapeHtml(name) << "</span><span class=\"value\">" << escapeHtml(value) << "</span>"
     << llvm::format("<div class=\"track\"><span style=\"width:%.2f%%\"></span>", 100 * part);
  if (mark > 1)
    os << "<i class=\"beyond\"></i>";
  else if (mark > 0)
    os << llvm::format("<i style=\"left:%.2f%%\"></i>", 100 * mark);
  os << "</div></div>\n";
}

/// Writes a bar for the median time of each candidate, with a mark for the 90th percentile. A candidate is the model
/// compiled with a choice of strategies.
static void writeBars(const TableValues &table, llvm::raw_ostream &os) {
  // The scale ends at twice the largest median at most. Otherwise, a percentile of many times the median would make the
  // bars too short.
  double longest = 0;
  for (const RowValues &row : table.rows)
    longest = std::max(longest, std::min(row.figure("call_p90"), 2 * row.figure("call_median")));
  if (longest <= 0)
    return;
  bool isAnyBeyond = llvm::any_of(table.rows, [&](const RowValues &row) { return row.figure("call_p90") > longest; });
  os << "<div><h3>Median time of a call, and the 90th percentile (mark" << (isAnyBeyond ? "; arrow: beyond the end" : "")
     << ")</h3>\n";
  for (const RowValues &row : table.rows) {
    if (!row.problem.empty())
      continue;
    double median = row.figure("call_median"), p90 = row.figure("call_p90");
    std::string value = timeText(median) + " · " + percentText(row.figure("call_share_of_roof")) + " of roof";
    if (table.defaultRow() && !row.isDefault)
      value += " · " + digits(row.figure("ratio_to_default"), 3) + "x" + (row.doubts.ratio.empty() ? "" : " ?");
    writeBar(os, row.isDefault ? " default" : "", row.strategy, value, median / longest, p90 / longest,
             "p90 " + timeText(p90) + ", spread " + percentText(row.figure("call_spread")));
  }
  os << "</div>\n";
}

/// Writes the roofline plot with a point for each candidate and, if there is a profile, for each kernel.
static void writePlot(const TableValues &table, llvm::raw_ostream &os) {
  std::vector<PlotPoint> points;
  for (const RowValues &row : table.rows)
    if (row.problem.empty() && table.bytes > 0)
      points.push_back({row.strategy, timeText(row.figure("call_median")) + ", " + rateText(table, row),
                        table.flops / table.bytes, row.figure("call_flops_per_second"),
                        row.isDefault ? PlotPoint::Default : PlotPoint::Other});
  if (table.profile)
    for (const KernelValues &kernel : table.profile->kernels)
      if (kernel.figure("call_median") > 0 && kernel.bytes > 0)
        points.push_back({kernel.function + " " + kernel.op, kernel.shape, kernel.flops / kernel.bytes,
                          kernel.figure("flops_per_second"), PlotPoint::Kernel,
                          kernel.figure("call_median") > 0.01 * table.profile->total});
  const RoofValues &roof = table.roofs.back();
  std::vector<PlotRoof> roofs;
  double own = table.bandwidth, memory = roof.copy.value_or(0);
  roofs.push_back({bytesText(own) + "/s, " + bandwidthKind(table), own});
  if (own > 1.3 * memory) // if the bandwidths were similar, the two lines would nearly coincide
    roofs.push_back({bytesText(memory) + "/s, copying from memory", memory});
  os << "<div><h3>Roofline</h3>\n";
  writeRoofline(os, roof.flops, roofs, std::move(points));
  os << "</div>\n";
}

/// Writes the remarks on candidates as a list.
static void writeNotes(const ReportValues &report, const TableValues &table, llvm::raw_ostream &os) {
  std::vector<Remark> all = remarks(report, table);
  if (all.empty())
    return;
  os << "<ul>\n";
  for (const Remark &remark : all)
    os << "<li" << (remark.bad ? " class=\"bad\">" : ">") << "<code>" << escapeHtml(remark.strategy)
       << "</code>: " << escapeHtml(remark.text) << "</li>\n";
  os << "</ul>\n";
}

/// Writes a table. On narrow pages, the cells of a row are shown one below the other (HtmlStyle.h). On other pages, a
/// table that is too wide, for example because a shape is long, can be scrolled, also by keyboard. Its first column
/// stays in place.
static void writeScrolling(const Columns &columns, const char *label, llvm::raw_ostream &os) {
  os << "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"" << label << "\">";
  columns.writeHtml(os);
  os << "</div>\n";
}

/// Writes a bar for the share of each kernel in the time of a call, except kernels below `smallestBar`; a bar for the
/// remaining time; and the table of kernels.
static void writeProfile(const TableValues &table, llvm::raw_ostream &os) {
  const ProfileValues &profile = *table.profile;
  os << "<h3>Kernels of the default: " << timeText(profile.total) << " with timers, " << timeText(profile.unprofiled)
     << " without</h3>\n";
  double rest = profile.total;
  for (const KernelValues &kernel : profile.kernels) {
    double seconds = kernel.figure("call_median"), share = seconds / profile.total;
    if (seconds < smallestBar * profile.total)
      continue;
    rest -= seconds;
    writeBar(os, " kernel",
             kernel.function + " " + kernel.op + " (" + std::to_string(size_t(kernel.figure("calls"))) + ")",
             timeText(seconds) + " · " + percentText(share), share, 0, kernel.shape);
  }
  rest = std::max(0.0, rest);
  writeBar(os, "", "other kernels, and outside kernels", timeText(rest) + " · " + percentText(rest / profile.total),
           rest / profile.total, 0, "");
  writeScrolling(profileColumns(table), "kernels", os);
}

static void writeHtmlTable(const ReportValues &report, const TableValues &table, llvm::raw_ostream &os) {
  os << "<section>\n<h2><code>" << escapeHtml(table.name()) << "</code></h2>\n";
  for (const std::string &line : headLines(report, table))
    os << "<p>" << escapeHtml(line) << "</p>\n";
  if (!table.isCounted) {
    os << "<div class=\"charts\">\n";
    writePlot(table, os);
    writeBars(table, os);
    os << "</div>\n";
  }
  writeScrolling(candidateColumns(table), "results", os);
  if (std::string verdict = verdictLine(table); !verdict.empty())
    os << "<p>" << escapeHtml(verdict) << "</p>\n";
  if (std::string copies = copiesLine(table); !copies.empty())
    os << "<p>" << escapeHtml(copies) << "</p>\n";
  writeNotes(report, table, os);
  if (table.profile)
    writeProfile(table, os);
  os << "</section>\n";
}

void heddle::bench::writeHtml(const ReportValues &report, llvm::raw_ostream &os) {
  os << "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>heddle bench</title>\n<style>"
     << htmlStyle << "</style>\n</head>\n<body>\n<h1>heddle bench</h1>\n<p>" << escapeHtml(report.cpu) << ", heddle "
     << escapeHtml(report.version) << "</p>\n<p><code>" << escapeHtml(report.commandLine) << "</code></p>\n";
  for (const TableValues &table : report.tables)
    writeHtmlTable(report, table, os);
  for (const std::string &line : overallLines(report))
    os << "<p>" << escapeHtml(line) << "</p>\n";
  os << "</body>\n</html>\n";
}
