//===- TextReport.cpp - a bench for a terminal ----------------------------===//

#include "Lines.h"

using namespace heddle::bench;

static void writeTable(const Report &report, const Table &table, llvm::raw_ostream &os) {
  os << table.model << "\n"
     << "  " << conditionsLine(report, table) << "\n"
     << "  " << roofLine(table) << "\n"
     << "  " << workLine(table) << "\n\n";
  resultColumns(table).writeText(os);
  if (std::string verdict = verdictLine(table); !verdict.empty())
    os << verdict << "\n";
  for (const Row &row : table.rows)
    if (!row.problem.empty())
      os << row.strategy << ": not timed: " << row.problem << "\n";
  for (const Ineligible &other : table.others)
    os << other.strategy << ": not eligible: " << other.reason << "\n";
  if (!table.profile)
    return;
  os << "\nkernels of the default, in the order of their time (a call takes " << timeText(table.profile->total)
     << " with timers in it, " << timeText(table.profile->unprofiled) << " without)\n";
  profileColumns(table).writeText(os);
}

void heddle::bench::writeText(const Report &report, llvm::raw_ostream &os) {
  os << report.cpu << ", heddle " << report.version << "\n\n";
  bool first = true;
  for (const Table &table : report.tables) {
    if (!first)
      os << "\n";
    first = false;
    writeTable(report, table, os);
  }
}
