//===- TilePlaces.cpp - where the tiles of a workgroup lie ----------------===//

#include "Heddle.h"

using namespace mlir;
using namespace heddle;

/// Returns the number of rows and columns of a matrix of the kind's product.
static std::pair<int64_t, int64_t> extentsOf(FragmentKind kind, FragmentRole role) {
  auto [m, n, k] = kind.getShape();
  switch (role) {
  case FragmentRole::Sum:
    return {m, n};
  case FragmentRole::Left:
    return {m, k};
  case FragmentRole::Right:
    return {k, n};
  }
  llvm_unreachable("all roles are listed");
}

/// Checks that each lane has only elements of the matrix, that each element of a factor is in at least one lane, and
/// that each element of the sum is in exactly one lane.
static LogicalResult verifyLayout(function_ref<InFlightDiagnostic()> emitError, FragmentKind kind, FragmentRole role) {
  auto [rows, columns] = extentsOf(kind, role);
  AffineMap layout = kind.getLayout(role);
  SmallVector<int64_t> lanes(rows * columns, 0); // how often each element is in a lane
  for (int64_t lane = 0; lane < FragmentKind::lanes; ++lane)
    for (int64_t element = 0; element < kind.getCount(role); ++element) {
      SmallVector<int64_t> at = layout.compose({lane, element});
      if (at[0] < 0 || at[0] >= rows || at[1] < 0 || at[1] >= columns)
        return emitError() << kind << ": element " << element << " of lane " << lane << " is not in the matrix "
                           << stringifyFragmentRole(role);
      ++lanes[at[0] * columns + at[1]];
    }
  for (auto [at, count] : llvm::enumerate(lanes))
    if (count == 0 || (role == FragmentRole::Sum && count > 1))
      return emitError() << kind << ": element (" << at / columns << ", " << at % columns << ") of the matrix "
                         << stringifyFragmentRole(role) << " is in " << count << " lanes, expected "
                         << (role == FragmentRole::Sum ? "exactly" : "at least") << " one";
  return success();
}

LogicalResult FragmentsAttr::verify(function_ref<InFlightDiagnostic()> emitError, FragmentKind kind, int64_t warpRows,
                                    int64_t warpColumns) {
  if (warpRows <= 0 || warpColumns <= 0 || warpRows > maxWarps || warpColumns > maxWarps / warpRows)
    return emitError() << "expects 1 to " << maxWarps << " warps, found " << warpRows << " x " << warpColumns;
  for (FragmentRole role : {FragmentRole::Sum, FragmentRole::Left, FragmentRole::Right})
    if (failed(verifyLayout(emitError, kind, role)))
      return failure();
  return success();
}

bool FragmentsAttr::divides(ArrayRef<int64_t> shape) {
  auto [m, n, k] = getKind().getShape();
  auto isWhole = [](int64_t extent, int64_t unit) { return extent > 0 && extent % unit == 0; };
  return (shape.size() == 1 || shape.size() == 2) && isWhole(shape[0], m * getWarpRows()) &&
         (shape.size() == 1 || isWhole(shape[1], n * getWarpColumns()));
}

LogicalResult FmaAttr::verify(function_ref<InFlightDiagnostic()> emitError, Type element) {
  return element.isF32() || element.isF64() ? success()
                                            : emitError() << "expects elements of f32 or f64, found " << element;
}

std::array<int64_t, 3> FmaAttr::getShape() const { return {16, 32, 4}; }

Type FmaAttr::getElementOf(FragmentRole) const { return getElement(); }

int64_t FmaAttr::getCount(FragmentRole) const { return 16; }

AffineMap FmaAttr::getLayout(FragmentRole role) const {
  AffineExpr lane, element;
  bindDims(getContext(), lane, element);
  // (i, j) is the position of an element among the 4 x 4 elements of a lane. `firstColumn` is the column of the first
  // of the neighbouring elements that the lane accesses together with this element.
  AffineExpr i = element.floorDiv(4), j = element % 4;
  int64_t width = getWidth(), lanesOfRow = 8;
  AffineExpr firstColumn = width * (lane % lanesOfRow) + lanesOfRow * width * j.floorDiv(width);
  AffineExpr row = role == FragmentRole::Right ? i : 4 * lane.floorDiv(lanesOfRow) + i;
  AffineExpr column = role == FragmentRole::Left ? j : firstColumn + j % width;
  return AffineMap::get(2, 0, {row, column}, getContext());
}

LogicalResult MmaAttr::verify(function_ref<InFlightDiagnostic()> emitError, Type element) {
  return element.isBF16() || element.isF16() ? success()
                                                 : emitError() << "expects factors of bf16 or f16, found " << element;
}

std::array<int64_t, 3> MmaAttr::getShape() const { return {16, 8, 16}; }

Type MmaAttr::getElementOf(FragmentRole role) const {
  return role == FragmentRole::Sum ? Float32Type::get(getContext()) : getElement();
}

int64_t MmaAttr::getCount(FragmentRole role) const { return role == FragmentRole::Left ? 8 : 4; }

AffineMap MmaAttr::getLayout(FragmentRole role) const {
  AffineExpr lane, element;
  bindDims(getContext(), lane, element);
  // A register holds two neighbours. `pair` is the place of an element among the eight that a group of four lanes has
  // in one register, `line` the number of the group, and `number` the number of the register.
  AffineExpr pair = 2 * (lane % 4) + element % 2, line = lane.floorDiv(4), number = element.floorDiv(2);
  switch (role) {
  case FragmentRole::Sum:
    return AffineMap::get(2, 0, {line + 8 * number, pair}, getContext());
  case FragmentRole::Left:
    return AffineMap::get(2, 0, {line + 8 * (number % 2), pair + 8 * number.floorDiv(2)}, getContext());
  case FragmentRole::Right:
    return AffineMap::get(2, 0, {pair + 8 * number, line}, getContext());
  }
  llvm_unreachable("all roles are listed");
}

LogicalResult RowsAttr::verify(function_ref<InFlightDiagnostic()> emitError, Type element, int64_t lanes,
                               int64_t width) {
  if (!element.isF32())
    return emitError() << "expects elements of f32, found " << element;
  if (lanes < 1 || lanes > 32 || !llvm::isPowerOf2_64(lanes))
    return emitError() << "expects a power of two of lanes from 1 to 32, found " << lanes;
  if (width != 1 && width != 2 && width != 4)
    return emitError() << "expects 1, 2 or 4 elements of a lane, found " << width;
  return success();
}

std::array<int64_t, 3> RowsAttr::getShape() const { return {32 / getLanes(), getLanes() * getWidth(), 0}; }

Type RowsAttr::getElementOf(FragmentRole) const { return getElement(); }

int64_t RowsAttr::getCount(FragmentRole role) const { return role == FragmentRole::Sum ? getWidth() : 0; }

AffineMap RowsAttr::getLayout(FragmentRole) const {
  AffineExpr lane, element;
  bindDims(getContext(), lane, element);
  return AffineMap::get(2, 0, {lane.floorDiv(getLanes()), getWidth() * (lane % getLanes()) + element}, getContext());
}
