//===- OutputPlan.cpp - the kind of output that -o selects ----------------===//

#include "OutputPlan.h"

#include "heddle/Devices.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace heddle;
using llvm::StringRef;

namespace {
/// An extension of the output file, and the kind of output that it selects without --emit.
struct Extension {
  StringRef text;
  OutputPlan plan;
};
} // namespace

static constexpr Extension extensions[] = {
    {".so", {OutputForm::Shared, Stage::Object}}, {".a", {OutputForm::Static, Stage::Object}},
    {".o", {OutputForm::Object, Stage::Object}},  {".mlir", {OutputForm::Stage, Stage::LLVM}},
    {".ll", {OutputForm::Stage, Stage::LLVMIR}},  {".s", {OutputForm::Stage, Stage::Object}}};

/// Prints an error and returns nullopt.
static std::optional<OutputPlan> refuse(const llvm::Twine &text) {
  llvm::errs() << "heddle: error: " << text << "\n";
  return std::nullopt;
}

/// Returns the kind of device whose code is stored in files with this extension, or null if there is none.
static const DeviceKind *kindOfCode(StringRef extension) {
  for (const DeviceKind &kind : deviceKinds())
    if (!extension.empty() && kind.extension == extension)
      return &kind;
  return nullptr;
}

/// Returns texts joined as "a, b or c".
static std::string oneOf(llvm::ArrayRef<std::string> texts) {
  return llvm::join(texts.drop_back(), ", ") + " or " + texts.back();
}

/// Returns the extensions of libraries, of device code and, with `andStages`, of the text of stages.
static std::string allExtensions(bool andStages) {
  std::vector<std::string> all;
  for (const Extension &extension : extensions)
    if (andStages || extension.plan.isLibrary())
      all.push_back(extension.text.str());
  for (const DeviceKind &kind : deviceKinds())
    if (!kind.extension.empty())
      all.push_back(kind.extension.str());
  return oneOf(all);
}

std::optional<OutputPlan> OutputPlan::make(StringRef output, StringRef emit, StringRef device) {
  StringRef ending = llvm::sys::path::extension(output);
  std::optional<Stage> stage;
  if (!emit.empty() && !(stage = parseStage(emit)))
    return refuse("--emit: no stage is called '" + emit + "'; the stages are " + llvm::join(stageNames(), ", "));
  const DeviceKind *kind = kindOfCode(ending);
  if (kind && kind != findDeviceKind(device))
    return refuse("'" + output + "': " + kind->language + " is code for --device " + kind->name + ", found " + device);
  const Extension *extension = llvm::find_if(extensions, [&](const Extension &known) { return known.text == ending; });
  bool isKnown = extension != std::end(extensions);
  if (stage && (kind || (isKnown && extension->plan.isLibrary())))
    return refuse("--emit writes code as text: the name of the output file (-o) must not end in " +
                  allExtensions(/*andStages=*/false));
  if (kind)
    return OutputPlan{OutputForm::DeviceCode, Stage::LLVM};
  if (stage)
    return OutputPlan{OutputForm::Stage, *stage};
  if (!isKnown)
    return refuse("-o '" + output + "': the name must end in " + allExtensions(/*andStages=*/true));
  return extension->plan;
}

std::string heddle::describeOutputs() {
  std::string text = "OUT.so, .a or .o: a library, with a header OUT.h beside it; OUT.mlir, .ll or .s: code as text";
  for (const DeviceKind &kind : deviceKinds())
    if (!kind.extension.empty())
      text += "; OUT" + kind.extension.str() + ": only the device code";
  return text;
}
