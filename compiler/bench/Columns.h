//===- Columns.h - formatted tables -----------------------------*- C++ -*-===//

#ifndef HEDDLE_BENCH_COLUMNS_H
#define HEDDLE_BENCH_COLUMNS_H

#include "llvm/Support/raw_ostream.h"

#include <string>
#include <vector>

namespace heddle::bench {

/// A table of text cells. The first row is the heading.
class Columns {
public:
  /// `words` contains the indices of the columns of text, which are left-aligned. All other columns contain numbers and
  /// are right-aligned.
  explicit Columns(std::vector<size_t> words = {0}) : words(std::move(words)) {}

  /// Adds a row.
  void add(std::vector<std::string> cells) { rows.push_back(std::move(cells)); }

  /// Writes columns padded with spaces.
  void writeText(llvm::raw_ostream &os) const;
  /// Writes a Markdown table.
  void writeMarkdown(llvm::raw_ostream &os) const;
  /// Writes an HTML table in which each cell has the name of its column as an attribute.
  void writeHtml(llvm::raw_ostream &os) const;

private:
  /// Returns, for each column, the number of bytes of its longest cell.
  std::vector<size_t> widths() const;
  /// Returns whether the column contains text and not numbers.
  bool isWords(size_t column) const;
  /// Writes a cell padded to `width`. A left-aligned cell that is the `last` of its row has no spaces after it.
  void pad(llvm::raw_ostream &os, const std::string &cell, size_t width, bool left, bool last) const;

  std::vector<size_t> words; // the indices of the columns of text
  std::vector<std::vector<std::string>> rows;
};

} // namespace heddle::bench

#endif // HEDDLE_BENCH_COLUMNS_H
