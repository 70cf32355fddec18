//===- Description.cpp - the constant struct heddle_model -----------------===//

#include "EntryPoints.h"

#include "llvm/IR/Constants.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/Endian.h"

#include <cstddef>

using namespace llvm;
using namespace heddle;

namespace {
/// Builds constants in the layout of <heddle/model.h>.
struct DescriptionBuilder {
  Module &module;
  LLVMContext &context = module.getContext();
  Type *i32 = Type::getInt32Ty(context), *i64 = Type::getInt64Ty(context);
  PointerType *ptr = PointerType::getUnqual(context);

  Constant *number(int64_t value) { return ConstantInt::get(i64, value, /*IsSigned=*/true); }

  GlobalVariable *global(Constant *value, StringRef name) {
    auto *variable = new GlobalVariable(module, value->getType(), /*isConstant=*/true,
                                        GlobalValue::PrivateLinkage, value, name);
    variable->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
    return variable;
  }
  Constant *string(StringRef text) { return global(ConstantDataArray::getString(context, text), "text"); }

  Constant *powers(const InterfaceTensor &tensor) {
    SmallVector<uint8_t> flat;
    for (auto &factors : tensor.powers)
      flat.append(factors.begin(), factors.end());
    return tensor.isFixed() ? cast<Constant>(ConstantPointerNull::get(ptr))
                            : global(ConstantDataArray::get(context, flat), "powers");
  }
  Constant *sizes(ArrayRef<InterfaceSize> list) {
    if (list.empty())
      return ConstantPointerNull::get(ptr);
    SmallVector<Constant *> constants;
    for (const InterfaceSize &size : list)
      constants.push_back(ConstantStruct::getAnon({string(size.name), number(size.low), number(size.high)}));
    return global(ConstantArray::get(ArrayType::get(constants[0]->getType(), constants.size()), constants), "sizes");
  }

  Constant *sums(const ModelInterface &interface) {
    ArrayRef<InterfaceDerived> list = interface.derived;
    if (list.empty())
      return ConstantPointerNull::get(ptr);
    SmallVector<Constant *> constants;
    for (const InterfaceDerived &size : list) {
      SmallVector<int64_t> none(interface.sizes.size(), 0);
      SmallVector<uint8_t> isTerm(none.size(), 0);
      for (unsigned term : size.expression.sizes())
        isTerm[term] = 1;
      Constant *terms = global(ConstantDataArray::get(context, ArrayRef<uint8_t>(isTerm)), "terms");
      constants.push_back(
          ConstantStruct::getAnon({terms, number(SizeEvaluator(size.expression).at(none).value_or(0))}));
    }
    return global(ConstantArray::get(ArrayType::get(constants[0]->getType(), constants.size()), constants), "sums");
  }

  Constant *tensor(const InterfaceTensor &tensor) {
    SmallVector<uint64_t> shape(tensor.shape.begin(), tensor.shape.end());
    Constant *extents = shape.empty() ? cast<Constant>(ConstantPointerNull::get(ptr))
                                      : global(ConstantDataArray::get(context, shape), "shape");
    uint64_t flags = (tensor.isOptional() ? HEDDLE_OPTIONAL : 0) | (tensor.range ? HEDDLE_RANGE : 0);
    int64_t low = tensor.range ? tensor.range->first.widest : 0, high = tensor.range ? tensor.range->second.widest : 0;
    return ConstantStruct::getAnon({string(tensor.name), ConstantInt::get(i32, tensor.type),
                                    ConstantInt::get(i32, tensor.shape.size()), extents, powers(tensor), number(flags),
                                    number(low), number(high), number(tensor.defaultValue.value_or(0))});
  }
  Constant *variants(ArrayRef<InterfaceVariant> list) {
    SmallVector<Constant *> constants;
    for (const InterfaceVariant &variant : list)
      constants.push_back(ConstantStruct::getAnon({string(variant.name), string(variant.target)}));
    return global(ConstantArray::get(ArrayType::get(constants[0]->getType(), constants.size()), constants), "variants");
  }
  Constant *tensors(ArrayRef<InterfaceTensor> list) {
    if (list.empty())
      return ConstantPointerNull::get(ptr);
    SmallVector<Constant *> constants;
    for (const InterfaceTensor &entry : list)
      constants.push_back(tensor(entry));
    return global(ConstantArray::get(ArrayType::get(constants[0]->getType(), constants.size()), constants),
                  "tensors");
  }
};
} // namespace

// Where stack_size stands in `struct heddle_model`.
static constexpr unsigned stackSizeField = 13;

static std::string descriptionName(const ModelInterface &interface) { return interface.name + "_model"; }

GlobalVariable *heddle::addDescription(Module &module, const ModelInterface &interface,
                                       const DescribedFunctions &functions) {
  DescriptionBuilder b{module};
  uint64_t weights = interface.weightsSize ? weightsHeaderSize + interface.weightsSize : 0;
  auto orNull = [&](Function *function) -> Constant * {
    return function ? cast<Constant>(function) : ConstantPointerNull::get(b.ptr);
  };
  Constant *device = interface.device ? b.string(interface.variants.front().name) : orNull(nullptr);
  GlobalVariable *description =
      b.global(ConstantStruct::getAnon(
                   {ConstantInt::get(b.i32, HEDDLE_ABI_VERSION), ConstantInt::get(b.i32, interface.derived.size()),
                    b.string(interface.name), b.string(interface.source), b.number(interface.variants.size()),
                    b.variants(interface.variants), b.number(interface.inputs.size()),
                    b.number(interface.outputs.size()), b.tensors(interface.inputs), b.tensors(interface.outputs),
                    b.number(interface.sizes.size()), b.sizes(interface.sizes), b.number(weights),
                    b.number(interface.stackSize), orNull(functions.init), functions.variant, functions.arenaSize,
                    functions.run, b.sums(interface), device, orNull(functions.initOnDevice),
                    orNull(functions.deinit), orNull(functions.runOnDevice)}),
               descriptionName(interface));
  // Not private: it is found again by its name.
  description->setLinkage(GlobalValue::InternalLinkage);
  return description;
}

void heddle::setStackSize(Module &module, const ModelInterface &interface) {
  GlobalVariable *description = module.getGlobalVariable(descriptionName(interface), /*AllowInternal=*/true);
  auto *fields = cast<ConstantStruct>(description->getInitializer());
  SmallVector<Constant *> changed;
  for (unsigned i = 0; i < fields->getNumOperands(); ++i)
    changed.push_back(fields->getOperand(i));
  changed[stackSizeField] = ConstantInt::get(changed[stackSizeField]->getType(), interface.stackSize);
  description->setInitializer(ConstantStruct::get(fields->getType(), changed));
}

void heddle::setStackSize(MutableArrayRef<char> bytes, const ModelInterface &interface) {
  constexpr const char *just = "object just written";
  auto object = cantFail(object::ELF64LEObjectFile::create(MemoryBufferRef(StringRef(bytes.data(), bytes.size()), "")), just);
  auto symbol = find_if(object.symbols(), [&](const object::ELFSymbolRef &symbol) {
    return cantFail(symbol.getName(), just) == descriptionName(interface);
  });
  object::ELFSectionRef section(*cantFail(object::ELFSymbolRef(*symbol).getSection(), just));
  uint64_t description = section.getOffset() + cantFail(symbol->getAddress(), just);
  support::endian::write64le(bytes.data() + description + offsetof(heddle_model, stack_size), interface.stackSize);
}
