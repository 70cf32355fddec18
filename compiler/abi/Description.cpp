//===- Description.cpp - builds the constant struct heddle_model ----------===//

#include "EntryPieces.h"

#include "llvm/IR/Constants.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/Endian.h"

#include <cstddef>

using namespace llvm;
using namespace heddle;

namespace {
/// Builds constants in the layout of the structs in <heddle/model.h>. If a struct contains a pointer to an array or to
/// a string, the array or string is a private global variable.
struct DescriptionBuilder {
  Module &module;
  LLVMContext &context = module.getContext();
  Type *i32 = Type::getInt32Ty(context), *i64 = Type::getInt64Ty(context);
  PointerType *ptr = PointerType::getUnqual(context);

  Constant *number(int64_t value) { return ConstantInt::get(i64, value, /*IsSigned=*/true); }
  Constant *number32(uint64_t value) { return ConstantInt::get(i32, value); }

  GlobalVariable *global(Constant *value, StringRef name) {
    auto *variable = new GlobalVariable(module, value->getType(), /*isConstant=*/true,
                                        GlobalValue::PrivateLinkage, value, name);
    variable->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
    return variable;
  }
  Constant *string(StringRef text) { return global(ConstantDataArray::getString(context, text), "text"); }

  Constant *none() { return ConstantPointerNull::get(ptr); }
  Constant *array(ArrayRef<Constant *> elements, StringRef name) {
    if (elements.empty())
      return none();
    return global(ConstantArray::get(ArrayType::get(elements[0]->getType(), elements.size()), elements), name);
  }
  Constant *numbers(ArrayRef<int64_t> list, StringRef name) {
    SmallVector<uint64_t> words(list.begin(), list.end());
    return words.empty() ? none() : global(ConstantDataArray::get(context, words), name);
  }

  /// Appends one operation and its number to the code of an expression (enum heddle_size_code in <heddle/model.h>).
  static void add(SmallVectorImpl<int64_t> &code, SizeCode kind, int64_t number = 0) {
    code.append({int64_t(kind), number});
  }
  /// Appends code that multiplies `each` by every size and derived size, raised to its power in `powers`. The factors
  /// have the same order as in the code that emitProduct (EntrySizes.cpp) emits.
  static void addProduct(SmallVectorImpl<int64_t> &code, int64_t each, ArrayRef<uint8_t> powers,
                         const ModelInterface &interface) {
    bool isFirst = true;
    auto multiply = [&] {
      if (!std::exchange(isFirst, false))
        add(code, SizeCode::Multiply);
    };
    if (each != 1 || all_of(powers, [](uint8_t power) { return power == 0; })) {
      add(code, SizeCode::Number, each);
      multiply();
    }
    for (auto [i, power] : enumerate(powers))
      for (unsigned n = 0; n < power; ++n) {
        if (i < interface.sizes.size())
          add(code, SizeCode::Size, int64_t(i));
        else
          code.append(interface.derived[i - interface.sizes.size()].expression.code());
        multiply();
      }
  }
  /// Builds a struct heddle_expression.
  Constant *expression(ArrayRef<int64_t> code) {
    return ConstantStruct::getAnon({numbers(code, "code"), number(int64_t(code.size()))});
  }
  Constant *product(int64_t each, ArrayRef<uint8_t> powers, const ModelInterface &interface) {
    SmallVector<int64_t> code;
    addProduct(code, each, powers, interface);
    return expression(code);
  }
  Constant *product(const InterfaceProduct &value, const ModelInterface &interface) {
    return product(value.each, value.powers, interface);
  }
  /// Builds the expression that computes `bytes` from the sizes of a call. The expression rounds the size of each piece
  /// of memory, such as a tensor, up to a multiple of bytes.unit.
  Constant *bytes(const InterfaceBytes &bytes, const ModelInterface &interface) {
    SmallVector<int64_t> code;
    add(code, SizeCode::Number, bytes.fixed);
    for (const auto &[product, count] : bytes.pieces) {
      addProduct(code, product.each, product.powers, interface);
      auto unit = int64_t(bytes.unit);
      for (auto [kind, number] :
           {std::pair(SizeCode::Add, unit - 1), {SizeCode::FloorDivide, unit}, {SizeCode::Multiply, unit}}) {
        add(code, SizeCode::Number, number);
        add(code, kind);
      }
      if (count != 1) {
        add(code, SizeCode::Number, count);
        add(code, SizeCode::Multiply);
      }
      add(code, SizeCode::Add);
    }
    return expression(code);
  }
  /// Builds the array of expressions for the extents of a tensor; null if the shape is the same in all calls.
  Constant *extents(const InterfaceTensor &tensor, const ModelInterface &interface) {
    if (tensor.isFixed())
      return none();
    SmallVector<Constant *> list;
    for (unsigned dim = 0; dim < tensor.shape.size(); ++dim)
      list.push_back(product(tensor.shape[dim], tensor.powers[dim], interface));
    return array(list, "extents");
  }
  /// Builds the array of struct heddle_size. If no size has classes, the elements end before the member class_count,
  /// which readers then take to be 0.
  Constant *sizes(const ModelInterface &interface) {
    SmallVector<Constant *> constants;
    for (const InterfaceSize &size : interface.sizes) {
      SmallVector<Constant *> fields = {string(size.name), number(size.low), number(size.high)};
      if (!interface.classes.empty())
        fields.append({number(int64_t(size.classes.size())), numbers(size.classes, "classes")});
      constants.push_back(ConstantStruct::getAnon(fields));
    }
    return array(constants, "sizes");
  }
  Constant *variants(ArrayRef<InterfaceVariant> list) {
    SmallVector<Constant *> constants;
    for (const InterfaceVariant &variant : list)
      constants.push_back(ConstantStruct::getAnon({string(variant.name), string(variant.target)}));
    return array(constants, "variants");
  }

  /// Builds the input for the memory of states, which is a tensor of bytes.
  Constant *stateMemory(const InterfaceTensor &tensor, const ModelInterface &interface) {
    Constant *extents = array({bytes(interface.states->size, interface)}, "extents");
    return ConstantStruct::getAnon({string(tensor.name), number32(HEDDLE_I8), number32(1), numbers({-1}, "shape"),
                                    extents, number(0), number(0), number(0), number(0), number32(0), number32(1)});
  }
  /// Builds the struct heddle_state; null if the model has no states. If the library is for a CPU, the struct ends
  /// before the member deinit, which readers then take to be null.
  Constant *states(const ModelInterface &interface, const DescribedFunctions &functions) {
    if (!interface.states)
      return none();
    const InterfaceStates &all = *interface.states;
    SmallVector<Constant *> list, offsets;
    for (const InterfaceState &state : all.all) {
      list.push_back(tensor(state.tensor, interface));
      offsets.push_back(bytes(state.offset, interface));
    }
    SmallVector<Constant *> fields = {string(interface.inputs[all.input].name),
                                      number(int64_t(all.all.size())),
                                      array(list, "tensors"),
                                      array(offsets, "offsets"),
                                      product(all.batch, interface),
                                      product(all.capacity, interface),
                                      product(all.rows, interface),
                                      bytes(all.filled, interface),
                                      number(all.past ? int64_t(*all.past) : -1),
                                      functions.stateSize,
                                      functions.stateInit,
                                      functions.stateCopy};
    if (all.onDevice)
      fields.append({functions.stateDeinit, functions.stateDeviceMemory});
    return global(ConstantStruct::getAnon(fields), "states");
  }

  Constant *tensor(const InterfaceTensor &tensor, const ModelInterface &interface) {
    if (tensor.isStates)
      return stateMemory(tensor, interface);
    SmallVector<int64_t> shape;
    for (auto [extent, powers] : zip_equal(tensor.shape, tensor.powers))
      shape.push_back(all_of(powers, [](uint8_t power) { return power == 0; }) ? extent : -1);
    uint64_t flags = (tensor.isOptional() ? HEDDLE_OPTIONAL : 0) | (tensor.range ? HEDDLE_RANGE : 0);
    int64_t low = tensor.range ? tensor.range->first.widest : 0, high = tensor.range ? tensor.range->second.widest : 0;
    return ConstantStruct::getAnon({string(tensor.name), number32(tensor.type), number32(uint32_t(tensor.shape.size())),
                                    numbers(shape, "shape"), extents(tensor, interface), number(int64_t(flags)),
                                    number(low), number(high), number(tensor.defaultValue.value_or(0)), number32(0),
                                    number32(0)});
  }
  Constant *tensors(ArrayRef<InterfaceTensor> list, const ModelInterface &interface) {
    SmallVector<Constant *> constants;
    for (const InterfaceTensor &entry : list)
      constants.push_back(tensor(entry, interface));
    return array(constants, "tensors");
  }
};

static_assert(sizeof(heddle_variant) == 2 * 8 && sizeof(heddle_size) == 5 * 8 && sizeof(heddle_tensor) == 9 * 8 &&
                  sizeof(heddle_expression) == 2 * 8 && sizeof(heddle_state) == 18 * 8 &&
                  sizeof(heddle_model) == 30 * 8,
              "this file must build all members of the structs");
static_assert(int64_t(SizeCode::Size) == HEDDLE_SIZE_OF_CALL && int64_t(SizeCode::Add) == HEDDLE_SIZE_ADD &&
                  int64_t(SizeCode::Multiply) == HEDDLE_SIZE_MULTIPLY &&
                  int64_t(SizeCode::FloorDivide) == HEDDLE_SIZE_FLOOR_DIVIDE &&
                  int64_t(SizeCode::Min) == HEDDLE_SIZE_MIN && int64_t(SizeCode::Max) == HEDDLE_SIZE_MAX &&
                  int64_t(SizeCode::Less) == HEDDLE_SIZE_LESS && int64_t(SizeCode::Equal) == HEDDLE_SIZE_EQUAL &&
                  int64_t(SizeCode::Number) == HEDDLE_SIZE_NUMBER && SizeExpression::maxStacked < HEDDLE_SIZE_STACK,
              "SizeCode must equal the constants of <heddle/model.h>, and the stack of heddle_evaluate "
              "(HEDDLE_SIZE_STACK) must be deep enough for every derived size");
} // namespace

// The index of the member stack_size in `struct heddle_model`.
static constexpr unsigned stackSizeField = 25;

static std::string descriptionName(const ModelInterface &interface) { return interface.name + "_model"; }

GlobalVariable *heddle::addDescription(Module &module, const ModelInterface &interface,
                                       const DescribedFunctions &functions) {
  DescriptionBuilder b{module};
  uint64_t weights = interface.weightsSize ? weightsHeaderSize + interface.weightsSize : 0;
  auto orNull = [&](Function *function) { return function ? cast<Constant>(function) : b.none(); };
  SmallVector<Constant *> fields = {b.number32(HEDDLE_ABI_VERSION), b.number32(sizeof(heddle_model))};
  // The strides of variants, sizes, tensors, formats and states. There are never formats, so their stride is 0.
  size_t sizeStride = interface.classes.empty() ? offsetof(heddle_size, class_count) : sizeof(heddle_size);
  bool onDevice = interface.states && interface.states->onDevice;
  size_t stateStride = onDevice ? sizeof(heddle_state) : offsetof(heddle_state, deinit);
  for (size_t stride : {sizeof(heddle_variant), sizeStride, sizeof(heddle_tensor), size_t(0),
                        interface.states ? stateStride : size_t(0)})
    fields.push_back(b.number32(stride));
  fields.append({b.number32(0), b.number(onDevice ? HEDDLE_NEEDS_STATES_ON_DEVICE : 0), b.string(interface.name),
                 b.string(interface.source),
                 interface.device ? b.string(interface.variants.front().name) : b.none(),
                 b.number(int64_t(interface.variants.size())), b.variants(interface.variants),
                 b.number(int64_t(interface.sizes.size())), b.sizes(interface),
                 b.number(int64_t(interface.inputs.size())), b.number(int64_t(interface.outputs.size())),
                 b.tensors(interface.inputs, interface), b.tensors(interface.outputs, interface), b.number(0), b.none(),
                 b.number(interface.states ? 1 : 0), b.states(interface, functions), b.number(int64_t(weights)), b.number(interface.stackSize),
                 b.number(int64_t(8 * modelWords(interface)))});
  fields.append({orNull(functions.init), functions.variant, functions.arenaSize, functions.run,
                 orNull(functions.initOnDevice), orNull(functions.deinit), orNull(functions.runOnDevice)});
  GlobalVariable *description = b.global(ConstantStruct::getAnon(fields), descriptionName(interface));
  // The linkage is not private, because setStackSize finds the description by its name.
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
