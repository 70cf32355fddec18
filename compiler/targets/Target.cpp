//===- Target.cpp - the list of targets -----------------------------------===//

#include "heddle/Target.h"

#include "targets/cpu/CpuTarget.h"
#include "targets/gpu/GpuTarget.h"

using namespace mlir;
using namespace heddle;

namespace {
/// The functions that create targets for one kind of device.
struct Maker {
  llvm::StringLiteral kind;
  FailureOr<std::unique_ptr<Target>> (*create)(Location loc, const TargetOptions &options);
  /// Returns the names of the CPUs for which a library contains code by default, separated by commas.
  std::string (*getDefaultCpus)(const TargetOptions &options);
};
} // namespace

static constexpr Maker makers[] = {
    {hostDevice, CpuTarget::create, CpuTarget::getDefaultCpus},
#define HEDDLE_DEVICE(name, Stem, language, extension) {#name, create##Stem##Target, GpuTarget::getDefaultCpus},
#include "devices/devices.def"
};

static FailureOr<const Maker *> findMaker(Location loc, const TargetOptions &options) {
  for (const Maker &maker : makers)
    if (maker.kind == options.device)
      return &maker;
  return emitError(loc) << "--device: there is no device '" << options.device << "'";
}

FailureOr<std::unique_ptr<Target>> heddle::createTarget(Location loc, const TargetOptions &options) {
  FailureOr<const Maker *> maker = findMaker(loc, options);
  if (failed(maker))
    return failure();
  return (*maker)->create(loc, options);
}

/// Emits an error and fails if code for one of the targets would never be chosen at run time, because another target
/// has the same name or features.
static LogicalResult checkDistinct(Location loc, ArrayRef<std::unique_ptr<Target>> targets) {
  for (size_t i = 0; i < targets.size(); ++i)
    for (size_t j = 0; j < i; ++j) {
      llvm::StringRef left = targets[j]->getName(), right = targets[i]->getName();
      if (left == right)
        return emitError(loc) << "--mcpu: " << left << " is given twice";
      if (targets[j]->getFacts().features == targets[i]->getFacts().features)
        return emitError(loc) << "--mcpu: " << left << " and " << right
                              << " have the same features: code for one of them would never be chosen";
    }
  return success();
}

FailureOr<std::vector<std::unique_ptr<Target>>> heddle::createTargets(Location loc, const TargetOptions &options) {
  FailureOr<const Maker *> maker = findMaker(loc, options);
  if (failed(maker))
    return failure();
  // A library tries its variants in the order of `targets`, so sort CPUs with wide vectors and many features first.
  auto width = [](const std::unique_ptr<Target> &target) { return target->getFacts().limits.at("vector_bits"); };
  auto multipliesBytes = [](const std::unique_ptr<Target> &target) {
    const std::map<std::string, int64_t> &limits = target->getFacts().limits;
    auto bits = limits.find("dot_bits");
    return bits != limits.end() && bits->second == 8;
  };
  auto isBetter = [&](const std::unique_ptr<Target> &left, const std::unique_ptr<Target> &right) {
    return std::pair(width(left), left->getFacts().features.size()) >
           std::pair(width(right), right->getFacts().features.size());
  };
  TargetOptions one = options;
  std::string cpus = options.cpu.empty() ? (*maker)->getDefaultCpus(options) : options.cpu;
  std::vector<std::unique_ptr<Target>> targets;
  for (llvm::StringRef cpu : llvm::split(cpus, ',')) {
    if (cpu.empty())
      return emitError(loc) << "--mcpu: expected a name between commas, found '" << cpus << "'";
    if (cpu.size() < cpus.size() && !options.attributes.empty())
      return emitError(loc) << "--mattr: cannot be combined with several CPUs, found --mcpu " << cpus;
    one.cpu = cpu.str();
    FailureOr<std::unique_ptr<Target>> target = (*maker)->create(loc, one);
    if (failed(target))
      return failure();
    targets.insert(llvm::upper_bound(targets, *target, isBetter), std::move(*target));
  }
  if (failed(checkDistinct(loc, targets)))
    return failure();
  // The code for all targets reads the same packed weights, so the targets must agree on their layout.
  if (width(targets.front()) != width(targets.back()))
    for (const std::unique_ptr<Target> &target : targets)
      target->sharePanels(width(targets.front()));
  if (llvm::any_of(targets, multipliesBytes))
    for (const std::unique_ptr<Target> &target : targets)
      target->shareBytes();
  return targets;
}
