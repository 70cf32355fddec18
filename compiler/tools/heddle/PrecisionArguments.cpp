//===- PrecisionArguments.cpp - options of the precision ------------------===//

#include "PrecisionArguments.h"

#include "heddle/CalibrationCases.h"
#include "heddle/Devices.h"
#include "heddle/Progress.h"

#include <cmath>

using namespace mlir;
using namespace heddle;

void PrecisionArguments::add(CLI::App &app) {
  CLI::Option *precision =
      app.add_option("--precision", text,
                     "the precision of layers: f32, bf16, int8 or int8-block; or a precision for each kind of layer, "
                     "such as int8:ffn,bf16:linear (linear, ffn, embedding, attention); bf16-weights and f16-weights: "
                     "store weights in this type and "
                     "compute in f32")
          ->capture_default_str()
          ->check([](const std::string &text) {
            PrecisionChoice choice;
            return parsePrecision(text, choice);
          });
  app.add_option("--calibrate", calibration,
                 "FILE: a .safetensors file with inputs that determine the outlier channels, which int8 keeps in f32 "
                 "(default: random inputs)")
      ->needs(precision);
  app.add_option(
         "--least-cosine", minCosine,
         "C: keep layers in bf16 or f32 until each row of each output has a cosine of at least C with the same row in "
         "f32, with a margin for inputs that are harder than the calibration inputs")
      ->needs(precision)
      ->check([](const std::string &text) -> std::string {
        double value;
        bool fits = !StringRef(text).getAsDouble(value) && std::isfinite(value) && value > 0 && value <= 1;
        return fits ? "" : "'" + text + "' is not a cosine: expected a number above 0, at most 1";
      });
  app.add_option(
         "--state-precision", states,
         "the type in which keys and values are stored between calls: f32, bf16, f16, or int8 with a scale for each "
         "row; computations are in f32")
      ->check([](const std::string &text) {
        StateFormat format;
        return parseStatePrecision(text, format);
      });
}

PrecisionChoice PrecisionArguments::choice() const {
  PrecisionChoice choice;
  parsePrecision(text, choice);
  if (leavesAttention)
    choice.formats[size_t(ModelPart::Attention)] = LayerFormat::F32;
  return choice;
}

LogicalResult PrecisionArguments::lower(Model &model, StringRef path, const ImportOptions &options, int &status) const {
  PrecisionOptions asked{choice(), minCosine, leavesAttention, &llvm::errs()};
  status = ExitUsage;
  if (!asked.choice.rounds() && (minCosine > 0 || !calibration.empty())) {
    llvm::errs() << "heddle: error: " << (minCosine > 0 ? "--least-cosine" : "--calibrate")
                 << " needs a precision that rounds, such as int8, found " << text << "\n";
    return failure();
  }
  status = ExitBad;
  FailureOr<std::vector<CalibrationCase>> cases = std::vector<CalibrationCase>();
  Progress progress;
  if (asked.choice.rounds()) {
    progress.show("calibrating layers in f32");
    cases = calibration.empty() ? randomCases(model, path, options, minCosine > 0)
                                : casesFromFile(model, path, options, calibration);
  }
  if (failed(cases) || failed(lowerModel(model, asked, *cases)))
    return failure();
  StateFormat format;
  return states.empty() || !parseStatePrecision(states, format).empty() ? success() : storeStates(model, format);
}

/// Returns whether a device with these facts computes this kind of layers in this format.
static bool computes(const TargetFacts &facts, ModelPart part, LayerFormat format) {
  bool isProduct = part == ModelPart::Linear || part == ModelPart::Ffn;
  ArrayRef<std::string> products = isProduct                      ? ArrayRef(facts.products)
                                   : part == ModelPart::Attention ? ArrayRef(facts.attentionProducts)
                                                                  : ArrayRef<std::string>();
  return format == LayerFormat::F32 || llvm::is_contained(products, formatName(format));
}

/// Returns a text that says what code for a device with these facts computes. A message continues the text by "in f32".
static std::string describeCode(const TargetFacts &facts) {
  std::string formats;
  for (LayerFormat format : {LayerFormat::BF16, LayerFormat::Int8, LayerFormat::Int8Block})
    if (computes(facts, ModelPart::Linear, format))
      formats += " or " + formatName(format).str();
  bool hasAttention = computes(facts, ModelPart::Attention, LayerFormat::BF16);
  return formats.empty() ? "computes"
                         : std::string("computes linear and feed-forward layers") +
                               (hasAttention ? " and attention" : "") + " in f32" + formats + ", and other layers";
}

LogicalResult PrecisionArguments::fitDevice(MLIRContext &context, StringRef device) {
  TargetOptions options;
  options.device = findDeviceKind(device)->name.str();
  if (options.device == hostDevice)
    return success();
  FailureOr<std::unique_ptr<Target>> target = createTarget(UnknownLoc::get(&context), options);
  if (failed(target))
    return failure();
  const TargetFacts &facts = (*target)->getFacts();
  auto refuse = [&](StringRef option, StringRef asked, StringRef does) -> LogicalResult {
    llvm::errs() << "heddle: error: " << option << " " << asked << ": not supported on device " << device
                 << ": code for this device " << does << " in f32\n";
    return failure();
  };
  leavesAttention = !choice().isNamed(ModelPart::Attention) &&
                    !computes(facts, ModelPart::Attention, choice().of(ModelPart::Attention));
  PrecisionChoice asked = choice();
  for (ModelPart part : {ModelPart::Linear, ModelPart::Ffn, ModelPart::Embedding, ModelPart::Attention})
    if (!computes(facts, part, asked.of(part)))
      return refuse("--precision", text, describeCode(facts));
  if (!asked.storage.empty() && !llvm::is_contained(facts.elements, asked.storage))
    return refuse("--precision", text, "stores weights");
  StateFormat format = StateFormat::F32;
  if (!states.empty() && parseStatePrecision(states, format).empty() && format != StateFormat::F32)
    return refuse("--state-precision", states, "keeps states");
  return success();
}
