//===- MarkdownReport.cpp - a bench as Markdown ---------------------------===//

#include "Lines.h"

using namespace heddle::bench;

void heddle::bench::writeMarkdown(const Report &report, llvm::raw_ostream &os) {
  os << report.cpu << ", heddle " << report.version << ": `" << report.commandLine << "`\n";
  for (const Table &table : report.tables) {
    os << "\n## `" << table.model << "`\n\n"
       << conditionsLine(report, table) << ".\n"
       << roofLine(table) << ".\n"
       << workLine(table) << ".\n\n";
    resultColumns(table).writeMarkdown(os);
    os << "\n";
    if (std::string verdict = verdictLine(table); !verdict.empty())
      os << "* " << verdict << "\n";
    for (const Row &row : table.rows)
      if (!row.problem.empty())
        os << "* `" << row.strategy << "` was not timed: " << row.problem << "\n";
    for (const Ineligible &other : table.others)
      os << "* `" << other.strategy << "` is not eligible: " << other.reason << "\n";
    if (!table.profile)
      continue;
    os << "\nKernels of the default:\n\n";
    profileColumns(table).writeMarkdown(os);
  }
}
