//===- HtmlReport.cpp - benchmark results as one HTML page ----------------===//

#include "HtmlStyle.h"
#include "Lines.h"
#include "RooflinePlot.h"

#include "llvm/Support/Format.h"

using namespace heddle::bench;

// A kernel that takes less than this share of a call has no bar.
static constexpr double smallestBar = 0.005;

/// Writes a bar that fills the share `part` of its track, and a mark at `mark`. If the mark is beyond the track, it is
/// an arrow. A mark of 0 is not drawn.
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

static void writeBars(const Table &table, llvm::raw_ostream &os) {
  // Limit the scale: a percentile that is many times the median would leave no room for the bars.
  double longest = 0;
  for (const Row &row : table.rows)
    longest = std::max(longest, std::min(row.time.p90, 2 * row.time.median));
  if (longest <= 0)
    return;
  bool isAnyBeyond = llvm::any_of(table.rows, [&](const Row &row) { return row.time.p90 > longest; });
  os << "<div><h3>Median time of a call, and the 90th percentile (mark" << (isAnyBeyond ? "; arrow: beyond the end" : "")
     << ")</h3>\n";
  for (const Row &row : table.rows) {
    if (!row.problem.empty())
      continue;
    Doubts doubts = table.doubts(row);
    std::string value = timeText(row.time.median) + " · " + percentText(table.share(row)) + " of roof";
    if (table.defaultRow() && !row.isDefault)
      value += " · " + digits(table.ratio(row).rounds.median, 3) + "x" + (doubts.ratio.empty() ? "" : " ?");
    writeBar(os, row.isDefault ? " default" : "", row.strategy, value, row.time.median / longest,
             row.time.p90 / longest, "p90 " + timeText(row.time.p90) + ", spread " + percentText(row.time.spread));
  }
  os << "</div>\n";
}

static void writePlot(const Table &table, llvm::raw_ostream &os) {
  std::vector<PlotPoint> points;
  const Work &work = table.work;
  for (const Row &row : table.rows)
    if (row.problem.empty() && work.bytes() > 0)
      points.push_back({row.strategy, timeText(row.time.median) + ", " + rateText(table, row),
                        work.flops / work.bytes(), work.flops * table.callsPerSecond(row),
                        row.isDefault ? PlotPoint::Default : PlotPoint::Other});
  if (table.profile)
    for (const ProfileRow &row : table.profile->rows)
      if (row.seconds > 0 && row.kernel.work.bytes() > 0)
        points.push_back({row.kernel.function + " " + row.kernel.op, row.kernel.shape,
                          row.kernel.work.flops / row.kernel.work.bytes(),
                          row.kernel.work.flops * double(row.kernel.calls) / row.seconds, PlotPoint::Kernel,
                          row.seconds > 0.01 * table.profile->total});
  const Roof &roof = table.roof();
  std::vector<PlotRoof> roofs;
  double own = table.bandwidth();
  double memory = roof.bandwidth.empty() ? 0 : roof.bandwidth.back().copy;
  roofs.push_back({bytesText(own) + "/s, " + bandwidthKind(table), own});
  if (own > 1.3 * memory) // otherwise the two lines would nearly coincide
    roofs.push_back({bytesText(memory) + "/s, copying from memory", memory});
  os << "<div><h3>Roofline</h3>\n";
  writeRoofline(os, roof.flops, roofs, std::move(points));
  os << "</div>\n";
}

static void writeNotes(const Report &report, const Table &table, llvm::raw_ostream &os) {
  std::vector<Remark> all = remarks(report, table);
  if (all.empty())
    return;
  os << "<ul>\n";
  for (const Remark &remark : all)
    os << "<li" << (remark.bad ? " class=\"bad\">" : ">") << "<code>" << escapeHtml(remark.strategy)
       << "</code>: " << escapeHtml(remark.text) << "</li>\n";
  os << "</ul>\n";
}

/// Writes a table that can be scrolled. Narrow pages show one row of the table below the other (HtmlStyle.h). Tables
/// that are still too wide, such as those with a long shape, scroll beside their first column, also by keyboard.
static void writeScrolling(const Columns &columns, const char *label, llvm::raw_ostream &os) {
  os << "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"" << label << "\">";
  columns.writeHtml(os);
  os << "</div>\n";
}

static void writeProfile(const Table &table, llvm::raw_ostream &os) {
  const Profile &profile = *table.profile;
  os << "<h3>Kernels of the default: " << timeText(profile.total) << " with timers, " << timeText(profile.unprofiled)
     << " without</h3>\n";
  double rest = profile.total;
  for (const ProfileRow &row : profile.rows) {
    if (row.seconds < smallestBar * profile.total)
      continue;
    rest -= row.seconds;
    writeBar(os, " kernel", row.kernel.function + " " + row.kernel.op + " (" + std::to_string(row.kernel.calls) + ")",
             timeText(row.seconds) + " · " + percentText(row.seconds / profile.total), row.seconds / profile.total, 0,
             row.kernel.shape);
  }
  rest = std::max(0.0, rest);
  writeBar(os, "", "other kernels, and outside kernels", timeText(rest) + " · " + percentText(rest / profile.total),
           rest / profile.total, 0, "");
  writeScrolling(profileColumns(table), "kernels", os);
}

static void writeHtmlTable(const Report &report, const Table &table, llvm::raw_ostream &os) {
  os << "<section>\n<h2><code>" << escapeHtml(table.name()) << "</code></h2>\n";
  for (const std::string &line : headLines(report, table))
    os << "<p>" << escapeHtml(line) << "</p>\n";
  os << "<div class=\"charts\">\n";
  writePlot(table, os);
  writeBars(table, os);
  os << "</div>\n";
  writeScrolling(resultColumns(table), "results", os);
  if (std::string verdict = verdictLine(table); !verdict.empty())
    os << "<p>" << escapeHtml(verdict) << "</p>\n";
  writeNotes(report, table, os);
  if (table.profile)
    writeProfile(table, os);
  os << "</section>\n";
}

void heddle::bench::writeHtml(const Report &report, llvm::raw_ostream &os) {
  os << "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>heddle bench</title>\n<style>"
     << htmlStyle << "</style>\n</head>\n<body>\n<h1>heddle bench</h1>\n<p>" << escapeHtml(report.cpu) << ", heddle "
     << escapeHtml(report.version) << "</p>\n<p><code>" << escapeHtml(report.commandLine) << "</code></p>\n";
  for (const Table &table : report.tables)
    writeHtmlTable(report, table, os);
  for (const std::string &line : overallLines(report))
    os << "<p>" << escapeHtml(line) << "</p>\n";
  os << "</body>\n</html>\n";
}
