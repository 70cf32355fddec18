//===- CpuCode.cpp - LLVM dialect to an object ----------------------------===//

#include "Codegen.h"
#include "CpuArchitecture.h"
#include "CpuTarget.h"
#include "HostCode.h"

#include "abi/EntryPoints.h"
#include "abi/ModelInterface.h"
#include "targets/llvm/MakeLLVMIR.h"

#include "Notes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace mlir;
using namespace heddle;

// The number of functions in the longest chain of calls, which bounds the size of the stack: run, run_arrays, main, a
// kernel, the kernel's worker function and a task.
static constexpr unsigned callDepth = 6;

/// Removes Heddle's annotations (attributes heddle.*) of arguments and results, because the translation to LLVM IR does
/// not support them.
static void dropNotes(ModuleOp module) {
  auto drop = [](ArrayAttr attributes) -> Attribute {
    if (!attributes)
      return attributes;
    SmallVector<Attribute> kept;
    for (DictionaryAttr dictionary : attributes.getAsRange<DictionaryAttr>()) {
      SmallVector<NamedAttribute> entries(dictionary.getValue());
      llvm::erase_if(entries, [](NamedAttribute entry) { return Note::find(entry.getName()); });
      kept.push_back(DictionaryAttr::get(attributes.getContext(), entries));
    }
    return ArrayAttr::get(attributes.getContext(), kept);
  };
  module.walk([&](LLVM::LLVMFuncOp function) {
    if (ArrayAttr attributes = function.getArgAttrsAttr())
      function.setArgAttrsAttr(cast<ArrayAttr>(drop(attributes)));
    if (ArrayAttr attributes = function.getResAttrsAttr())
      function.setResAttrsAttr(cast<ArrayAttr>(drop(attributes)));
  });
}

/// Merges equal constant tables of several variants. LLVM keeps only one copy of equal constants in a context, so
/// tables are equal if they have the same initializer.
static void mergeTables(llvm::Module &module) {
  llvm::DenseMap<llvm::Constant *, llvm::GlobalVariable *> known;
  for (llvm::GlobalVariable &global : llvm::make_early_inc_range(module.globals())) {
    bool isTable = global.isConstant() && global.hasPrivateLinkage() && global.hasInitializer() &&
                   isa<llvm::ArrayType>(global.getValueType());
    if (!isTable)
      continue;
    auto [first, isNew] = known.try_emplace(global.getInitializer(), &global);
    if (isNew)
      continue;
    first->second->setAlignment(
        std::max(first->second->getAlign().valueOrOne(), global.getAlign().valueOrOne()));
    global.replaceAllUsesWith(first->second);
    global.eraseFromParent();
  }
}

namespace {
/// The code of a library: one LLVM module with the code of all variants and with the entry points.
class CpuCode : public TargetCode {
public:
  CpuCode(Location loc, const CpuTarget &target, const ModelInterface &interface)
      : loc(loc), target(target), interface(interface) {}

  /// Creates and optimizes the module. `variants` contains all variants of the first class of sizes (a part of the
  /// sizes' ranges that has code of its own), then all variants of the next class, and so on. The list is empty if the
  /// kernels run on a device.
  LogicalResult translate(ArrayRef<TargetVariant> variants);
  LogicalResult print(Stage stage, llvm::raw_ostream &os) override;
  FailureOr<ObjectCode> emit(uint64_t weightsSize) override;

private:
  LogicalResult addVariant(const TargetVariant &variant, unsigned number);
  // In the following functions, `code` is an index into the list that `translate` gets.
  /// Returns the interface of the class of sizes to which the code belongs.
  const ModelInterface &interfaceOf(unsigned code) const {
    return interface.classes.empty() ? interface : interface.classes[code / interface.variants.size()];
  }
  unsigned variantOf(unsigned code) const { return code % interface.variants.size(); }
  /// Returns the suffix that is appended to the names of the functions of this code. The suffix is empty if the library
  /// has neither several variants nor classes of sizes.
  std::string getSuffix(unsigned code) const { return interfaceOf(code).getSuffix(variantOf(code)); }
  /// Returns the features that a machine must have to run the code of a variant. Code that uses no tile registers does
  /// not need the features of Intel AMX, so it also runs where these are missing or not permitted.
  std::vector<std::string> neededFeatures(ArrayRef<TargetVariant> variants, unsigned variant) const;
  std::string getSection(unsigned code) const {
    std::string suffix = getSuffix(code);
    return suffix.empty() ? ".text" : ".text." + suffix.substr(1);
  }
  /// Measures the object and sets interface.stackSize.
  ObjectSizes measure(ArrayRef<char> object) {
    std::vector<std::string> sections;
    for (unsigned i = 0; i < interface.variants.size() * std::max<size_t>(interface.classes.size(), 1); ++i)
      sections.push_back(getSection(i));
    // With classes of sizes, the chain has one more function: run_arrays of the model calls run_arrays of a class.
    unsigned depth = callDepth + !interface.classes.empty();
    ObjectSizes sizes =
        measureObject(llvm::MemoryBufferRef(StringRef(object.data(), object.size()), ""), sections, depth);
    interface.stackSize = sizes.all.stack;
    return sizes;
  }

  Location loc;
  const CpuTarget &target;
  ModelInterface interface;
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module;
  bool isMeasured = false; // whether the module contains the size of the stack
};
} // namespace

/// Returns whether the module, at stage llvm, has values in tile registers.
static bool usesTiles(ModuleOp module) {
  WalkResult result = module.walk([](Operation *op) {
    auto isTile = [](Type type) { return isa<LLVM::LLVMX86AMXType>(type); };
    return llvm::any_of(op->getResultTypes(), isTile) ? WalkResult::interrupt() : WalkResult::advance();
  });
  return result.wasInterrupted();
}

/// Adds the functions of a variant to the module. `number` is the index of the variant in the list that `translate`
/// gets. If the library contains several variants or classes of sizes, appends a suffix to the names of the functions
/// and puts the functions into a section of the variant.
LogicalResult CpuCode::addVariant(const TargetVariant &variant, unsigned number) {
  dropNotes(variant.module);
  std::unique_ptr<llvm::Module> added = makeLLVMIR(variant.module, context, interface.name);
  if (!added)
    return failure();
  setTarget(*added, *static_cast<const CpuTarget *>(variant.target));
  // After each call, LLVM configures the tile registers again, since the called function may have used them. So LLVM
  // must not turn loops into calls of memset or memcpy.
  if (usesTiles(variant.module))
    for (llvm::Function &function : *added)
      function.addFnAttr("no-builtins");
  llvm::Function *main = added->getFunction("main");
  // The entry points, which call @main, are compiled for the baseline CPU, so @main must not be inlined into them.
  main->addFnAttr(llvm::Attribute::NoInline);
  if (std::string suffix = getSuffix(number); !suffix.empty())
    for (llvm::Function &function : *added)
      if (!function.isDeclaration()) {
        function.setSection(getSection(number));
        function.setName(function.getName() + suffix);
      }
  // Rename @main, because the host program has a function `main`, too.
  main->setName(interfaceOf(number).getMain(variantOf(number)));
  if (!module)
    module = std::move(added);
  else if (llvm::Linker::linkModules(*module, std::move(added)))
    return emitError(loc) << "LLVM cannot link the code of the CPU variants into one module";
  return success();
}

std::vector<std::string> CpuCode::neededFeatures(ArrayRef<TargetVariant> variants, unsigned variant) const {
  bool tiles = false;
  for (unsigned code = 0; code < variants.size(); ++code)
    tiles |= variantOf(code) == variant && usesTiles(variants[code].module);
  std::vector<std::string> features = variants[variant].target->getFacts().features;
  if (!tiles)
    llvm::erase_if(features, [](StringRef feature) { return feature.starts_with("amx-"); });
  return features;
}

LogicalResult CpuCode::translate(ArrayRef<TargetVariant> variants) {
  for (auto [i, variant] : llvm::enumerate(variants))
    if (failed(addVariant(variant, i)))
      return failure();
  if (variants.size() > 1)
    mergeTables(*module);
  if (!module) { // the kernels run on a device, so there are no variants
    module = std::make_unique<llvm::Module>(interface.name, context);
    setTarget(*module, target);
  }
  const CpuArchitecture &architecture = target.getArchitecture();
  addEntryPoints(*module, interface,
                 {architecture.baseline, architecture.baselineFeatures, [&](EntryBuilder &builder, unsigned variant) {
                    if (variant < variants.size())
                      architecture.emitCheck(builder, neededFeatures(variants, variant));
                  }});
  std::string error;
  llvm::raw_string_ostream stream(error);
  if (llvm::verifyModule(*module, &stream))
    return emitError(loc) << "the generated LLVM IR is not valid: " << error;
  optimize(*module, target);
  return success();
}

LogicalResult CpuCode::print(Stage stage, llvm::raw_ostream &os) {
  auto emitCopy = [&](llvm::CodeGenFileType type) {
    std::unique_ptr<llvm::Module> copy = llvm::CloneModule(*module);
    return emitCode(loc, *copy, target, type);
  };
  if (!isMeasured) {
    // The text contains the size of the stack, which is known only after code generation. So emit the code once to
    // measure the stack.
    FailureOr<SmallVector<char, 0>> object = emitCopy(llvm::CodeGenFileType::ObjectFile);
    if (failed(object))
      return failure();
    measure(*object);
    setStackSize(*module, interface);
    isMeasured = true;
  }
  if (stage == Stage::LLVMIR) {
    module->print(os, nullptr);
    return success();
  }
  FailureOr<SmallVector<char, 0>> assembly = emitCopy(llvm::CodeGenFileType::AssemblyFile);
  if (failed(assembly))
    return failure();
  os.write(assembly->data(), assembly->size());
  return success();
}

FailureOr<ObjectCode> CpuCode::emit(uint64_t weightsSize) {
  if (weightsSize)
    reserveWeights(*module, weightsSize, getWeightsSymbol(interface));
  FailureOr<SmallVector<char, 0>> bytes = emitCode(loc, *module, target, llvm::CodeGenFileType::ObjectFile);
  if (failed(bytes))
    return failure();
  ObjectSizes sizes = measure(*bytes);
  setStackSize(*bytes, interface);
  return ObjectCode{std::move(*bytes), sizes.all, sizes.variants};
}

FailureOr<std::unique_ptr<TargetCode>> heddle::makeHostCode(Location loc, const CpuTarget &host,
                                                            const ModelInterface &interface) {
  auto code = std::make_unique<CpuCode>(loc, host, interface);
  if (failed(code->translate({})))
    return failure();
  return std::unique_ptr<TargetCode>(std::move(code));
}

FailureOr<std::unique_ptr<TargetCode>> CpuTarget::translate(ArrayRef<TargetVariant> variants,
                                                            const ModelInterface &interface) const {
  auto code = std::make_unique<CpuCode>(variants.front().module->getLoc(), *this, interface);
  if (failed(code->translate(variants)))
    return failure();
  return std::unique_ptr<TargetCode>(std::move(code));
}
