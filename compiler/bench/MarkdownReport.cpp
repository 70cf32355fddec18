//===- MarkdownReport.cpp - benchmark results as Markdown -----------------===//

#include "Lines.h"

using namespace heddle::bench;

void heddle::bench::writeMarkdown(const Report &report, llvm::raw_ostream &os) {
  os << report.cpu << ", heddle " << report.version << ": `" << report.commandLine << "`\n";
  for (const Table &table : report.tables) {
    os << "\n## `" << table.name() << "`\n\n";
    for (const std::string &line : headLines(report, table))
      os << line << ".\n";
    os << "\n";
    (table.isCounted ? countColumns(table) : resultColumns(table)).writeMarkdown(os);
    os << "\n";
    if (std::string verdict = verdictLine(table); !verdict.empty() && !table.isCounted)
      os << "* " << verdict << "\n";
    for (const Remark &remark : remarks(report, table))
      os << "* `" << remark.strategy << "`: " << remark.text << "\n";
    if (!table.profile)
      continue;
    os << "\nKernels of the default:\n\n";
    profileColumns(table).writeMarkdown(os);
  }
  for (const std::string &line : overallLines(report))
    os << "\n" << line << ".\n";
}
