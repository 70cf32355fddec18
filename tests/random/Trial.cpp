//===- Trial.cpp - outcome of a random case -------------------------------===//

#include "Trial.h"

#include "Refusals.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

/// Returns the words of the command. `file` is the path of the .mlir file if the case is a module.
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

/// Returns the contents of a file, or "" if it cannot be read.
static std::string contents(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().str() : "";
}

/// Removes the parts of an error that differ between cases: locations, numbers, and quoted text.
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

// A result is wrong if its error exceeds its bound. An "excess" is an error as a multiple of its bound.

/// If the excess is at least this number, the result is wrong, even if the results for other inputs are right.
static constexpr double muchTooFar = 100;
/// The maximum number of other inputs for which results are compared.
static constexpr unsigned maxOthers = 40;
/// If at most `fewOthers` other inputs have a wrong result, and the error is at most `fewTimes` times the bound, the
/// outcome of the case is `Chance`. Such errors occur if the scores of an attention are very large. Then the attention
/// probability is 1 for the largest score and 0 for all others, so rounding matters only where the largest scores are
/// equal, and few inputs contain equal scores.
static constexpr unsigned fewOthers = 1;
static constexpr double fewTimes = 4;
/// The excess of an output that consists only of rounding errors (isRounding). Its bound may be 0, so the excess cannot
/// be computed.
static constexpr double onlyRounding = 1;

// A "comparison" below is one object of the list that `heddle verify --json` prints. It compares one output with the
// output of the interpreter, for one set of inputs.

/// Returns whether an output consists only of rounding errors. An example is x minus the mean of equal numbers. The
/// interpreter may compute such an output without any error, and then the bound is too small for the compiled code.
static bool isRounding(const llvm::json::Object &comparison) {
  constexpr double digit = 1e-6; // relative to the inputs, whose magnitude is about 1
  return comparison.getString("problem") == "" && comparison.getNumber("magnitude").value_or(1) < digit &&
         comparison.getNumber("max_abs_error").value_or(1) < digit && !comparison.getString("type")->starts_with("i");
}

/// Parses the list that `heddle verify --json` prints; returns nullopt if `output` contains no valid JSON.
static std::optional<llvm::json::Array> comparisonsOf(llvm::StringRef output) {
  llvm::Expected<llvm::json::Value> json = llvm::json::parse(output.substr(output.find("[\n")));
  if (!json) {
    llvm::consumeError(json.takeError());
    return std::nullopt;
  }
  return std::move(*json->getAsArray());
}

/// Returns the name of the output, followed by the name of the set of inputs without its digits. If sizes lie in
/// ranges, the name of a set of inputs contains sizes, which depend on the seed.
static std::string nameOf(const llvm::json::Object &comparison) {
  std::string name = comparison.getString("output")->str();
  llvm::StringRef kind = *comparison.getString("case");
  for (char c : kind)
    if (!llvm::isDigit(c))
      name += c;
  return name;
}

/// Returns the largest excess of the wrong results; 0 if none is wrong. If `bounds` is not empty, the bound of a result
/// is the entry for its name (nameOf). Returns infinity if a wrong result has no finite excess, for instance because it
/// is NaN or its bound is 0.
static double excessOf(const llvm::json::Array &comparisons, const llvm::StringMap<double> &bounds = {}) {
  double excess = 0;
  for (const llvm::json::Value &value : comparisons) {
    const llvm::json::Object &comparison = *value.getAsObject();
    if (*comparison.getBoolean("ok"))
      continue;
    std::optional<double> error = comparison.getNumber("max_abs_error"), bound = comparison.getNumber("bound");
    bool isFinite = error && bound && (*bound > 0 || isRounding(comparison)) && comparison.getString("problem") == "";
    if (isFinite && !bounds.empty())
      bound = bounds.lookup(nameOf(comparison));
    excess = std::max(excess, !isFinite ? INFINITY : isRounding(comparison) ? onlyRounding : *error / *bound);
  }
  return excess;
}

/// Returns the outcome of a process that printed `output` and ended with `status`. A negative status means that the
/// process could not run, was ended by a signal or exceeded a limit; `problem` is the reason.
static Trial outcomeOf(int status, const std::string &problem, std::string output) {
  Trial trial{Trial::Right, "", std::move(output)};
  if (status == 0)
    return trial;
  trial.outcome = Trial::Failed;
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(trial.output).split(lines, '\n');
  const auto *error = llvm::find_if(lines, [](llvm::StringRef line) { return line.contains("error: "); });
  if (status < 0) {
    trial.failure = "crash: " + problem;
  } else if (error != lines.end()) {
    std::optional<std::string> refusal = findRefusal(*error);
    trial.outcome = refusal ? Trial::Refused : Trial::Failed;
    trial.failure = refusal.value_or(withoutDetails(*error));
  } else if (std::optional<llvm::json::Array> comparisons = comparisonsOf(trial.output)) {
    trial.failure = "wrong result";
    trial.excess = excessOf(*comparisons);
  } else {
    trial.failure = "status " + std::to_string(status) + " without a reason";
  }
  return trial;
}

/// Returns whether the wrong results of `trial` can be explained by bounds that are small by chance. Runs the case with
/// other inputs and compares the errors with their bounds; see Trials::run.
bool Trials::isChance(RandomCase chosen, const Trial &trial) const {
  auto seed = llvm::find(chosen.options, "--seed");
  if (seed == chosen.options.end())
    seed = chosen.options.insert(chosen.options.end(), {"--seed", ""});
  llvm::json::Array comparisons = *comparisonsOf(trial.output);
  llvm::StringMap<double> bounds; // the largest bound of each result over the other inputs, by nameOf
  unsigned wrong = 0;             // the number of other inputs with a wrong result
  for (unsigned other = 0; other < maxOthers; ++other) {
    seed[1] = std::to_string(1001 + other);
    Trial tried = runOnce(chosen);
    std::optional<llvm::json::Array> others = comparisonsOf(tried.output);
    if (!others)
      return false;
    wrong += tried.outcome != Trial::Right;
    for (const llvm::json::Value &value : *others) {
      double &bound = bounds[nameOf(*value.getAsObject())];
      bound = std::max(bound, value.getAsObject()->getNumber("bound").value_or(0));
    }
    if (excessOf(comparisons, bounds) <= 1)
      return true;
  }
  return trial.excess <= fewTimes && wrong <= fewOthers;
}

Trial Trials::run(const RandomCase &chosen) const {
  Trial trial = runOnce(chosen);
  if (trial.outcome != Trial::Failed || trial.excess == 0 || trial.excess >= muchTooFar)
    return trial;
  trial.failure = "slightly wrong result";
  if (trial.excess == onlyRounding || isChance(chosen, trial))
    trial.outcome = Trial::Chance;
  return trial;
}

Trial Trials::runOnce(const RandomCase &chosen) const {
  std::string file = folder + "/case.mlir", printed = folder + "/output";
  if (chosen.isModule()) {
    std::error_code error;
    llvm::raw_fd_ostream(file, error) << chosen.text;
    if (error)
      return {Trial::Failed, "cannot write " + file + ": " + error.message(), ""};
  }
  std::vector<std::string> words = arguments(chosen, file);
  words.push_back("--json");
  std::vector<llvm::StringRef> refs(words.begin(), words.end());
  std::optional<llvm::StringRef> redirects[] = {llvm::StringRef(), llvm::StringRef(printed), llvm::StringRef(printed)};
  llvm::sys::fs::remove(printed); // ExecuteAndWait does not truncate the file that the previous case wrote
  std::string problem;
  int status = llvm::sys::ExecuteAndWait(heddle, refs, std::nullopt, redirects, seconds, megabytes, &problem);
  return outcomeOf(status, problem, contents(printed));
}
