//===- MarkdownReport.cpp - benchmark results as Markdown -----------------===//

#include "Formats.h"
#include "Lines.h"

using namespace heddle::bench;

void heddle::bench::writeMarkdown(const ReportValues &report, llvm::raw_ostream &os) {
  os << report.cpu << ", heddle " << report.version << ": `" << report.commandLine << "`\n";
  for (const TableValues &table : report.tables) {
    os << "\n## `" << table.name() << "`\n\n";
    for (const std::string &line : headLines(report, table))
      os << line << ".\n";
    os << "\n";
    candidateColumns(table).writeMarkdown(os);
    os << "\n";
    if (std::string verdict = verdictLine(table); !verdict.empty())
      os << "* " << verdict << "\n";
    if (std::string copies = copiesLine(table); !copies.empty())
      os << "* " << copies << "\n";
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
