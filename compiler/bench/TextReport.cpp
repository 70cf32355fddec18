//===- TextReport.cpp - benchmark results for a terminal ------------------===//

#include "Formats.h"
#include "Lines.h"
#include "Units.h"

using namespace heddle::bench;

/// Writes a table with the lines above and below it, and the profile if there is one.
static void writeTable(const ReportValues &report, const TableValues &table, llvm::raw_ostream &os) {
  os << table.name() << "\n";
  for (const std::string &line : headLines(report, table))
    os << "  " << line << "\n";
  os << "\n";
  candidateColumns(table).writeText(os);
  if (std::string verdict = verdictLine(table); !verdict.empty())
    os << verdict << "\n";
  if (std::string copies = copiesLine(table); !copies.empty())
    os << copies << "\n";
  for (const Remark &remark : remarks(report, table))
    os << remark.strategy << ": " << remark.text << "\n";
  if (!table.profile)
    return;
  os << "\nkernels of the default, in the order of their time (a call takes " << timeText(table.profile->total)
     << " with timers in it, " << timeText(table.profile->unprofiled) << " without)\n";
  profileColumns(table).writeText(os);
}

void heddle::bench::writeText(const ReportValues &report, llvm::raw_ostream &os) {
  os << report.cpu << ", heddle " << report.version << "\n\n";
  bool first = true;
  for (const TableValues &table : report.tables) {
    if (!first)
      os << "\n";
    first = false;
    writeTable(report, table, os);
  }
  for (const std::string &line : overallLines(report))
    os << "\n" << line << "\n";
}
