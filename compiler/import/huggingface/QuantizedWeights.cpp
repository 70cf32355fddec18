//===- QuantizedWeights.cpp - weights of quantised layers -----------------===//
//
// In the file, a quantised weight consists of several tensors: integers, scales and perhaps zero points. A recipe is a
// list of steps that are applied to a stored tensor when a library is written. Here, recipes unpack and transpose the
// tensors.
//
//===----------------------------------------------------------------------===//

#include "QuantizedWeights.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace heddle;

namespace {
/// Builds the weight of one layer. After an error, `checkpoint` is marked as failed.
struct Maker {
  ImplicitLocOpBuilder &builder;
  DirectoryCheckpoint &checkpoint;
  const Quantization &format;
  std::string name; // the full name of the layer
  const Checkpoint::Layout &layout;
  // The numbers of inputs and outputs of the stored layer, of inputs that share a scale, and of such groups of inputs.
  int64_t in = layout.shape[0], out = layout.shape[1];
  int64_t group = format.group ? format.group : in, groups = llvm::divideCeilSigned(in, group);
  MLIRContext *context = builder.getContext();
  using Steps = SmallVector<Attribute>;

  /// Returns whether the tensor NAME + `part` exists.
  bool has(StringRef part) { return checkpoint.find((name + part).str()); }

  /// Begins an error about the tensor NAME + `part`.
  InFlightDiagnostic refuse(StringRef part) {
    checkpoint.fail();
    return emitError(builder.getLoc()) << "tensor '" << name << part << "': ";
  }

  /// Returns the tensor NAME + `part`. If the tensor does not exist or does not have this shape, or if `isType` does
  /// not accept its element type, emits an error and returns null.
  const StoredTensor *find(StringRef part, ArrayRef<int64_t> shape, llvm::function_ref<bool(Type)> isType) {
    const StoredTensor *tensor = checkpoint.find((name + part).str());
    if (!tensor) {
      checkpoint.fail();
      emitError(builder.getLoc()) << "the checkpoint has no tensor '" << name << part << "'";
    } else if (tensor->type.getShape() != shape) {
      refuse(part) << "expected " << RankedTensorType::get(shape, tensor->type.getElementType())
                   << " according to quantization_config, found " << tensor->type;
      tensor = nullptr;
    } else if (!isType(tensor->type.getElementType())) {
      refuse(part) << "elements of type " << tensor->type.getElementType() << " are not supported";
      tensor = nullptr;
    }
    return tensor;
  }
  /// Returns whether the type is a byte. Bytes are signed in all formats.
  static bool isByte(Type type) { return type.isSignlessInteger(8); }
  static bool isWord(Type type) { return type.isInteger(32); }
  static bool isFloat(Type type) { return type.isF32() || type.isF16() || type.isBF16(); }

  Attribute reshape(ArrayRef<int64_t> shape) { return ReshapeStepAttr::get(context, shape); }
  Attribute transpose(ArrayRef<int64_t> order) { return TransposeStepAttr::get(context, order); }
  Attribute slice(ArrayRef<int64_t> sizes) {
    return SliceStepAttr::get(context, SmallVector<int64_t>(sizes.size(), 0), sizes);
  }
  Attribute add(int64_t number) { return AddStepAttr::get(context, number); }

  /// Creates a weight from the tensor NAME + `part`. `steps` must convert the tensor to a matrix [rows, out]. If the
  /// layer uses only a part of this matrix (`layout.part`), the weight is that part.
  Value weight(StringRef part, Steps steps, int64_t rows, Type element) {
    SmallVector<int64_t> shape = {rows, out};
    if (layout.part)
      addPart(steps, shape, *layout.part, context);
    return WeightOp::create(builder, RankedTensorType::get(shape, element), builder.getStringAttr(name + part),
                            builder.getArrayAttr(steps));
  }

  /// Returns the steps that unpack a matrix [rows, words] of 32-bit words into a matrix [rows, columns] of unsigned
  /// numbers. The first number of a row is in the lowest bits of the row's first word.
  Steps numbersOf(int64_t rows, int64_t words, int64_t columns) {
    Steps steps = {BytesStepAttr::get(context), reshape({rows, words * 4})};
    if (format.bits == 4)
      steps.push_back(NibblesStepAttr::get(context));
    if (words * 32 / format.bits != columns)
      steps.push_back(slice({rows, columns}));
    return steps;
  }
  /// Returns the step that subtracts 2^(bits - 1), which converts the stored numbers to signed numbers.
  Attribute centred() { return add(-(int64_t(1) << (format.bits - 1))); }
  /// Returns the steps of numbersOf() and centred().
  Steps unpacked(int64_t rows, int64_t words, int64_t columns) {
    Steps steps = numbersOf(rows, words, columns);
    steps.push_back(centred());
    return steps;
  }
  /// Returns the steps that unpack GPTQ's zero points [groups, out].
  Steps unpackedZeros() {
    using Zeros = Quantization::StoredZeros;
    Steps steps;
    if (format.storedZeros == Zeros::WordsLessOnes)
      steps.push_back(add(format.bits == 4 ? 0x11111111 : 0x01010101)); // 1 for each zero point of a word
    steps.append(numbersOf(groups, wordsOf(out), out));
    if (format.storedZeros == Zeros::LessOne) {
      steps.push_back(add(1));
      if (format.bits == 4) // the sum modulo 16 is the lower half of the byte
        steps.append({NibblesStepAttr::get(context), reshape({groups, out, 2}), slice({groups, out, 1}), reshape({groups, out})});
    }
    steps.push_back(centred());
    return steps;
  }
  /// Returns the number of 32-bit words into which this many numbers are packed.
  int64_t wordsOf(int64_t numbers) { return llvm::divideCeilSigned(numbers * format.bits, 32); }

  LinearWeight dequantize(Value integers, Value scales, Value zeros) {
    auto type = cast<RankedTensorType>(integers.getType());
    type = RankedTensorType::get(type.getShape(), builder.getF32Type());
    SmallVector<int64_t> block = {group, format.perTensor ? type.getDimSize(1) : 1};
    return {DequantizeOp::create(builder, type, integers, scales, zeros, Value(), Value(), block, ArrayRef<int64_t>())};
  }

  /// Returns the scales [groups, out], which are stored as [out, groups]; a single scale becomes [1, 1].
  Value scales(StringRef part) {
    SmallVector<int64_t> shape = format.perTensor ? SmallVector<int64_t>{1} : SmallVector<int64_t>{out, groups};
    const StoredTensor *tensor = find(part, shape, isFloat);
    Steps steps = {format.perTensor ? reshape({1, 1}) : transpose({1, 0})};
    if (tensor && !tensor->type.getElementType().isF32())
      steps.push_back(CastStepAttr::get(context, builder.getF32Type()));
    if (!format.perTensor)
      return weight(part, steps, groups, builder.getF32Type());
    return WeightOp::create(builder, RankedTensorType::get({1, 1}, builder.getF32Type()),
                            builder.getStringAttr(name + part), builder.getArrayAttr(steps));
  }

  /// Returns zero points that are stored as bytes: those of the scheme Integers, and the single zero point of a packed
  /// tensor with one scale.
  Value zeroBytes() {
    SmallVector<int64_t> shape = format.perTensor ? SmallVector<int64_t>{1} : SmallVector<int64_t>{out, groups};
    find(".weight_zero_point", shape, isByte);
    if (!format.perTensor)
      return weight(".weight_zero_point", {transpose({1, 0})}, groups, builder.getI8Type());
    return WeightOp::create(builder, RankedTensorType::get({1, 1}, builder.getI8Type()),
                            builder.getStringAttr(name + ".weight_zero_point"),
                            builder.getArrayAttr({reshape({1, 1})}));
  }

  LinearWeight fromIntegers() {
    find(".weight", {out, in}, isByte);
    Value zeros = format.hasZeros ? zeroBytes() : Value();
    Value integers = weight(".weight", {transpose({1, 0})}, in, builder.getI8Type());
    return dequantize(integers, scales(".weight_scale"), zeros);
  }

  LinearWeight fromPacked() {
    if (has(".weight_g_idx"))
      refuse(".weight_g_idx") << "an order of the inputs that differs from their order in memory is not supported";
    find(".weight_packed", {out, wordsOf(in)}, isWord);
    if (const StoredTensor *shape = find(".weight_shape", {2}, [](Type type) { return type.isInteger(64) || isWord(type); })) {
      auto at = [&](int64_t i) -> int64_t {
        const char *bytes = shape->bytes.data();
        return isWord(shape->type.getElementType()) ? int32_t(llvm::support::endian::read32le(bytes + 4 * i))
                                                    : int64_t(llvm::support::endian::read64le(bytes + 8 * i));
      };
      if (at(0) != out || at(1) != in)
        refuse(".weight_shape") << "expected " << out << " and " << in << ", found " << at(0) << " and " << at(1);
    }
    Value zeros;
    if (format.hasZeros && format.perTensor) {
      zeros = zeroBytes();
    } else if (format.hasZeros) { // zero points are packed along the outputs
      find(".weight_zero_point", {wordsOf(out), groups}, isWord);
      Steps steps = {transpose({1, 0})};
      steps.append(unpacked(groups, wordsOf(out), out));
      zeros = weight(".weight_zero_point", steps, groups, builder.getI8Type());
    }
    Steps steps = unpacked(out, wordsOf(in), in);
    steps.push_back(transpose({1, 0}));
    Value integers = weight(".weight_packed", steps, in, builder.getI8Type());
    return dequantize(integers, scales(".weight_scale"), zeros);
  }

  /// In GPTQ, each word of the weight [in, out] contains consecutive elements of a column. Each group of inputs has a
  /// row of the zero points and of the scales [groups, out].
  LinearWeight fromGptq() {
    int64_t each = 32 / format.bits;
    if (in % each || out % each) {
      refuse(".qweight") << "expected numbers of inputs and outputs that are multiples of " << each << ", found " << in
                         << " and " << out;
      return fromGptqOf({});
    }
    SmallVector<int64_t> order = groupOrder();
    find(".qweight", {in / each, out}, isWord);
    find(".qzeros", {groups, out / each}, isWord);
    return fromGptqOf(order);
  }
  /// Builds the weight with its rows in this order, or in the stored order if `order` is empty.
  LinearWeight fromGptqOf(SmallVector<int64_t> order) {
    int64_t each = 32 / format.bits; // the numbers in a word
    Steps steps = {BytesStepAttr::get(context)};
    if (format.bits == 4)
      steps.push_back(NibblesStepAttr::get(context));
    llvm::append_range(steps, ArrayRef<Attribute>{transpose({0, 2, 1}), reshape({in / each * each, out}),
                                                  add(-(int64_t(1) << (format.bits - 1)))});
    if (!order.empty())
      steps.push_back(TakeStepAttr::get(context, order));
    Value integers = weight(".qweight", steps, in, builder.getI8Type());
    Value zeros = weight(".qzeros", unpackedZeros(), groups, builder.getI8Type());
    const StoredTensor *scales = find(".scales", {groups, out}, isFloat);
    Steps widen;
    if (scales && !scales->type.getElementType().isF32())
      widen.push_back(CastStepAttr::get(context, builder.getF32Type()));
    LinearWeight result = dequantize(integers, weight(".scales", widen, groups, builder.getF32Type()), zeros);
    result.order = order;
    return result;
  }

  /// Returns an order of the inputs in which the inputs of each group are contiguous. The order is empty if the stored
  /// order already has this property, and after an error.
  SmallVector<int64_t> groupOrder() {
    if (!has(".g_idx"))
      return {};
    const StoredTensor *tensor = find(".g_idx", {in}, isWord);
    if (!tensor)
      return {};
    auto groupOf = [&](int64_t i) { return int32_t(llvm::support::endian::read32le(tensor->bytes.data() + 4 * i)); };
    SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(0, in));
    llvm::sort(order, [&](int64_t a, int64_t b) { return std::pair(groupOf(a), a) < std::pair(groupOf(b), b); });
    for (auto [i, row] : llvm::enumerate(order))
      if (groupOf(row) != int64_t(i) / group) {
        refuse(".g_idx") << "expected " << group << " inputs in each of " << groups << " groups";
        return {};
      }
    return llvm::is_sorted(order) ? SmallVector<int64_t>() : order;
  }

  /// Returns the only element of the tensor NAME + `part`, an i8 if `isInteger`, else a float. Emits an error and
  /// returns nothing if the tensor does not exist, does not have exactly one element, or has another type.
  std::optional<double> number(StringRef part, bool isInteger) {
    const StoredTensor *tensor = checkpoint.find((name + part).str());
    if (!tensor || tensor->type.getNumElements() != 1) {
      refuse(part) << "expected a tensor with one element";
      return std::nullopt;
    }
    if (isInteger && isByte(tensor->type.getElementType()))
      return int8_t(tensor->bytes[0]);
    auto type = dyn_cast<FloatType>(tensor->type.getElementType());
    if (isInteger || !type || !isFloat(type)) {
      refuse(part) << "elements of type " << tensor->type.getElementType() << " are not supported";
      return std::nullopt;
    }
    bool isF32 = type.isF32();
    uint64_t bits = isF32 ? llvm::support::endian::read32le(tensor->bytes.data())
                          : llvm::support::endian::read16le(tensor->bytes.data());
    APFloat value(type.getFloatSemantics(), APInt(isF32 ? 32 : 16, bits));
    bool lossy;
    value.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven, &lossy);
    return value.convertToFloat();
  }

  /// Returns the rounding of the layer's input. With static rounding, reads the layer's scale and its zero point, which
  /// is 0 if it is not stored. Returns null if the input is not rounded, and after an error.
  RowRoundingAttr rounding() {
    if (!format.isStatic)
      return format.rounding;
    std::optional<double> scale = number(".input_scale", /*isInteger=*/false);
    std::optional<double> zero = has(".input_zero_point") ? number(".input_zero_point", /*isInteger=*/true) : std::optional<double>(0.0);
    if (!scale || !zero)
      return {};
    if (!std::isfinite(*scale) || *scale <= 0) {
      refuse(".input_scale") << "expected a positive number, found " << *scale;
      return {};
    }
    return RowRoundingAttr::get(context, format.rounding.getElement(), 0, {}, /*per_tensor=*/false,
                                builder.getF32FloatAttr(float(*scale)), int64_t(*zero));
  }
};
} // namespace

std::optional<LinearWeight> heddle::quantizedWeight(ImplicitLocOpBuilder &builder, DirectoryCheckpoint &checkpoint,
                                                    StringRef name, const Checkpoint::Layout &layout) {
  using Scheme = Quantization::Scheme;
  if (!checkpoint.quantization || checkpoint.failed())
    return std::nullopt;
  Maker make{builder, checkpoint, *checkpoint.quantization, checkpoint.prefix + name.str(), layout};
  Scheme format = checkpoint.quantization->format;
  StringRef first = format == Scheme::Gptq ? ".qweight" : format == Scheme::Packed ? ".weight_packed" : ".weight_scale";
  if (!make.has(first))
    return std::nullopt;
  if (format != Scheme::Gptq && !layout.transposed) {
    make.refuse(first) << "a weight that is stored as [in, out] is supported only with quant_method gptq";
    return std::nullopt;
  }
  if (int64_t group = checkpoint.quantization->group; group && make.in % group && format != Scheme::Gptq) {
    make.refuse(first) << make.in << " inputs cannot be divided into groups of " << group;
    return std::nullopt;
  }
  LinearWeight weight = format == Scheme::Gptq     ? make.fromGptq()
                        : format == Scheme::Packed ? make.fromPacked()
                                                   : make.fromIntegers();
  weight.rounding = make.rounding();
  return weight;
}
