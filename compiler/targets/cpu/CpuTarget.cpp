//===- CpuTarget.cpp - the CPU that code is compiled for ------------------===//

#include "CpuTarget.h"
#include "CpuArchitecture.h"
#include "CpuLimits.h"

#include "targets/llvm/LLVMSizes.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

using namespace mlir;
using namespace heddle;

/// Returns the supported architectures.
static ArrayRef<CpuArchitecture> architectures() {
  static const CpuArchitecture known[] = {
#define HEDDLE_ARCHITECTURE(Name) get##Name(),
#include "Architectures.inc"
#undef HEDDLE_ARCHITECTURE
  };
  return known;
}

/// Returns the elements of architecture.checkedFeatures that the CPU has after the changes in `attributes` (--mattr).
static std::vector<std::string> listFeatures(const CpuArchitecture &architecture, const llvm::Target &target,
                                             const llvm::Triple &triple, llvm::StringRef cpu,
                                             llvm::StringRef attributes) {
  std::unique_ptr<llvm::MCSubtargetInfo> info(target.createMCSubtargetInfo(triple, cpu, attributes));
  std::vector<std::string> features;
  for (const llvm::SubtargetFeatureKV &known : info->getAllProcessorFeatures())
    if (llvm::is_contained(architecture.checkedFeatures, known.Key) && info->getFeatureBits()[known.Value])
      features.push_back(known.Key);
  llvm::sort(features);
  return features;
}

/// Checks the value of --mattr, a list of "+FEATURE" or "-FEATURE" separated by commas.
static LogicalResult checkAttributes(Location loc, const CpuArchitecture &architecture, llvm::StringRef attributes) {
  for (llvm::StringRef attribute : llvm::split(attributes, ',')) {
    llvm::StringRef name = attribute.trim();
    if (name.empty())
      continue;
    if ((!name.consume_front("+") && !name.consume_front("-")) || name.empty())
      return emitError(loc) << "--mattr: expected +FEATURE or -FEATURE, found " << attribute;
    if (!llvm::is_contained(architecture.checkedFeatures, name))
      return emitError(loc) << "--mattr: unknown feature " << name << "; expected one of "
                            << llvm::join(architecture.checkedFeatures, ", ");
  }
  return success();
}

/// Returns the triple of the option --target, or by default the triple of this machine.
static llvm::Triple findTriple(const TargetOptions &options) {
  return llvm::Triple(options.triple.empty() ? llvm::sys::getDefaultTargetTriple()
                                             : llvm::Triple::normalize(options.triple));
}

/// Returns the architecture of the triple, or the end of architectures() if it is not supported.
static const CpuArchitecture *findArchitecture(const llvm::Triple &triple) {
  return llvm::find_if(architectures(), [&](const CpuArchitecture &known) { return known.arch == triple.getArch(); });
}

/// Returns LLVM's information about the CPUs of this triple, or null if LLVM does not support the triple.
static std::unique_ptr<llvm::MCSubtargetInfo> getSubtarget(const llvm::Triple &triple) {
  std::string error;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  return std::unique_ptr<llvm::MCSubtargetInfo>(target ? target->createMCSubtargetInfo(triple, "", "") : nullptr);
}

/// Returns the end of the error about an unknown CPU: " (NAME is a CPU of aarch64)" if another architecture has a CPU
/// of this name, else "".
static std::string whoseCpu(llvm::StringRef cpu) {
  for (const CpuArchitecture &known : architectures()) {
    known.initialize();
    llvm::Triple triple(llvm::Triple::getArchTypeName(known.arch), "unknown", "linux");
    if (auto info = getSubtarget(triple); info && info->isCPUStringValid(cpu))
      return (" (" + cpu + " is a CPU of " + triple.getArchName() + ")").str();
  }
  return "";
}

std::string CpuTarget::getDefaultCpus(const TargetOptions &options) {
  const CpuArchitecture *architecture = findArchitecture(findTriple(options));
  return architecture == architectures().end() ? "native" : architecture->defaults.str();
}

/// Returns whether the CPU has a 64-bit mode. This check is needed because LLVM accepts 32-bit CPUs for x86-64, too.
static bool runs64Bits(const llvm::Target &target, const llvm::Triple &triple, StringRef cpu) {
  std::unique_ptr<llvm::MCSubtargetInfo> info(target.createMCSubtargetInfo(triple, cpu, ""));
  return !triple.isX86() || info->checkFeatures("+64bit");
}

FailureOr<std::unique_ptr<Target>> CpuTarget::create(Location loc, const TargetOptions &options) {
  llvm::StringRef cpu = options.cpu, attributes = options.attributes;
  llvm::Triple triple = findTriple(options);
  const CpuArchitecture *architecture = findArchitecture(triple);
  // Only triples of Linux with 64-bit pointers are supported, because generated code uses the calling conventions of
  // Linux and its ways to detect CPU features.
  bool isKnown = architecture != architectures().end() && triple.isOSBinFormatELF() && !triple.isX32() &&
                 triple.getEnvironment() != llvm::Triple::GNUILP32 &&
                 (triple.isOSLinux() || triple.getOS() == llvm::Triple::UnknownOS);
  if (!isKnown) {
    auto names =
        llvm::map_range(architectures(), [](auto &known) { return llvm::Triple::getArchTypeName(known.arch); });
    return emitError(loc) << "--target: expected " << llvm::join(names, " or ")
                          << " with ELF objects, 64-bit pointers and Linux, found " << triple.str();
  }
  architecture->initialize();
  std::string error;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return emitError(loc) << "--target: " << error;
  bool native = cpu == "native";
  if (native && triple.getArch() != llvm::Triple(llvm::sys::getProcessTriple()).getArch())
    return emitError(loc) << "--mcpu: native is this machine's CPU, which does not run code for " << triple.str()
                          << "; expected a name that clang knows, such as " << architecture->examples;

  auto created = std::make_unique<CpuTarget>();
  CpuTarget &result = *created;
  result.architecture = architecture;
  result.cpu = native ? llvm::sys::getHostCPUName().str() : cpu.str();
  std::unique_ptr<llvm::MCSubtargetInfo> info(target->createMCSubtargetInfo(triple, "", ""));
  if (!info->isCPUStringValid(result.cpu)) {
    if (!native)
      return emitError(loc) << "--mcpu: unknown CPU " << cpu << " for " << triple.str() << whoseCpu(cpu)
                            << "; expected native, or a name that clang knows, such as " << architecture->examples;
    result.cpu = architecture->baseline;
  }
  if (!runs64Bits(*target, triple, result.cpu))
    return emitError(loc) << "--mcpu: " << cpu << " is a 32-bit CPU, which cannot run code for " << triple.str();
  if (failed(checkAttributes(loc, *architecture, attributes)))
    return failure();
  if (native) {
    llvm::StringMap<bool> host = llvm::sys::getHostCPUFeatures();
    for (llvm::StringRef feature : architecture->checkedFeatures)
      if (host.lookup(feature) && architecture->isInNative(feature))
        result.facts.features.push_back(feature.str());
  } else {
    result.facts.features = listFeatures(*architecture, *target, triple, result.cpu, "");
  }
  // Apply --mattr: read the features again after LLVM has added the features that the attributes imply and removed the
  // features that depend on a removed one.
  auto join = [&] {
    std::string text;
    for (const std::string &feature : result.facts.features)
      text += (text.empty() ? "+" : ",+") + feature;
    return text;
  };
  result.facts.features =
      listFeatures(*architecture, *target, triple, architecture->baseline, join() + (attributes.empty() ? "" : "," + attributes.str()));
  result.facts.limits = getCpuLimits(result.cpu, architecture->getVectors(result.facts.features));
  result.facts.limits["unsigned_dots"] = architecture->hasUnsignedDots(result.facts.features);
  result.facts.limits["dot_bits"] = architecture->getDotBits(result.facts.features);
  result.facts.limits["bf16_dots"] = llvm::is_contained(result.facts.features, architecture->bf16Dots);
  std::string text = join();
  llvm::TargetOptions machineOptions;
  machineOptions.AllowFPOpFusion = llvm::FPOpFusion::Fast;
  machineOptions.EmitStackSizeSection = true;
  machineOptions.MCOptions.AsmVerbose = true;
  result.machine.reset(target->createTargetMachine(triple, architecture->baseline, text, machineOptions, llvm::Reloc::PIC_,
                                                   llvm::CodeModel::Small, llvm::CodeGenOptLevel::Aggressive));
  if (!result.machine)
    return emitError(loc) << "LLVM cannot generate code for " << triple.str();
  return std::unique_ptr<Target>(std::move(created));
}

std::string CpuTarget::describe() const {
  return machine->getTargetTriple().str() + " " + cpu + " " + machine->getTargetFeatureString().str();
}

std::unique_ptr<SizeArithmetic> CpuTarget::makeSizeArithmetic(FunctionOpInterface func, const Sizes &sizes) const {
  return makeLLVMSizes(func, sizes);
}

std::string CpuTarget::whyNotHere() const {
  llvm::Triple here(llvm::sys::getProcessTriple());
  const llvm::Triple &triple = machine->getTargetTriple();
  return triple.getArch() == here.getArch() && triple.getOS() == here.getOS()
             ? ""
             : "code for " + triple.str() + " does not run on " + here.str();
}
