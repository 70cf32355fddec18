//===- fragment_test.cpp - the layouts of fragments -----------------------===//
//
// Checks the layouts of #heddle.fma and #heddle.rows, and that #heddle.fragments refuses a kind whose layouts are
// wrong. Only this file defines such a kind, `unit`.
//
//===----------------------------------------------------------------------===//

#include "Run.h"

#include "mlir/AsmParser/AsmParser.h"

using namespace mlir;
using namespace heddle;

namespace {

/// The kind `unit`: a lane has one element of each matrix. Its product has 4 x 8 sums and a depth of 4. Its layouts are
/// wrong if `rowShift` is not 0, `columnsTogether` is not 1 or `leftColumns` is not 4.
struct OneElement : FragmentKind::ExternalModel<OneElement, UnitAttr> {
  std::array<int64_t, 3> getShape(Attribute) const { return {4, 8, 4}; }
  Type getElementOf(Attribute kind, FragmentRole) const { return Float32Type::get(kind.getContext()); }
  int64_t getCount(Attribute, FragmentRole) const { return 1; }
  AffineMap getLayout(Attribute kind, FragmentRole role) const {
    AffineExpr lane = getAffineDimExpr(0, kind.getContext());
    if (role == FragmentRole::Left)
      return AffineMap::get(2, 0, {lane.floorDiv(8), lane % leftColumns}, kind.getContext());
    if (role == FragmentRole::Right)
      return AffineMap::get(2, 0, {lane % 4, lane.floorDiv(4)}, kind.getContext());
    return AffineMap::get(2, 0, {lane.floorDiv(8) + rowShift, (lane % 8).floorDiv(columnsTogether)}, kind.getContext());
  }
  static inline int64_t rowShift = 0, columnsTogether = 1, leftColumns = 4;
};

struct Fragments : testing::Test {
  Runner runner;
  Fragments() { UnitAttr::attachInterface<OneElement>(runner.context); }
  /// Returns the error of a memory space with the kind `unit`; "" if there is no error.
  std::string errorOf(int64_t rowShift, int64_t columnsTogether, int64_t leftColumns = 4) {
    OneElement::rowShift = rowShift;
    OneElement::columnsTogether = columnsTogether;
    OneElement::leftColumns = leftColumns;
    runner.errors.clear();
    bool isValid = bool(parseAttribute("#heddle.fragments<unit, 1 x 2>", &runner.context));
    EXPECT_EQ(isValid, runner.errors.empty());
    return runner.errors;
  }
};

TEST_F(Fragments, HaveEachElementOfTheSumOnce) {
  EXPECT_EQ(errorOf(0, 1), "");
  EXPECT_NE(errorOf(1, 1).find("element 0 of lane 24 is not in the matrix sum"), std::string::npos) << runner.errors;
  EXPECT_NE(errorOf(0, 2).find("element (0, 0) of the matrix sum is in 2 lanes"), std::string::npos) << runner.errors;
  EXPECT_NE(errorOf(0, 1, 2).find("element (0, 2) of the matrix left is in 0 lanes"), std::string::npos)
      << runner.errors;
}

/// A lane has the factors from which its sums are computed.
TEST_F(Fragments, OfMultiplyAddsBelongTogether) {
  for (Type element : {Type(Float32Type::get(&runner.context)), Type(Float64Type::get(&runner.context))}) {
    auto kind = FmaAttr::get(&runner.context, element);
    AffineMap sum = kind.getLayout(FragmentRole::Sum), left = kind.getLayout(FragmentRole::Left),
              right = kind.getLayout(FragmentRole::Right);
    for (int64_t lane = 0; lane < FragmentKind::lanes; ++lane)
      for (int64_t i = 0; i < 4; ++i)
        for (int64_t j = 0; j < 4; ++j)
          for (int64_t k = 0; k < 4; ++k) {
            auto c = sum.compose({lane, 4 * i + j}), a = left.compose({lane, 4 * i + k}),
                 b = right.compose({lane, 4 * k + j});
            EXPECT_EQ(a[0], c[0]);
            EXPECT_EQ(b[1], c[1]);
            EXPECT_EQ(a[1], k);
            EXPECT_EQ(b[0], k);
          }
  }
}

/// In each access of 128 bits, the eight lanes of a row access contiguous elements of the sums and of the right factor.
TEST_F(Fragments, OfMultiplyAddsAreContiguousInARow) {
  for (auto [element, width] : {std::pair<Type, int64_t>(Float32Type::get(&runner.context), 4),
                                std::pair<Type, int64_t>(Float64Type::get(&runner.context), 2)}) {
    auto kind = FmaAttr::get(&runner.context, element);
    EXPECT_EQ(kind.getWidth(), width);
    for (FragmentRole role : {FragmentRole::Sum, FragmentRole::Right})
      for (int64_t first = 0; first < kind.getCount(role); first += width) {
        SmallVector<int64_t> start = kind.getLayout(role).compose({0, first});
        for (int64_t at = 0; at < 8 * width; ++at)
          EXPECT_EQ(kind.getLayout(role).compose({at / width, first + at % width}),
                    (SmallVector<int64_t>{start[0], start[1] + at}));
      }
  }
}

/// Four lanes share a row, and of every eight elements of the row each lane has two neighbouring ones.
TEST_F(Fragments, OfRowsAreNeighbours) {
  auto kind = RowsAttr::get(&runner.context, Float32Type::get(&runner.context), 4, 2);
  EXPECT_EQ(kind.getShape(), (std::array<int64_t, 3>{8, 8, 0}));
  AffineMap layout = kind.getLayout(FragmentRole::Sum);
  EXPECT_EQ(layout.compose({0, 1}), (SmallVector<int64_t>{0, 1}));
  EXPECT_EQ(layout.compose({3, 0}), (SmallVector<int64_t>{0, 6}));
  EXPECT_EQ(layout.compose({30, 1}), (SmallVector<int64_t>{7, 5}));
}

TEST_F(Fragments, DivideTilesOfWholeBlocks) {
  auto place =
      FragmentsAttr::get(&runner.context, FmaAttr::get(&runner.context, Float32Type::get(&runner.context)), 4, 2);
  EXPECT_TRUE(place.divides({128, 128}));
  EXPECT_TRUE(place.divides({64, 192}));
  EXPECT_FALSE(place.divides({96, 128}));
  EXPECT_FALSE(place.divides({128, 96}));
  EXPECT_TRUE(place.divides({64}));
  EXPECT_FALSE(place.divides({96}));
  EXPECT_FALSE(place.divides({}));
  EXPECT_FALSE(place.divides({128, 128, 128}));
  EXPECT_EQ(place.countThreads(), 256);
}

} // namespace
