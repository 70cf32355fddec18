//===- Columns.h - text in columns ------------------------------*- C++ -*-===//

#ifndef HEDDLE_BENCH_COLUMNS_H
#define HEDDLE_BENCH_COLUMNS_H

#include "llvm/Support/raw_ostream.h"

#include <string>
#include <vector>

namespace heddle::bench {

/// Cells in rows, the first of which is the heading.
class Columns {
public:
  /// Which columns hold words, and go to the left; the others hold numbers.
  explicit Columns(std::vector<size_t> words = {0}) : words(std::move(words)) {}

  void add(std::vector<std::string> cells) { rows.push_back(std::move(cells)); }

  /// Padded with spaces.
  void writeText(llvm::raw_ostream &os) const;
  /// A table of Markdown.
  void writeMarkdown(llvm::raw_ostream &os) const;
  /// A table of HTML, whose cells know what their columns are called.
  void writeHtml(llvm::raw_ostream &os) const;

private:
  std::vector<size_t> widths() const;
  bool isWords(size_t column) const;
  void pad(llvm::raw_ostream &os, const std::string &cell, size_t width, bool left, bool last) const;

  std::vector<size_t> words;
  std::vector<std::vector<std::string>> rows;
};

} // namespace heddle::bench

#endif // HEDDLE_BENCH_COLUMNS_H
