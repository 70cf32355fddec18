//===- EntryDevice.cpp - a model's program on a device --------------------===//
//
// NAME_init loads code and weights onto the device and records the model's
// kernel launches. Each call runs the recorded launches with its own tensors.
// NAME_deinit frees the code, the memories and the recorded launches.
//
//===----------------------------------------------------------------------===//

#include "EntryDevice.h"
#include "DeviceTable.h"

#include "heddle/ArenaLayout.h"

#include <cstddef>

using namespace llvm;
using namespace heddle;

namespace {
/// Builds a DeviceProgram as constants in the layout of the structs in <heddle/device.h>.
struct TableBuilder {
  Module &module;
  LLVMContext &context = module.getContext();

  Constant *number(uint64_t value) { return ConstantInt::get(Type::getInt64Ty(context), value); }
  GlobalVariable *global(Constant *value, StringRef name, uint64_t alignment = 8) {
    auto *variable = new GlobalVariable(module, value->getType(), /*isConstant=*/true, GlobalValue::PrivateLinkage,
                                        value, name);
    variable->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
    variable->setAlignment(Align(alignment));
    return variable;
  }
  Constant *string(StringRef text) { return global(ConstantDataArray::getString(context, text), "text", 1); }
  Constant *array(ArrayRef<Constant *> elements, StringRef name) {
    if (elements.empty())
      return ConstantPointerNull::get(PointerType::getUnqual(context));
    return global(ConstantArray::get(ArrayType::get(elements[0]->getType(), elements.size()), elements), name);
  }

  Constant *kernels(ArrayRef<DeviceKernel> list) {
    SmallVector<Constant *> entries;
    for (const DeviceKernel &kernel : list)
      entries.push_back(ConstantStruct::getAnon({string(kernel.name), number(kernel.buffers), number(kernel.threads),
                                                 number(1), number(1), number(kernel.workgroupMemory),
                                                 number(kernel.codeOffset), number(kernel.codeSize)}));
    return array(entries, "kernels");
  }
  Constant *view(const DeviceView &view) {
    return ConstantStruct::getAnon({number(uint64_t(view.memory)), number(view.offset), number(view.size)});
  }
  Constant *launches(ArrayRef<DeviceLaunch> list) {
    SmallVector<Constant *> entries;
    for (const DeviceLaunch &launch : list) {
      SmallVector<Constant *> views, counts;
      for (const DeviceView &part : launch.views)
        views.push_back(view(part));
      if (launch.counts)
        counts.push_back(view(*launch.counts));
      entries.push_back(ConstantStruct::getAnon({number(launch.kernel), number(launch.groups[0]),
                                                 number(launch.groups[1]), number(launch.groups[2]),
                                                 array(views, "views"), array(counts, "counts")}));
    }
    return array(entries, "launches");
  }
  Constant *bytes(ArrayRef<char> data, StringRef name) {
    return global(ConstantDataArray::getRaw(StringRef(data.data(), data.size()), data.size(), Type::getInt8Ty(context)),
                  name, 64);
  }
  Constant *program(const DeviceProgram &program) {
    Constant *bytes = this->bytes(program.code, "device_code");
    return global(ConstantStruct::getAnon({string(program.format), bytes, number(program.code.size()),
                                           number(program.kernels.size()), kernels(program.kernels),
                                           number(program.features)}),
                  "program");
  }
};

static_assert(sizeof(heddle_kernel) == 8 * 8 && sizeof(heddle_launch) == 6 * 8 && sizeof(heddle_view) == 3 * 8 &&
                  sizeof(heddle_program) == 6 * 8 && sizeof(heddle_copy) == 6 * 8 && sizeof(heddle_binding) == 4 * 8,
              "this file must build all members of the structs");
} // namespace

Function *heddle::emitDeinit(Module &module, const ModelInterface &interface) {
  auto *pointer = PointerType::getUnqual(module.getContext());
  EntryBuilder b(module, interface.name + "_deinit", Type::getVoidTy(module.getContext()), {pointer},
                 /*isExported=*/true);
  Value *model = b.arg(0);
  auto returnIfNull = [&](Value *value) {
    BasicBlock *none = b.block("none"), *next = b.block("next");
    b.CreateCondBr(b.isNull(value), none, next);
    b.SetInsertPoint(none);
    b.CreateRetVoid();
    b.SetInsertPoint(next);
  };
  returnIfNull(model);
  Value *device = b.load(b.ptr, model, offsetof(ModelWords, device));
  returnIfNull(device);
  DeviceTable table(b, model);
  table.callWith(offsetof(heddle_device, forget), b.load(b.ptr, model, offsetof(ModelWords, launches)));
  table.callWith(offsetof(heddle_device, unload), b.load(b.ptr, model, offsetof(ModelWords, code)));
  for (unsigned i = 0; i < deviceMemoryCount; ++i)
    table.callWith(offsetof(heddle_device, release), b.load(b.ptr, model, offsetof(ModelWords, memories) + 8 * i));
  for (unsigned i = 0; i < modelWords(interface); ++i)
    b.store(b.word(0), model, 8 * i);
  b.CreateRetVoid();
  return b.function;
}

void heddle::emitDeviceInit(EntryBuilder &b, const ModelInterface &interface, Function *deinit, Value *model,
                            Value *device) {
  const DeviceProgram &program = *interface.device;
  TableBuilder tables{*b.function->getParent()};
  b.returnIf(b.isNull(device), HEDDLE_INVALID_ARGUMENT);
  if (interface.states) // devices of older versions lack the function replay_with
    b.returnIf(b.CreateICmpULE(b.load(b.i64, device, offsetof(heddle_device, size)),
                               b.word(offsetof(heddle_device, replay_with))),
               HEDDLE_UNSUPPORTED_DEVICE);
  b.store(device, model, offsetof(ModelWords, device));
  DeviceTable table(b, model);
  auto check = [&](Value *status) {
    BasicBlock *failed = b.block("failed"), *next = b.block("next");
    b.CreateCondBr(b.CreateICmpEQ(status, b.getInt32(HEDDLE_OK)), next, failed);
    b.SetInsertPoint(failed);
    b.CreateCall(deinit, {model});
    b.CreateRet(status);
    b.SetInsertPoint(next);
  };
  auto place = [&](uint64_t byte) { return b.address(model, b.word(byte)); };
  auto memory = [&](DeviceMemory memory) { return offsetof(ModelWords, memories) + 8 * uint64_t(memory); };
  auto allocate = [&](DeviceMemory which, uint64_t size) {
    check(table.status(offsetof(heddle_device, allocate), {b.word(size), place(memory(which))}));
  };
  check(table.status(offsetof(heddle_device, load), {tables.program(program), place(offsetof(ModelWords, code))}));
  allocate(DeviceMemory::Arena, program.arenaSize);
  allocate(DeviceMemory::Arguments, program.argumentsSize);
  auto upload = [&](DeviceMemory which, uint64_t offset, Value *data, uint64_t size) {
    check(table.status(offsetof(heddle_device, upload),
                       {b.load(b.ptr, model, memory(which)), b.word(offset), data, b.word(size)}));
  };
  if (!program.constants.empty())
    upload(DeviceMemory::Arguments, program.constantsOffset, tables.bytes(program.constants, "device_constants"),
           program.constants.size());
  unsigned memories = unsigned(DeviceMemory::Weights); // the number of memories of a model without weights
  if (interface.weightsSize) {
    ++memories;
    allocate(DeviceMemory::Weights, interface.weightsSize);
    upload(DeviceMemory::Weights, 0, b.load(b.ptr, model, offsetof(ModelWords, weights)), interface.weightsSize);
  }
  Value *recorded = place(offsetof(ModelWords, memories));
  if (interface.states) { // allocations of states are null here: each call binds its own
    memories = deviceMemoryCount + unsigned(interface.states->all.size());
    recorded = b.CreateAlloca(b.i64, b.word(memories));
    for (unsigned i = 0; i < memories; ++i)
      b.store(i < deviceMemoryCount ? b.load(b.i64, model, offsetof(ModelWords, memories) + 8 * i) : b.word(0), recorded,
              8 * i);
  }
  check(table.status(offsetof(heddle_device, record),
                     {b.load(b.ptr, model, offsetof(ModelWords, code)), recorded, b.word(memories),
                      tables.launches(program.launches), b.word(program.launches.size()),
                      b.word(program.argumentsSize + program.sizesSize), place(offsetof(ModelWords, launches))}));
}

Value *heddle::emitReplay(EntryBuilder &b, const ModelInterface &interface, Value *model, Value *callHeader,
                          ArrayRef<PlacedTensor> inputs, ArrayRef<PlacedTensor> outputs,
                          ArrayRef<PlacedTensor> states) {
  const DeviceProgram &program = *interface.device;
  auto copy = [&](Value *array, uint64_t i, DeviceMemory memory, uint64_t offset, const PlacedTensor &tensor) {
    b.store(tensor.pointer, array, sizeof(heddle_copy) * i + offsetof(heddle_copy, host));
    b.store(b.word(uint64_t(memory)), array, sizeof(heddle_copy) * i + offsetof(heddle_copy, memory));
    b.store(b.word(offset), array, sizeof(heddle_copy) * i + offsetof(heddle_copy, offset));
    b.store(tensor.size, array, sizeof(heddle_copy) * i + offsetof(heddle_copy, size));
    b.store(tensor.memory, array, sizeof(heddle_copy) * i + offsetof(heddle_copy, other));
    b.store(tensor.offset, array, sizeof(heddle_copy) * i + offsetof(heddle_copy, other_offset));
  };
  // Stores descriptions of copies (struct heddle_copy), one for each tensor, in an array that has room for `more`
  // further descriptions. If the caller omitted a tensor, the size of its copy is 0.
  auto copies = [&](ArrayRef<PlacedTensor> tensors, ArrayRef<uint64_t> offsets, uint64_t more) {
    constexpr uint64_t words = sizeof(heddle_copy) / 8;
    Value *array = b.CreateAlloca(b.i64, b.word(std::max<uint64_t>(words * (tensors.size() + more), 1)));
    for (auto [i, tensor] : enumerate(tensors)) {
      Value *absent = b.CreateAnd(b.isNull(tensor.pointer), b.isNull(tensor.memory));
      copy(array, i, DeviceMemory::Arguments, offsets[i],
           {tensor.pointer, tensor.memory, tensor.offset, b.CreateSelect(absent, b.word(0), tensor.size)});
    }
    return array;
  };
  bool hasSizes = program.sizesSize > 0;
  Value *in = copies(inputs, program.inputOffsets, hasSizes);
  if (hasSizes)
    copy(in, inputs.size(), DeviceMemory::Arena, arenaSizeOffset(0),
         {b.address(callHeader, b.word(arenaSizeOffset(0))), ConstantPointerNull::get(b.ptr), b.word(0),
          b.word(program.sizesSize)});
  Value *out = copies(outputs, program.outputOffsets, 0);
  DeviceTable table(b, model);
  Value *launches = b.load(b.ptr, model, offsetof(ModelWords, launches));
  SmallVector<Value *> arguments = {in, b.word(inputs.size() + hasSizes), out, b.word(outputs.size())};
  if (states.empty()) {
    arguments.insert(arguments.begin(), launches);
    return table.status(offsetof(heddle_device, replay), arguments);
  }
  Value *bindings = b.CreateAlloca(b.i64, b.word(states.size() * sizeof(heddle_binding) / 8));
  for (auto [i, state] : enumerate(states)) {
    uint64_t binding = sizeof(heddle_binding) * i;
    b.store(b.word(deviceMemoryCount + i), bindings, binding + offsetof(heddle_binding, memory));
    b.store(state.memory, bindings, binding + offsetof(heddle_binding, bound));
    b.store(state.offset, bindings, binding + offsetof(heddle_binding, offset));
    b.store(state.size, bindings, binding + offsetof(heddle_binding, size));
  }
  arguments.insert(arguments.begin(), {launches, bindings, b.word(states.size())});
  return table.status(offsetof(heddle_device, replay_with), arguments);
}
