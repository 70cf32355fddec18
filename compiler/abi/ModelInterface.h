//===- ModelInterface.h - the interface of a compiled model -----*- C++ -*-===//

#ifndef HEDDLE_ABI_MODELINTERFACE_H
#define HEDDLE_ABI_MODELINTERFACE_H

#include "DeviceProgram.h"
#include "NamedSizes.h"
#include "heddle/model.h"

#include "SizeExpression.h"

#include "mlir/IR/BuiltinOps.h"

#include <optional>
#include <string>
#include <vector>

namespace heddle {

/// The additional bytes that an arena needs so that its content can be aligned to 64 bytes. The arena itself may have
/// any alignment.
inline constexpr uint64_t arenaSlack = 63;

/// A size that lies in a range and that each call passes.
struct InterfaceSize {
  std::string name, identifier; // the name in the model, and a C identifier made from it
  int64_t low, high;            // the range, both ends inclusive
  std::vector<int64_t> classes = {}; // the minimum of each class; empty if there are none
};

/// A size that is computed from the sizes of the call.
struct InterfaceDerived {
  std::string text; // such as "past + new + 1", with identifiers of sizes
  SizeExpression expression;
  int64_t low, high; // the range, both ends inclusive
};

/// A number times a product of sizes.
struct InterfaceProduct {
  int64_t each;
  std::vector<uint8_t> powers; // the power of each size, then of each derived size

  bool operator==(const InterfaceProduct &other) const { return each == other.each && powers == other.powers; }
};

/// `count` pieces of memory of equal size, such as tensors of several layers. Each piece has `bytes` bytes, rounded up
/// to a multiple of InterfaceBytes::unit.
struct InterfacePieces {
  InterfaceProduct bytes;
  int64_t count = 1;
};

/// The size of an arena or of states in bytes: a constant, and pieces that depend on sizes.
struct InterfaceBytes {
  int64_t fixed = 0;
  std::vector<InterfacePieces> pieces;
  uint64_t unit = 64; // the alignment of pieces, in bytes: a cache line; 256 for devices

  /// Returns the largest number of bytes if no size exceeds its entry in `highs`; UINT64_MAX if the number does not fit
  /// into 64 bits.
  uint64_t maximum(llvm::ArrayRef<int64_t> highs) const;
};

/// The minimum or the maximum of an input's elements in a call.
struct InterfaceBound {
  InterfaceProduct value;
  int64_t widest;   // the lowest minimum, or the highest maximum, in any call
  std::string text; // the value as text, such as "4 * s", for the header
};

/// An input, an output, or a tensor in the memory of states.
struct InterfaceTensor {
  std::string name;       // the name in the model
  std::string identifier; // a C identifier made from the name, unique in its struct
  heddle_type type;
  std::vector<int64_t> shape;               // the constant factor of each extent
  std::vector<std::vector<uint8_t>> powers; // for each dimension, as in InterfaceProduct
  std::vector<std::string> dims;            // the names of extents; "" if an extent has no name
  std::optional<std::pair<InterfaceBound, InterfaceBound>> range; // the valid elements of an input, both ends inclusive
  std::optional<int64_t> defaultValue;                            // the elements if the caller omits the input
  std::string zeroWhere; // the name of the input, a mask, whose zeros determine which rows of this output are zeros
  /// For each variant, the offset in the arena that is used if the caller's pointer is null. It is empty if the pointer
  /// must not be null.
  std::vector<InterfaceBytes> arenaOffsets;
  /// Whether this is the caller's memory with all states. It is passed as a struct heddle_state_memory.
  bool isStates = false;

  uint64_t elementSize() const { return heddle_type_size(type); }
  /// Returns whether the shape is the same in all calls.
  bool isFixed() const;
  /// Returns whether the tensor may have no elements if sizes are at least `lows`.
  bool mayBeEmpty(llvm::ArrayRef<int64_t> lows) const;
  /// Returns the product of `shape`: the number of elements, divided by the sizes that are factors of extents.
  uint64_t elementCount() const;
  bool isOptional() const { return !arenaOffsets.empty(); }
};

/// A tensor in the memory of states.
struct InterfaceState {
  InterfaceTensor tensor;
  InterfaceBytes offset; // from the start of the memory
  bool isReplaced;       // whether each call replaces the tensor as a whole
};

/// The states of a model, which a caller keeps in one block of memory from one call to the next. The memory contains a
/// header (ModelWords.h), the number of filled rows of each sequence, and the tensors of all states.
struct InterfaceStates {
  unsigned input = 0;           // the index of the input for the memory
  std::optional<unsigned> past; // the index of the input with the numbers of filled rows before the call
  std::vector<InterfaceState> all;
  /// The number of sequences, the rows for which each sequence has room (0 if states have no rows), and the number of
  /// rows that a call adds.
  InterfaceProduct batch, capacity, rows;
  InterfaceBytes filled, size; // the offset of the numbers of filled rows; the size of the memory
  /// In a library for a device: the size in bytes of the device memory that contains the tensors. The caller's memory
  /// then contains no tensors.
  std::optional<InterfaceBytes> onDevice;
  std::vector<unsigned> dims; // indices in ModelInterface::dims of the sizes that the memory depends on
  std::string layout; // names, types and shapes of all states; only models with equal layouts can share the memory
};

/// A parameter of the compiled @main. For an input, an output or a state, `index` is its index in
/// ModelInterface::inputs, ModelInterface::outputs or InterfaceStates::all; for other kinds, `index` is unused.
struct InterfaceArgument {
  enum Kind { Input, Output, Weights, Arena, IndexCheck, State } kind;
  unsigned index;
};

/// The code for one CPU in a library.
struct InterfaceVariant {
  std::string name, target; // such as "x86-64-v3"; the triple, the CPU and the features
};

/// The facts about a model from which its C header and its entry points are generated.
struct ModelInterface {
  std::string name, source; // the NAME of the C functions; the model's file or quoted operation
  /// The variants in order of preference: the first one that the CPU supports is used, unless the caller names another.
  std::vector<InterfaceVariant> variants;
  std::vector<InterfaceTensor> inputs, outputs;
  /// An i32 in the arena. It is not 0 after a call in which a computed index was outside its dimension.
  std::optional<InterfaceTensor> indexCheck;
  /// The parameters of the compiled @main, in their order.
  std::vector<InterfaceArgument> arguments;
  std::optional<InterfaceStates> states;
  /// The sizes that lie in ranges.
  std::vector<InterfaceSize> sizes;
  /// The derived sizes that are factors of extents.
  std::vector<InterfaceDerived> derived;
  /// The sizes that callers pass, in the order of the parameters.
  std::vector<NamedSize> dims;
  /// For each variant, the size of the arena in bytes, without the scratch memory of threads.
  std::vector<InterfaceBytes> arenaSizes;
  /// weightsSize is the size of the block of weights, and weightsHash is its hash (WeightsHash.h). workerSize is the
  /// scratch memory of a thread, and stackSize is the stack that a call needs on a thread; both are the maxima over all
  /// variants. Sizes are in bytes.
  int64_t weightsSize = 0, weightsHash = 0, workerSize = 0, stackSize = 0;
  /// A number that identifies the content of a model with states. It is 0 if the model has neither files nor weights;
  /// `source` then identifies the model.
  uint64_t identity = 0;
  /// The program for the device, if the kernels run on a device.
  std::optional<DeviceProgram> device;
  bool positional = false;   // whether NAME has a parameter for each tensor, instead of one for a struct
  bool embedWeights = false; // whether the object contains the weights
  bool exportQuery = false;  // whether the object exports heddle_query
  /// If sizes have classes, the interface of the code of each class, in the order of Model::classes (heddle/Import.h).
  /// A size in the interface of a class has the range of this class, and offsets in the arena differ between classes.
  /// In the interface of the whole model, the members `arguments` and `arenaSizes` are then unused, and `indexCheck` is
  /// set if the code of any class computes indices.
  std::vector<ModelInterface> classes;
  /// The suffix in the names of functions of a class of sizes. It is empty in the interface of the whole model.
  std::string classSuffix;

  /// `lows` and `highs` return the minima and the maxima of all sizes, followed by those of the derived sizes.
  std::vector<int64_t> lows() const;
  std::vector<int64_t> highs() const;
  /// Returns the size of a tensor in bytes if all sizes have their maximum.
  uint64_t maxBytes(const InterfaceTensor &tensor) const;
  /// Returns the size in bytes of an arena that is large enough for one thread and the largest sizes.
  uint64_t arenaBytes() const;

  /// Returns the suffix in the names of a variant's functions and sections. It is empty if there are neither several
  /// variants nor classes.
  std::string getSuffix(unsigned variant) const;
  /// Returns the name of the compiled @main of a variant.
  std::string getMain(unsigned variant) const { return name + "_main" + getSuffix(variant); }
};

/// Converts a number in types or annotations, which may depend on placeholders, to a constant times sizes of the call.
InterfaceProduct readProduct(int64_t number, const Sizes &sizes);

/// Lays out the memory of the states of `interface`, and determines the sizes on which the memory depends.
mlir::LogicalResult layOutStates(ModelInterface &interface, mlir::func::FuncOp main, const Sizes &sizes);
/// Changes the result of layOutStates: moves the tensors of the states from the caller's memory to an allocation on the
/// device, at offsets that are multiples of `alignment` bytes.
void moveStatesToDevice(ModelInterface &interface, uint64_t alignment);

/// Reads the interface from @main. The module must be at one of the stages plan, dispatch and loops.
mlir::FailureOr<ModelInterface> readInterface(mlir::ModuleOp module);

/// Adds a variant to `interface`. `variant` is the interface of the same model, compiled for another CPU.
void addVariant(ModelInterface &interface, const ModelInterface &variant);

/// Makes the interface of a library with code for each class of sizes. `lows` contains the minima of the classes of
/// each size. `whole` is the model for all classes, before stage plan. Emits an error if the classes cannot share the
/// memory of states.
mlir::FailureOr<ModelInterface> joinClasses(std::vector<ModelInterface> classes,
                                            llvm::ArrayRef<std::vector<int64_t>> lows, mlir::ModuleOp whole);

} // namespace heddle

#endif // HEDDLE_ABI_MODELINTERFACE_H
