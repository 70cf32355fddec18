//===- InputFile.cpp - reading whole files --------------------------------===//

#include "heddle/InputFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"

#include <mutex>

namespace fs = llvm::sys::fs;

namespace {
/// The paths of the files that this process has read. Paths are recorded only while an InputFileLog exists (`isOn`).
struct Notes {
  std::mutex mutex;
  bool isOn = false;
  std::vector<std::string> paths;
};
} // namespace

static Notes &notes() {
  static Notes notes;
  return notes;
}

heddle::InputFileLog::InputFileLog() {
  std::lock_guard lock(notes().mutex);
  assert(!notes().isOn && "one log at a time");
  notes().isOn = true;
}

heddle::InputFileLog::~InputFileLog() {
  std::lock_guard lock(notes().mutex);
  notes().isOn = false;
  notes().paths.clear();
}

std::vector<std::string> heddle::InputFileLog::paths() const {
  std::lock_guard lock(notes().mutex);
  return notes().paths;
}

void heddle::noteInputFile(llvm::StringRef path) {
  std::lock_guard lock(notes().mutex);
  if (notes().isOn && !llvm::is_contained(notes().paths, path))
    notes().paths.push_back(path.str());
}

/// Returns a path as a word of a rule in a makefile, with special characters escaped.
static std::string makeWord(llvm::StringRef path) {
  std::string word;
  for (char c : path) {
    if (c == ' ' || c == '#')
      word += '\\';
    word += c == '$' ? "$$" : std::string(1, c);
  }
  return word;
}

std::string heddle::makeRule(llvm::StringRef output, llvm::ArrayRef<std::string> files) {
  std::string rule = makeWord(output) + ":";
  for (const std::string &file : files)
    rule += " \\\n  " + makeWord(file);
  return rule + "\n";
}

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> heddle::readRegularFile(llvm::StringRef path, bool isText) {
  if (fs::exists(path) && !fs::is_regular_file(path))
    return llvm::createStringError("not a regular file");
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/isText);
  if (!buffer)
    return llvm::createStringError("cannot read the file: " + buffer.getError().message());
  noteInputFile(path);
  return std::move(*buffer);
}
