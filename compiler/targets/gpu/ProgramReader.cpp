//===- ProgramReader.cpp - the launches of a device program ---------------===//

#include "ProgramReader.h"

#include "abi/ModelInterface.h"

#include "heddle/ArenaLayout.h"

#include "Sizes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace heddle;

/// Returns the number of bytes of a buffer at the largest sizes, as stage plan computes it. An index has 8 bytes in the
/// memory plan, although it has 32 bits on the device. The difference is harmless, because only kernels access buffers
/// of indices.
static uint64_t bytesOf(MemRefType type, const Sizes &sizes) {
  Type element = type.getElementType();
  uint64_t bytes = element.isIndex() ? 8 : llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
  for (int64_t extent : type.getShape())
    bytes *= sizes.of(extent).high();
  return bytes;
}

namespace {
/// Implements readProgram.
class ProgramReader {
public:
  ProgramReader(func::FuncOp main, DeviceCode &code, uint64_t alignment, ModelInterface &interface)
      : main(main), code(code), alignment(alignment), sizes(main), interface(interface) {}
  LogicalResult run();

private:
  void placeArguments();
  FailureOr<DeviceView> findView(Operation *user, Value buffer);
  LogicalResult placeConstants();
  LogicalResult addLaunch(gpu::LaunchFuncOp launch);
  LogicalResult describeCode();

  func::FuncOp main;
  DeviceCode &code;
  uint64_t alignment;
  Sizes sizes;
  ModelInterface &interface;
  DeviceProgram program;
  llvm::MapVector<StringRef, uint64_t> kernels; // the index of each kernel in program.kernels
  llvm::StringMap<uint64_t> constants;          // the offset of each constant in DeviceMemory::Arguments
  /// The offset in DeviceMemory::Arguments of the numbers of workgroups that a kernel computes (WorkgroupCounts.h).
  uint64_t countsOffset = 0;
};
} // namespace

/// Places inputs and outputs one after the other in DeviceMemory::Arguments. The index check, an i32 that is nonzero
/// after a call in which an index was out of bounds, counts as the last output.
void ProgramReader::placeArguments() {
  auto place = [&](ArrayRef<InterfaceTensor> tensors, std::vector<uint64_t> &offsets) {
    for (const InterfaceTensor &tensor : tensors) {
      offsets.push_back(program.argumentsSize);
      uint64_t size = std::max<uint64_t>(interface.maxBytes(tensor), 1);
      program.argumentsSize = llvm::alignTo(program.argumentsSize + size, alignment);
    }
  };
  place(interface.inputs, program.inputOffsets);
  place(interface.outputs, program.outputOffsets);
  if (interface.indexCheck)
    place(*interface.indexCheck, program.outputOffsets);
}

/// Returns the size in bytes of the buffer with the numbers of workgroups that a kernel computes. The length of this
/// buffer does not depend on sizes, but might by chance be a multiple of a placeholder, a number that represents a size
/// in types. So this function does not use bytesOf, which would interpret such a length as an extent that depends on
/// this size.
static uint64_t bytesOfCounts(memref::AllocOp counts) { return counts.getType().getNumElements() * sizeof(uint32_t); }

/// Places the module's constants after the inputs and outputs.
LogicalResult ProgramReader::placeConstants() {
  program.constantsOffset = program.argumentsSize;
  for (auto global : main->getParentOfType<ModuleOp>().getOps<memref::GlobalOp>()) {
    auto value = dyn_cast_or_null<DenseElementsAttr>(global.getConstantInitValue());
    unsigned bits = global.getType().getElementTypeBitWidth();
    if (!value || bits % 8 != 0)
      return global.emitOpError("cannot be copied to a device: expected a constant with elements of whole bytes");
    ArrayRef<char> bytes = value.getRawData();
    constants[global.getSymName()] = program.constantsOffset + program.constants.size();
    for (int64_t copies = value.isSplat() ? value.getNumElements() : 1; copies > 0; --copies)
      llvm::append_range(program.constants, bytes);
    program.constants.resize(llvm::alignTo(program.constants.size(), alignment));
  }
  program.argumentsSize += program.constants.size();
  return success();
}

/// Returns the position of a buffer in the memory of the device. Emits an error at `user` if the position is not known.
FailureOr<DeviceView> ProgramReader::findView(Operation *user, Value buffer) {
  if (auto cast = buffer.getDefiningOp<UnrealizedConversionCastOp>()) // a cast to a buffer of vectors
    buffer = cast.getOperand(0);
  DeviceView view{DeviceMemory::Arena, 0, bytesOf(cast<MemRefType>(buffer.getType()), sizes)};
  while (Operation *op = buffer.getDefiningOp()) {
    if (auto part = dyn_cast<memref::ViewOp>(op)) {
      std::optional<int64_t> shift = getConstantIntValue(part.getByteShift());
      if (!shift)
        return user->emitOpError("passes a buffer whose offset is not a constant");
      view.offset += *shift;
    } else if (auto counts = dyn_cast<memref::AllocOp>(op)) {
      view.memory = DeviceMemory::Arguments;
      view.offset += countsOffset;
      view.size = bytesOfCounts(counts);
      return view;
    } else if (auto constant = dyn_cast<memref::GetGlobalOp>(op)) {
      view.memory = DeviceMemory::Arguments;
      view.offset += constants.lookup(constant.getName());
      return view;
    } else if (!isa<memref::CollapseShapeOp, memref::ExpandShapeOp, memref::CastOp, memref::SubViewOp>(op)) {
      // Other operations are not supported. A subview needs no offset here, because kernels get only buffers of
      // identity layout, whose offset is 0.
      return user->emitOpError("passes a buffer that is the result of ") << op->getName() << ", which is not supported";
    }
    buffer = op->getOperand(0);
  }
  const InterfaceArgument &argument = interface.arguments[cast<BlockArgument>(buffer).getArgNumber()];
  switch (argument.kind) {
  case InterfaceArgument::Arena:
    break;
  case InterfaceArgument::Weights:
    view.memory = DeviceMemory::Weights;
    break;
  case InterfaceArgument::Input:
  case InterfaceArgument::Output:
    view.memory = DeviceMemory::Arguments;
    view.offset += (argument.kind == InterfaceArgument::Input ? program.inputOffsets
                                                              : program.outputOffsets)[argument.index];
    break;
  case InterfaceArgument::IndexCheck:
    view.memory = DeviceMemory::Arguments;
    view.offset += program.outputOffsets.back();
    break;
  case InterfaceArgument::State:
    view.memory = DeviceMemory(deviceMemoryCount + argument.index);
    break;
  }
  return view;
}

/// Adds a launch to the program, and its kernel if the program does not contain it yet.
LogicalResult ProgramReader::addLaunch(gpu::LaunchFuncOp launch) {
  auto constant = [](Value value) { return uint64_t(*getConstantIntValue(value)); };
  StringRef name = launch.getKernelName().getValue();
  auto [entry, isNew] = kernels.insert({name, program.kernels.size()});
  if (isNew)
    program.kernels.push_back({name.str(), launch.getNumKernelOperands(), constant(launch.getBlockSizeX())});
  gpu::KernelDim3 grid = launch.getGridSizeOperandValues();
  DeviceLaunch recorded{entry->second, {}, {}, {}};
  Value dims[] = {grid.x, grid.y, grid.z};
  for (auto [dim, value] : llvm::enumerate(dims)) {
    // The number is a constant or, if it depends on sizes, the minimum of two numbers: the number that the kernel of
    // WorkgroupCounts computes, and a constant maximum.
    auto lesser = value.getDefiningOp<arith::MinUIOp>();
    recorded.groups[dim] = constant(lesser ? lesser.getRhs() : value);
    if (!lesser || dim > 0)
      continue;
    auto load = lesser.getLhs().getDefiningOp<arith::IndexCastUIOp>().getIn().getDefiningOp<memref::LoadOp>();
    recorded.counts = {DeviceMemory::Arguments, countsOffset + 4 * constant(load.getIndices()[0]), 12};
  }
  for (Value operand : launch.getKernelOperands()) {
    FailureOr<DeviceView> view = findView(launch, operand);
    if (failed(view))
      return failure();
    recorded.views.push_back(*view);
  }
  program.launches.push_back(std::move(recorded));
  return success();
}

/// Sets the members of the program that describe the code: its format, its features and the workgroup memory of each
/// kernel.
LogicalResult ProgramReader::describeCode() {
  FailureOr<uint64_t> features = code.findFeatures();
  if (failed(features))
    return failure();
  program.format = code.getFormat();
  program.features = *features;
  for (DeviceKernel &kernel : program.kernels)
    kernel.workgroupMemory = code.countWorkgroupMemory(kernel.name);
  return success();
}

LogicalResult ProgramReader::run() {
  if (interface.states)
    moveStatesToDevice(interface, alignment);
  placeArguments();
  if (failed(placeConstants()))
    return failure();
  for (auto counts : main.getOps<memref::AllocOp>()) {
    countsOffset = program.argumentsSize;
    program.argumentsSize += llvm::alignTo(bytesOfCounts(counts), alignment);
  }
  for (Operation &op : main.front())
    if (auto launch = dyn_cast<gpu::LaunchFuncOp>(op); launch && failed(addLaunch(launch)))
      return failure();
  if (failed(describeCode()))
    return failure();
  // The whole arena is allocated on the device. On the host, the caller provides only the beginning of the arena, which
  // contains the call header, the default values of omitted inputs and the index check.
  InterfaceBytes &arena = interface.arenaSizes.front();
  program.arenaSize = arena.fixed;
  program.sizesSize = arenaSizeOffset(sizes.count()) - arenaSizeOffset(0);
  arena.fixed = callHeaderSize(sizes.count());
  auto keep = [&](const InterfaceTensor &tensor) {
    int64_t end = llvm::alignTo(tensor.arenaOffsets.front().fixed + interface.maxBytes(tensor), 64);
    arena.fixed = std::max<int64_t>(arena.fixed, end);
  };
  for (const InterfaceTensor &tensor : interface.inputs)
    if (tensor.isOptional())
      keep(tensor);
  if (interface.indexCheck)
    keep(*interface.indexCheck);
  interface.device = std::move(program);
  return success();
}

LogicalResult heddle::readProgram(func::FuncOp main, DeviceCode &code, uint64_t alignment,
                                  ModelInterface &interface) {
  return ProgramReader(main, code, alignment, interface).run();
}
