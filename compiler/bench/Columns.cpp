//===- Columns.cpp - formatted tables -------------------------------------===//

#include "Columns.h"

#include "RooflinePlot.h"

#include <algorithm>

using namespace heddle::bench;

std::vector<size_t> Columns::widths() const {
  std::vector<size_t> widths;
  for (const auto &row : rows)
    for (size_t i = 0; i < row.size(); ++i) {
      if (widths.size() <= i)
        widths.push_back(0);
      widths[i] = std::max(widths[i], row[i].size());
    }
  return widths;
}

bool Columns::isWords(size_t column) const {
  return std::find(words.begin(), words.end(), column) != words.end();
}

void Columns::pad(llvm::raw_ostream &os, const std::string &cell, size_t width, bool left, bool last) const {
  size_t spaces = width > cell.size() ? width - cell.size() : 0;
  if (!left)
    os.indent(unsigned(spaces));
  os << cell;
  if (left && !last)
    os.indent(unsigned(spaces));
}

void Columns::writeText(llvm::raw_ostream &os) const {
  std::vector<size_t> width = widths();
  for (const auto &row : rows) {
    for (size_t i = 0; i < row.size(); ++i) {
      if (i)
        os << "  ";
      pad(os, row[i], width[i], isWords(i), i + 1 == row.size());
    }
    os << "\n";
  }
}

void Columns::writeMarkdown(llvm::raw_ostream &os) const {
  bool heading = true;
  for (const auto &row : rows) {
    os << "|";
    for (const std::string &cell : row)
      os << " " << cell << " |";
    os << "\n";
    if (heading) {
      os << "|";
      for (size_t i = 0; i < row.size(); ++i)
        os << (isWords(i) ? "---|" : "---:|");
      os << "\n";
    }
    heading = false;
  }
}

void Columns::writeHtml(llvm::raw_ostream &os) const {
  os << "<table>\n";
  for (const auto &row : rows) {
    bool isHeading = &row == &rows.front();
    os << "<tr>";
    for (size_t i = 0; i < row.size(); ++i) {
      os << (isHeading ? "<th" : "<td") << (isWords(i) ? " class=\"words\"" : "");
      if (!isHeading)
        os << " data-column=\"" << escapeHtml(rows.front()[i]) << "\"";
      os << ">" << escapeHtml(row[i]) << (isHeading ? "</th>" : "</td>");
    }
    os << "</tr>\n";
  }
  os << "</table>\n";
}
