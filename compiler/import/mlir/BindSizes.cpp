//===- BindSizes.cpp - sizes of named dimensions --------------------------===//

#include "BindSizes.h"

#include "CheckExtents.h"
#include "RefineShapes.h"
#include "sizes/SizeScope.h"

#include "Notes.h"

using namespace mlir;
using namespace heddle;

/// An upper bound for sizes. With this limit, the product of two sizes does not overflow 64 bits.
static constexpr int64_t sizeLimit = int64_t(1) << 31;

/// Returns the type of argument `number` in which each `?` is replaced by the size that the options contain for the
/// name of the dimension or, if the name is a sum, by the sum of the sizes of its terms. `known` contains the names of
/// sizes for which `--dim` is allowed. If a size is missing, its dimension is added to `open`.
static FailureOr<RankedTensorType> bindArgument(Location loc, func::FuncOp main, unsigned number,
                                                const ImportTask &options, ArrayRef<std::string> known,
                                                SmallVectorImpl<OpenDim> &open) {
  auto type = cast<RankedTensorType>(main.getArgument(number).getType());
  Strings names = notes::dims.get(main, number).value_or(Strings());
  auto wrongUsage = [&] { options.setWrongUsage(); };
  SmallVector<int64_t> shape(type.getShape());
  for (auto [dim, size] : llvm::enumerate(shape)) {
    StringRef name = dim < names.size() ? names[dim] : StringRef();
    if (name.empty() && ShapedType::isDynamic(size))
      return main.emitError() << "argument " << number << ", " << type << ": dimension " << dim
                              << " is dynamic, but has no name, so --dim cannot set it; name it in the attribute "
                                 "heddle.dims, a list with one name for each dimension (\"\" for a fixed dimension)";
    bool isSum = false;
    FailureOr<std::optional<int64_t>> given = sizeOfDim(loc, options, name, known, isSum);
    if (failed(given))
      return failure();
    Dim bound = dimOf(given->value_or(0));
    if (*given && ShapedType::isDynamic(size)) {
      size = **given;
      int64_t minimum = options.mayBeEmpty ? 0 : 1;
      if (bound.low() >= minimum && bound.high() <= sizeLimit)
        continue;
      wrongUsage();
      return emitError(loc) << name << ": expected " << minimum << " to " << sizeLimit << ", found " << bound.text();
    }
    if (*given && bound != dimOf(size)) {
      wrongUsage();
      return emitError(loc) << name << " is " << size << " in this file, not " << bound.text();
    }
    if (ShapedType::isDynamic(size) && !isSum)
      addOpenDim(open, name, {notes::name.get(main, number)->str(), dim, shape.size()});
  }
  return type.clone(shape);
}

LogicalResult heddle::bindSizes(Location loc, func::FuncOp main, const ImportTask &options,
                                std::vector<std::string> known) {
  for (unsigned i = 0; i < main.getNumArguments(); ++i) {
    Strings names = notes::dims.get(main, i).value_or(Strings());
    for (StringRef &name : names)
      if (auto sum = options.sumNames.find(name); sum != options.sumNames.end())
        name = sum->second;
    if (!names.empty())
      notes::dims.set(main, i, names);
    for (StringRef name : names)
      if (!name.empty() && !llvm::is_contained(known, name))
        known.push_back(name.str());
  }
  if (failed(checkDimNames(loc, options, known)))
    return failure();
  SmallVector<OpenDim> open;
  SmallVector<Type> types;
  for (unsigned i = 0; i < main.getNumArguments(); ++i) {
    FailureOr<RankedTensorType> type = bindArgument(loc, main, i, options, known, open);
    if (failed(type))
      return failure();
    types.push_back(*type);
  }
  if (failed(reportOpenDims(loc, options, open)))
    return failure();
  if (TypeRange(types) == TypeRange(main.getArgumentTypes()) && !SizeScope::current())
    return failure(main.walk([](Operation *op) { return WalkResult(checkExtents(op)); }).wasInterrupted());
  for (auto [argument, type] : llvm::zip_equal(main.getArguments(), types))
    argument.setType(type);
  return refineShapes(main);
}
