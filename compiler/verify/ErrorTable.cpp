//===- ErrorTable.cpp - tables of the errors of each case -----------------===//

#include "heddle/ErrorTable.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

#include <cmath>

using namespace mlir;
using namespace heddle;

std::string heddle::describeLeftOut(const Judgement &judgement, StringRef before) {
  std::vector<std::string> parts;
  if (judgement.positions)
    parts.push_back(judgement.positions->text());
  if (judgement.overflows)
    parts.push_back(std::to_string(judgement.overflows) + " elements whose computation overflows f32");
  return parts.empty() ? "" : before.str() + "excluding " + llvm::join(parts, " and ");
}

/// Returns the last column of a line: the problem if the comparison failed, otherwise a note about positions and
/// elements that were excluded from the comparison.
static std::string noteOn(const Judgement &judgement) {
  const Comparison &comparison = judgement.comparison;
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (!comparison.ok) {
    stream << (comparison.problem.empty() ? "the largest error" : comparison.problem);
    if (!comparison.where.empty()) {
      stream << " at [";
      llvm::interleaveComma(comparison.where, stream);
      stream << llvm::format("]: %.9g, expected %.9g", comparison.actual, comparison.reference);
    }
  } else {
    stream << describeLeftOut(judgement, "");
  }
  return text.empty() ? text : "  " + text;
}

void heddle::printErrorTable(llvm::raw_ostream &stream, ArrayRef<Judgement> judgements) {
  size_t caseWidth = 4, outputWidth = 6;
  for (const Judgement &judgement : judgements) {
    caseWidth = std::max(caseWidth, judgement.where().size());
    outputWidth = std::max(outputWidth, judgement.comparison.output.size());
  }
  auto line = [&](StringRef name, StringRef output, StringRef error, StringRef bound, StringRef relative,
                  StringRef verdict) {
    stream << llvm::left_justify(name, caseWidth) << "  " << llvm::left_justify(output, outputWidth) << "  "
           << llvm::right_justify(error, 13) << "  " << llvm::right_justify(bound, 8) << "  "
           << llvm::right_justify(relative, 8) << "  " << verdict << "\n";
  };
  line("case", "output", "max abs error", "bound", "relative", "");
  for (const Judgement &judgement : judgements) {
    const Comparison &comparison = judgement.comparison;
    auto number = [](double value) { return llvm::formatv("{0:e1}", value).str(); };
    std::string relative = comparison.magnitude > 0 ? number(comparison.error / comparison.magnitude) : "-";
    line(judgement.where(), comparison.output, number(comparison.error), number(comparison.bound), relative,
         std::string(comparison.ok ? "ok" : "FAIL") + noteOn(judgement));
  }
}

/// Returns the number as JSON. JSON has no infinities and no NaN, so they become null.
static llvm::json::Value orNull(double number) {
  return std::isfinite(number) ? llvm::json::Value(number) : llvm::json::Value(nullptr);
}

void heddle::printErrorJson(llvm::raw_ostream &stream, ArrayRef<Judgement> judgements) {
  llvm::json::OStream json(stream, 2);
  json.array([&] {
    for (const Judgement &judgement : judgements)
      json.object([&] {
        const Comparison &comparison = judgement.comparison;
        json.attribute("case", judgement.where());
        json.attribute("output", comparison.output);
        json.attribute("against", comparison.against);
        json.attributeArray("shape", [&] {
          for (int64_t size : comparison.shape)
            json.value(size);
        });
        json.attribute("type", comparison.elementType);
        json.attribute("max_abs_error", orNull(comparison.error));
        json.attribute("bound", orNull(comparison.bound));
        json.attribute("magnitude", orNull(comparison.magnitude));
        json.attribute("overflows", judgement.overflows);
        if (judgement.positions) {
          json.attribute("positions", judgement.positions->all());
          json.attribute("positions_left_out", judgement.positions->leftOut());
        }
        json.attribute("ok", comparison.ok);
        json.attribute("problem", comparison.problem);
        if (judgement.fromF32) {
          json.attribute("max_abs_distance_from_f32", orNull(judgement.fromF32->error));
          json.attribute("worst_row_cosine_to_f32", orNull(judgement.fromF32->cosine));
        }
      });
  });
  stream << "\n";
}

std::vector<std::string> heddle::describeDistances(ArrayRef<Judgement> judgements, StringRef precision) {
  llvm::MapVector<StringRef, Distance> outputs;
  for (const Judgement &judgement : judgements)
    if (judgement.fromF32) {
      auto [found, isNew] = outputs.insert({judgement.comparison.output, *judgement.fromF32});
      found->second = isNew ? *judgement.fromF32 : worse(found->second, *judgement.fromF32);
    }
  std::vector<std::string> lines;
  for (const auto &[output, distance] : outputs)
    lines.push_back(llvm::formatv("{0}: {1} against f32: {2}", output, precision, distance.text()));
  return lines;
}
