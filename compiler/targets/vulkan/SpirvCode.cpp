//===- SpirvCode.cpp - the SPIR-V code of a module's kernels --------------===//

#include "ExtractKernel.h"
#include "VulkanTarget.h"

#include "heddle/device.h"

#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/Target/SPIRV/Serialization.h"

using namespace mlir;
using namespace heddle;

namespace {
/// The SPIR-V code of all kernels of a module.
class SpirvCode : public DeviceCode {
public:
  explicit SpirvCode(spirv::ModuleOp code) : code(code) {}

  StringRef getFormat() override { return "spirv"; }
  FailureOr<uint64_t> findFeatures() override;
  uint64_t countWorkgroupMemory(StringRef kernel) override;
  LogicalResult addTo(DeviceProgram &program) override;

private:
  spirv::ModuleOp code;
};
} // namespace

/// Returns the size in bytes of a type in workgroup memory: a number type, or an array or structure of number types,
/// arrays and structures.
static uint64_t bytesOf(spirv::SPIRVType type) {
  if (auto array = dyn_cast<spirv::ArrayType>(type))
    return array.getNumElements() * bytesOf(cast<spirv::SPIRVType>(array.getElementType()));
  if (auto structure = dyn_cast<spirv::StructType>(type)) {
    uint64_t bytes = 0;
    for (Type element : structure.getElementTypes())
      bytes += bytesOf(cast<spirv::SPIRVType>(element));
    return bytes;
  }
  return type.getSizeInBytes().value_or(0);
}

/// Returns the total size in bytes of the workgroup variables that the kernel uses.
uint64_t SpirvCode::countWorkgroupMemory(StringRef kernel) {
  llvm::SmallPtrSet<Operation *, 4> variables;
  code.lookupSymbol(kernel)->walk([&](spirv::AddressOfOp use) {
    variables.insert(code.lookupSymbol(use.getVariable()));
  });
  uint64_t bytes = 0;
  for (Operation *op : variables) {
    auto pointer = cast<spirv::PointerType>(cast<spirv::GlobalVariableOp>(op).getType());
    if (pointer.getStorageClass() == spirv::StorageClass::Workgroup)
      bytes += bytesOf(cast<spirv::SPIRVType>(pointer.getPointeeType()));
  }
  return bytes;
}

FailureOr<uint64_t> SpirvCode::findFeatures() {
  uint64_t features = 0;
  for (spirv::Capability capability : code.getVceTriple()->getCapabilities()) {
    switch (capability) {
    case spirv::Capability::Shader:
    case spirv::Capability::Matrix:
    // The code also runs on devices without the following two capabilities, so these add no required feature.
    case spirv::Capability::SignedZeroInfNanPreserve:
    case spirv::Capability::DenormPreserve:
      break;
    case spirv::Capability::Float64:
      features |= HEDDLE_FEATURE_FLOAT64;
      break;
    case spirv::Capability::Int64:
      features |= HEDDLE_FEATURE_INT64;
      break;
    case spirv::Capability::Int8:
      features |= HEDDLE_FEATURE_INT8;
      break;
    case spirv::Capability::GroupNonUniform:
      features |= HEDDLE_FEATURE_SUBGROUP_BASIC;
      break;
    case spirv::Capability::GroupNonUniformArithmetic:
      features |= HEDDLE_FEATURE_SUBGROUP_ARITHMETIC;
      break;
    case spirv::Capability::StorageBuffer8BitAccess:
      features |= HEDDLE_FEATURE_STORAGE8;
      break;
    default:
      return code.emitOpError("requires the capability ")
             << spirv::stringifyCapability(capability) << ", which is not supported on devices";
    }
  }
  return features;
}

/// Appends the binary form of a SPIR-V module to `bytes`.
static LogicalResult append(spirv::ModuleOp code, std::vector<char> &bytes) {
  SmallVector<uint32_t, 0> words;
  if (failed(spirv::serialize(code, words)))
    return failure();
  const char *first = reinterpret_cast<const char *>(words.data());
  bytes.insert(bytes.end(), first, first + words.size() * sizeof(uint32_t));
  return success();
}

LogicalResult SpirvCode::addTo(DeviceProgram &program) {
  if (failed(append(code, program.module)))
    return failure();
  for (DeviceKernel &kernel : program.kernels) {
    kernel.codeOffset = program.code.size();
    OwningOpRef<spirv::ModuleOp> own = extractKernel(code, kernel.name);
    if (failed(append(*own, program.code)))
      return failure();
    kernel.codeSize = program.code.size() - kernel.codeOffset;
  }
  return success();
}

FailureOr<std::unique_ptr<DeviceCode>> VulkanTarget::findCode(ModuleOp module) const {
  auto codes = llvm::to_vector(module.getOps<spirv::ModuleOp>());
  if (codes.size() != 1)
    return module.emitError("expected one spirv.module, found ") << codes.size();
  return std::unique_ptr<DeviceCode>(std::make_unique<SpirvCode>(codes.front()));
}
