//===- Trial.cpp - what became of a random case ---------------------------===//

#include "Trial.h"

#include "Refusals.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

std::vector<std::string> Trials::arguments(const RandomCase &chosen, const std::string &file) const {
  std::vector<std::string> words = {heddle, "verify", chosen.isModule() ? file : chosen.text};
  llvm::append_range(words, chosen.options);
  return words;
}

std::string Trials::command(const RandomCase &chosen, const std::string &file) const {
  std::string text;
  for (const std::string &word : arguments(chosen, file)) {
    bool isPlain = llvm::all_of(word, [](char c) { return llvm::isAlnum(c) || llvm::StringRef("-_./=:,").contains(c); });
    text += (text.empty() ? "" : " ") + (isPlain ? word : "'" + word + "'");
  }
  return text;
}

static std::string contents(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().str() : "";
}

/// An error without what differs from one case to another: where it is, numbers, and what stands in quotes.
static std::string withoutDetails(llvm::StringRef line) {
  std::string text;
  bool quoted = false;
  for (char c : line.substr(line.find("error: "))) {
    quoted ^= c == '\'';
    if (!quoted && !llvm::isDigit(c))
      text += c;
  }
  return text;
}

static Trial judge(int status, const std::string &problem, std::string output) {
  Trial trial{Trial::Right, "", std::move(output)};
  if (status == 0)
    return trial;
  trial.outcome = Trial::Failed;
  llvm::StringRef text = trial.output;
  llvm::SmallVector<llvm::StringRef> lines;
  text.split(lines, '\n');
  const auto *error = llvm::find_if(lines, [](llvm::StringRef line) { return line.contains("error: "); });
  if (status < 0)
    trial.failure = "crash: " + problem;
  else if (error != lines.end() && findRefusal(*error))
    trial = {Trial::Refused, *findRefusal(*error), trial.output};
  else if (error != lines.end())
    trial.failure = withoutDetails(*error);
  else if (text.contains("FAIL"))
    trial.failure = "wrong result";
  else
    trial.failure = "status " + std::to_string(status);
  return trial;
}

Trial Trials::run(const RandomCase &chosen) const {
  std::string file = folder + "/case.mlir", printed = folder + "/output";
  if (chosen.isModule()) {
    std::error_code error;
    llvm::raw_fd_ostream(file, error) << chosen.text;
    if (error)
      return {Trial::Failed, "cannot write " + file + ": " + error.message(), ""};
  }
  std::vector<std::string> words = arguments(chosen, file);
  std::vector<llvm::StringRef> refs(words.begin(), words.end());
  std::optional<llvm::StringRef> redirects[] = {llvm::StringRef(), llvm::StringRef(printed), llvm::StringRef(printed)};
  std::string problem;
  int status = llvm::sys::ExecuteAndWait(heddle, refs, std::nullopt, redirects, seconds, megabytes, &problem);
  return judge(status, problem, contents(printed));
}
