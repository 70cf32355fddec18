//===- Buffer.cpp - memory of the interpreter -----------------------------===//

#include "interpreter/Buffer.h"

#include <cstring>

using namespace mlir;
using namespace heddle;

/// The value of each byte of memory that has not been written.
static constexpr char unwritten = char(0xff);

FailureOr<Buffer> Buffer::allocate(Operation *op, ArrayRef<int64_t> shape, Type elementType) {
  constexpr int64_t maxBytes = int64_t(1) << 36; // larger sizes are assumed to be mistakes
  int64_t bytes = Tensor::byteWidth(elementType);
  if (bytes == 0)
    return op->emitError() << "the interpreter does not support buffers of " << elementType;
  for (int64_t extent : shape)
    if (extent < 0 || llvm::MulOverflow(bytes, extent, bytes) || bytes > maxBytes)
      return op->emitOpError() << "has a dimension of size " << extent
                               << ", which is negative or makes the buffer larger than 64 GiB";
  Buffer result = withoutMemory(shape, elementType);
  result.memory->assign(bytes, unwritten);
  return result;
}

Buffer Buffer::of(const Tensor &tensor) {
  Buffer result = withoutMemory(tensor.shape(), tensor.elementType());
  *result.memory = tensor.toBytes();
  return result;
}

Buffer Buffer::ofBytes(std::vector<char> bytes, MLIRContext *context) {
  Buffer result = withoutMemory(int64_t(bytes.size()), IntegerType::get(context, 8));
  *result.memory = std::move(bytes);
  return result;
}

Buffer Buffer::withoutMemory(ArrayRef<int64_t> shape, Type elementType) {
  Buffer result;
  result.memory = std::make_shared<std::vector<char>>();
  result.width = Tensor::byteWidth(elementType);
  result.type = elementType;
  result.sizes.assign(shape.begin(), shape.end());
  result.steps = Tensor::strides(shape);
  return result;
}

Buffer Buffer::view(int64_t offset, ArrayRef<int64_t> shape, ArrayRef<int64_t> strides) const {
  Buffer result = *this;
  result.start += offset * width;
  result.sizes.assign(shape.begin(), shape.end());
  result.steps.assign(strides.begin(), strides.end());
  return result;
}

Buffer Buffer::reinterpreted(int64_t byte, ArrayRef<int64_t> shape, Type elementType) const {
  Buffer result = view(0, shape, Tensor::strides(shape));
  result.start += byte;
  result.width = Tensor::byteWidth(elementType);
  result.type = elementType;
  return result;
}

LogicalResult Buffer::checkPlaces(Operation *op, ArrayRef<int64_t> offsets) const {
  if (width == 0)
    return op->emitError() << "the interpreter does not support buffers of " << type;
  int64_t last = (int64_t(memory->size()) - start) / width - 1;
  for (int64_t offset : offsets)
    if (offset > last)
      return op->emitOpError() << "accesses the element at byte " << start + offset * width << " of a memory of "
                               << memory->size() << " bytes";
  return success();
}

/// Whether the offsets are consecutive and not negative, so the elements at these offsets are contiguous in
/// memory.
static bool isRun(ArrayRef<int64_t> offsets) {
  for (size_t i = 0; i < offsets.size(); ++i)
    if (offsets[i] != offsets[0] + int64_t(i))
      return false;
  return !offsets.empty() && offsets[0] >= 0;
}

FailureOr<Tensor> Buffer::read(Operation *op, ArrayRef<int64_t> shape, ArrayRef<int64_t> offsets,
                               const Tensor *fill) const {
  if (failed(checkPlaces(op, offsets)))
    return failure();
  if (isRun(offsets))
    return Tensor::fromBytes(shape, type, {memory->data() + start + offsets[0] * width, offsets.size() * width});
  std::vector<char> bytes(offsets.size() * width);
  std::vector<char> filler = fill ? fill->toBytes() : std::vector<char>(width, 0);
  for (auto [i, offset] : llvm::enumerate(offsets))
    std::memcpy(&bytes[i * width], offset < 0 ? filler.data() : memory->data() + start + offset * width, width);
  return Tensor::fromBytes(shape, type, bytes);
}

LogicalResult Buffer::write(Operation *op, const Tensor &tensor, ArrayRef<int64_t> offsets) const {
  if (failed(checkPlaces(op, offsets)))
    return failure();
  std::vector<char> bytes = tensor.toBytes();
  for (auto [i, offset] : llvm::enumerate(offsets))
    if (offset >= 0)
      std::memcpy(memory->data() + start + offset * width, &bytes[i * width], width);
  return success();
}

int64_t Buffer::end() const {
  int64_t last = 0;
  for (auto [extent, step] : llvm::zip_equal(sizes, steps)) {
    if (extent == 0)
      return start;
    last += (extent - 1) * step;
  }
  return start + (last + 1) * width;
}

bool Buffer::overlaps(const Buffer &other) const {
  return memory == other.memory && start < other.end() && other.start < end();
}

SmallVector<int64_t> Buffer::allOffsets() const {
  SmallVector<int64_t> offsets;
  forEachIndex(sizes, [&](ArrayRef<int64_t> index) {
    int64_t offset = 0;
    for (auto [i, step] : llvm::zip_equal(index, steps))
      offset += i * step;
    offsets.push_back(offset);
  });
  return offsets;
}

FailureOr<Tensor> Buffer::load(Operation *op) const {
  int64_t bytes = ShapedType::getNumElements(sizes) * width;
  bool isDense = ArrayRef<int64_t>(steps) == ArrayRef<int64_t>(Tensor::strides(sizes));
  if (isDense && bytes <= int64_t(memory->size()) - start)
    return Tensor::fromBytes(sizes, type, {memory->data() + start, size_t(bytes)});
  return read(op, sizes, allOffsets());
}

LogicalResult Buffer::store(Operation *op, const Tensor &tensor) const { return write(op, tensor, allOffsets()); }

void Buffer::forget() const {
  int64_t bytes = ShapedType::getNumElements(sizes) * width;
  std::fill_n(memory->begin() + start, std::min<int64_t>(bytes, int64_t(memory->size()) - start), unwritten);
}
