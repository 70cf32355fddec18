//===- onnx_scatter_test.cpp - ScatterND, ScatterElements, TensorScatter --===//
//
// Imports models with random shapes and indices. The tests compute the expected results by applying one update after
// another, so the last update of an element wins.
//
//===----------------------------------------------------------------------===//

#include "OnnxBuilder.h"

#include "Notes.h"

#include <numeric>
#include <random>

using heddle::Tensor;
using onnx::TensorProto;

namespace {

using Dims = OnnxBuilder::Dims;

/// Returns the number of elements.
int64_t count(const Dims &shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t(1), std::multiplies<>());
}

/// Calls `visit` with the indices of each element of a tensor of this shape, in row-major order.
void forEach(const Dims &shape, llvm::function_ref<void(const Dims &)> visit) {
  for (int64_t number = 0; number < count(shape); ++number) {
    Dims at(shape.size());
    int64_t rest = number;
    for (size_t dim = shape.size(); dim-- > 0; rest /= shape[dim])
      at[dim] = rest % shape[dim];
    visit(at);
  }
}

/// Returns the offset of the element with the indices `at`, in row-major order.
int64_t offsetOf(const Dims &at, const Dims &shape) {
  int64_t offset = 0;
  for (size_t dim = 0; dim < shape.size(); ++dim)
    offset = offset * shape[dim] + at[dim];
  return offset;
}

struct OnnxScatter : OnnxTest {
  std::mt19937 random{7};
  /// Returns a random number in 0 .. most - 1.
  int64_t below(int64_t most) { return int64_t(random() % uint64_t(most)); }
  /// Returns a random shape of this rank, whose extents are 1 to 4.
  Dims shape(int64_t rank) {
    Dims dims;
    for (int64_t dim = 0; dim < rank; ++dim)
      dims.push_back(1 + below(4));
    return dims;
  }

  /// Returns the elements that OnnxTest::run passes by default as input `i` of the model, counted from 0.
  static std::vector<double> given(const Dims &shape, int64_t i) {
    std::vector<double> values(size_t(count(shape)));
    for (size_t k = 0; k < values.size(); ++k)
      values[k] = 1 + double(k) + 100. * double(i);
    return values;
  }
};

TEST_F(OnnxScatter, ScatterNDWritesElementsRowsAndMatrices) {
  for (int trial = 0; trial < 60; ++trial) {
    Dims data = shape(1 + below(4)), leading = shape(below(3)), updates = leading, indices = leading;
    int64_t length = 1 + below(int64_t(data.size()));
    updates.insert(updates.end(), data.begin() + length, data.end());
    indices.push_back(length);
    OnnxBuilder b;
    b.input("data", data);
    b.input("indices", indices, TensorProto::INT64);
    b.input("updates", updates);
    b.node("ScatterND", {"data", "indices", "updates"}, {"y"});
    b.output("y");
    std::vector<int64_t> tuples;
    for (int64_t i = 0; i < count(indices); ++i) {
      int64_t extent = data[size_t(i % length)];
      tuples.push_back(below(2 * extent) - extent);
    }
    std::vector<double> expected = given(data, 0), from = given(updates, 2);
    int64_t row = 1, tuple = 0;
    for (size_t dim = size_t(length); dim < data.size(); ++dim)
      row *= data[dim];
    forEach(leading, [&](const Dims &) {
      int64_t place = 0;
      for (int64_t j = 0; j < length; ++j) {
        int64_t index = tuples[size_t(tuple * length + j)];
        place = place * data[size_t(j)] + (index < 0 ? index + data[size_t(j)] : index);
      }
      std::copy_n(from.begin() + tuple++ * row, row, expected.begin() + place * row);
    });
    EXPECT_EQ(numbers(run(b, {{"indices", tuples}}).at("y")), expected) << "trial " << trial;
  }
}

TEST_F(OnnxScatter, ScatterElementsWritesAlongAnyAxis) {
  for (int trial = 0; trial < 60; ++trial) {
    Dims data = shape(1 + below(4)), indices = data;
    int64_t axis = below(int64_t(data.size()));
    for (size_t dim = 0; dim < data.size(); ++dim)
      indices[dim] = int64_t(dim) == axis ? 1 + below(4) : 1 + below(data[dim]);
    OnnxBuilder b;
    b.input("data", data);
    b.input("indices", indices, TensorProto::INT64);
    b.input("updates", indices);
    OnnxBuilder::set(b.node("ScatterElements", {"data", "indices", "updates"}, {"y"}), "axis",
                     below(2) ? axis : axis - int64_t(data.size()));
    b.output("y");
    std::vector<int64_t> places;
    for (int64_t i = 0; i < count(indices); ++i)
      places.push_back(below(2 * data[size_t(axis)]) - data[size_t(axis)]);
    std::vector<double> expected = given(data, 0), from = given(indices, 2);
    size_t next = 0;
    forEach(indices, [&](Dims at) {
      int64_t index = places[next];
      at[size_t(axis)] = index < 0 ? index + data[size_t(axis)] : index;
      expected[size_t(offsetOf(at, data))] = from[next++];
    });
    EXPECT_EQ(numbers(run(b, {{"indices", places}}).at("y")), expected) << "trial " << trial;
  }
}

TEST_F(OnnxScatter, TensorScatterWritesLinearAndCircularCaches) {
  for (int trial = 0; trial < 60; ++trial) {
    Dims cache = shape(2 + below(3)), update = cache;
    int64_t axis = 1 + below(int64_t(cache.size()) - 1);
    update[size_t(axis)] = 1 + below(cache[size_t(axis)]);
    bool isCircular = below(2), isGiven = below(4);
    OnnxBuilder b(24);
    b.input("cache", cache);
    b.input("update", update);
    if (isGiven)
      b.input("at", {cache[0]}, TensorProto::INT64);
    auto &node = b.node("TensorScatter", {"cache", "update"}, {"y"});
    if (isGiven)
      node.add_input("at");
    OnnxBuilder::set(node, "axis", axis);
    if (isCircular)
      OnnxBuilder::set(node, "mode", "circular");
    b.output("y");
    int64_t room = cache[size_t(axis)] - update[size_t(axis)];
    std::vector<int64_t> at(size_t(cache[0]), 0);
    for (int64_t &first : at)
      first = !isGiven ? 0 : isCircular ? below(40) - 20 : below(room + 1);
    std::vector<double> expected = given(cache, 0), from = given(update, 1);
    size_t next = 0;
    forEach(update, [&](Dims place) {
      int64_t extent = cache[size_t(axis)], row = at[size_t(place[0])] + place[size_t(axis)];
      place[size_t(axis)] = isCircular ? (row % extent + extent) % extent : row;
      expected[size_t(offsetOf(place, cache))] = from[next++];
    });
    std::map<std::string, std::vector<int64_t>> ints;
    if (isGiven)
      ints["at"] = at;
    EXPECT_EQ(numbers(run(b, ints).at("y")), expected) << "trial " << trial;
  }
}

/// In a tuple of indices, each index is compared with the extent of its own dimension.
TEST_F(OnnxScatter, EachColumnOfIndicesHasItsOwnBounds) {
  for (const char *op : {"ScatterND", "GatherND"}) {
    OnnxBuilder b;
    b.input("data", {2, 9});
    b.input("indices", {1, 2}, TensorProto::INT64);
    auto &node = b.node(op, {"data", "indices"}, {"y"});
    if (node.op_type() == "ScatterND") {
      b.input("updates", {1});
      node.add_input("updates");
    }
    b.output("y");
    EXPECT_FALSE(run(b, {{"indices", {1, 8}}}).empty()) << op;
    EXPECT_HAS(runErrorOf(b, {{"indices", {2, 8}}}), "2");
    EXPECT_HAS(runErrorOf(b, {{"indices", {1, -10}}}), "-10");
  }
}

TEST_F(OnnxScatter, IndicesOutOfRangeAreErrors) {
  // Indices that are inputs have a range, which is checked before a call. Computed indices are checked during the call.
  // Indices into a cache must not be negative.
  auto rangeOf = [&](const OnnxBuilder &builder, unsigned input) {
    auto model = import(builder);
    EXPECT_TRUE(succeeded(model)) << context.take();
    auto range = heddle::notes::range.get(model->module->lookupSymbol<mlir::func::FuncOp>("main"), input);
    return range ? std::pair(range->low, range->high) : std::pair<int64_t, int64_t>();
  };
  for (const char *op : {"ScatterElements", "ScatterND"}) {
    for (bool isComputed : {false, true}) {
      OnnxBuilder b;
      b.input("data", {3, 4});
      b.input("at", {1, 4}, TensorProto::INT64);
      b.input("updates", {1, 4});
      b.node("Add", {"at", "at"}, {"twice"});
      std::string indices = isComputed ? "twice" : "at";
      if (std::string(op) == "ScatterND") {
        b.ints("last", {1}, {-1});
        b.node("Unsqueeze", {indices, "last"}, {"tuples"});
        b.node("Expand", {"updates", "shape"}, {"rows"});
        b.ints("shape", {3}, {1, 4, 4});
      }
      b.node(op,
             {"data", std::string(op) == "ScatterND" ? "tuples" : indices,
              std::string(op) == "ScatterND" ? "rows" : "updates"},
             {"y"});
      b.output("y");
      EXPECT_FALSE(run(b, {{"at", {0, 1, -1, 0}}}).empty());
      if (!isComputed)
        EXPECT_EQ(rangeOf(b, 1), (std::pair<int64_t, int64_t>(-3, 2)));
      else
        for (int64_t wrong : {2, -2})
          EXPECT_HAS(runErrorOf(b, {{"at", {0, 1, wrong, 0}}}), std::to_string(2 * wrong));
    }
  }
  for (bool isComputed : {false, true}) {
    OnnxBuilder cache(24);
    cache.input("cache", {2, 1, 5, 1});
    cache.input("update", {2, 1, 2, 1});
    cache.input("at", {2}, TensorProto::INT64);
    cache.node("Add", {"at", "at"}, {"twice"});
    cache.node("TensorScatter", {"cache", "update", isComputed ? "twice" : "at"}, {"y"});
    cache.output("y");
    EXPECT_FALSE(run(cache, {{"at", {0, 1}}}).empty());
    if (!isComputed)
      EXPECT_EQ(rangeOf(cache, 2), (std::pair<int64_t, int64_t>(0, 3)));
    else
      for (int64_t wrong : {2, -1})
        runErrorOf(cache, {{"at", {0, wrong}}});
  }
}

TEST_F(OnnxScatter, RefusesInvalidAndUnsupportedNodes) {
  auto model = [](const char *op, const Dims &indices, const Dims &updates) {
    OnnxBuilder b;
    b.input("data", {3, 4});
    b.input("indices", indices, TensorProto::INT64);
    b.input("updates", updates);
    b.node(op, {"data", "indices", "updates"}, {"y"}).set_name("write");
    b.output("y");
    return b;
  };
  EXPECT_HAS(errorOf(model("ScatterND", {2, 3}, {2})),
             "tuples of indices have the length 3, which is not supported for data of [3x4] of f32");
  EXPECT_HAS(errorOf(model("ScatterND", {2, 1}, {2, 3})), "expected updates of shape [2x4], found [2x3] of f32");
  EXPECT_HAS(errorOf(model("ScatterElements", {1, 5}, {1, 5})), "do not fit [3x4] of f32");
  for (const char *op : {"ScatterND", "ScatterElements"}) {
    OnnxBuilder sum = model(op, {1, 2}, {1});
    OnnxBuilder::set(*sum.graph().mutable_node(0), "reduction", "add");
    EXPECT_HAS(errorOf(sum), "a reduction other than none is not supported");
  }
  OnnxBuilder large;
  large.input("data", {1 << 10, 1 << 10});
  large.input("indices", {1 << 15, 2}, TensorProto::INT64);
  large.input("updates", {1 << 15});
  large.node("ScatterND", {"data", "indices", "updates"}, {"y"});
  large.output("y");
  EXPECT_HAS(errorOf(large), "34359738368 comparisons");
}

TEST_F(OnnxScatter, CachesBecomeStates) {
  // TensorScatter appends rows at the positions in the input `at`, which the importer renames to `past`.
  OnnxBuilder rows(24);
  for (const char *name : {"key", "value"}) {
    rows.input(name, {2, 1, 5, 3});
    rows.input(std::string("new_") + name, {2, 1, 2, 3});
  }
  rows.input("at", {2}, TensorProto::INT64);
  for (std::string name : {"key", "value"}) {
    rows.node("TensorScatter", {name, "new_" + name, "at"}, {"present_" + name});
    rows.output("present_" + name);
  }
  options.state = true;
  auto model = import(rows);
  ASSERT_TRUE(succeeded(model)) << context.take();
  auto main = model->module->lookupSymbol<mlir::func::FuncOp>("main");
  EXPECT_EQ(heddle::notes::state.get(main, 0), "key");
  EXPECT_EQ(heddle::notes::state.getOfResult(main, 1), "value");
  EXPECT_TRUE(heddle::notes::statePast.has(main, 4));
  EXPECT_EQ(heddle::notes::name.get(main, 4), "past");
  EXPECT_HAS(context.take(), "--state: 'at' is renamed to 'past'");

  rows.input("other", {2}, TensorProto::INT64);
  rows.graph().mutable_node(1)->set_input(2, "other");
  EXPECT_HAS(errorOf(rows),
             "--state: 'other' contains the positions of new rows, but so does 'at': expected one input for all");

  // ScatterND writes rows to any positions, so the cache becomes a state that each call replaces.
  OnnxBuilder any;
  any.input("cache", {2, 1, 5, 3});
  any.input("new", {2, 1, 2, 3});
  any.input("at", {2, 1}, TensorProto::INT64);
  OnnxBuilder::set(any.node("Transpose", {"cache"}, {"rows"}), "perm", Dims{2, 0, 1, 3});
  OnnxBuilder::set(any.node("Transpose", {"new"}, {"updates"}), "perm", Dims{2, 0, 1, 3});
  any.node("ScatterND", {"rows", "at", "updates"}, {"written"});
  OnnxBuilder::set(any.node("Transpose", {"written"}, {"present"}), "perm", Dims{1, 2, 0, 3});
  any.output("present");
  model = import(any);
  ASSERT_TRUE(succeeded(model)) << context.take();
  main = model->module->lookupSymbol<mlir::func::FuncOp>("main");
  EXPECT_EQ(heddle::notes::state.get(main, 0), "cache");
  EXPECT_EQ(heddle::notes::state.getOfResult(main, 0), "cache");
  EXPECT_TRUE(heddle::notes::range.get(main, 2));
}

} // namespace
