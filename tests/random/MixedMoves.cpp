//===- MixedMoves.cpp - steps that move elements in random graphs ---------===//

#include "MixedGraph.h"

/// Adds a strided slice. It contains all elements of a dimension whose size lies in a range. If the size is a sum, the
/// slice may contain only the elements of one of the two terms, like the past or the new rows of a cache.
void MixedGraph::slice() {
  GraphValue x = any();
  Shape offsets, shape, strides;
  for (int64_t size : x.shape) {
    if (isRange(size)) {
      bool first = chance(50), part = size == Placeholder::sum && chance(60);
      offsets.push_back(part && !first ? Placeholder::n : 0);
      shape.push_back(!part ? size : first ? Placeholder::n : Placeholder::m);
      strides.push_back(1);
      continue;
    }
    int64_t stride = chance(70) ? 1 : 2, offset = pick(size);
    int64_t maximum = (size - offset + stride - 1) / stride;
    offsets.push_back(offset);
    shape.push_back(1 + int64_t(pick(maximum)));
    strides.push_back(stride);
  }
  if (chance(25)) { // Inserts another value in place of the slice.
    GraphValue source = like(x, shape);
    scaled(emit(source.name + " into " + x.name + list(offsets) + " " + list(shape) + " " + list(strides) + " : " +
                    source.type() + " into " + x.type(),
                x.shape, "tensor.insert_slice", x.element),
           std::max(x.scale, source.scale));
    return;
  }
  moved(emit(x.name + list(offsets) + " " + list(shape) + " " + list(strides) + " : " + x.type() + " to " +
                 typeOf(shape, x.element),
             shape, "tensor.extract_slice", x.element),
        x);
}

/// Concatenates a value with itself or other values along a random dimension.
void MixedGraph::concatenateSome() {
  GraphValue x = any();
  int64_t dimension = pick(x.shape.size()), size = x.shape[dimension];
  if (isRange(size)) {
    concatenateRange(x, dimension);
    return;
  }
  std::vector<GraphValue> parts;
  for (unsigned count = 2 + pick(2); count > 0; --count) {
    Shape other = x.shape;
    if (chance(50))
      other[dimension] = 1 + pick(5);
    parts.push_back(chance(50) ? x : like(x, other));
  }
  concatenate(parts, dimension);
}

/// Concatenates x with another value along a dimension whose size lies in a range. Along this dimension, the other
/// value has the same size, or the size that is the other term of a sum, as if new rows were appended to a past.
void MixedGraph::concatenateRange(const GraphValue &x, int64_t dimension) {
  int64_t size = x.shape[dimension];
  Shape other = x.shape;
  if (numRanges > 1 && (size == Placeholder::n || size == Placeholder::m))
    other[dimension] = size == Placeholder::m ? Placeholder::n : chance(60) ? Placeholder::m : 2;
  else if (size != Placeholder::n)
    return;
  Shape joined = x.shape;
  joined.erase(joined.begin() + dimension);
  if (other[dimension] != size && hasRange(joined))
    return;
  GraphValue part = like(x, other);
  concatenate(chance(50) ? std::vector<GraphValue>{x, part} : std::vector<GraphValue>{part, x}, dimension);
}

/// Returns a value of this shape with the element type of x.
GraphValue MixedGraph::like(const GraphValue &x, const Shape &shape) {
  return x.element == "i1" ? boolean(shape) : x.element == type ? real(shape) : integer(shape, x.element);
}

void MixedGraph::concatenate(const std::vector<GraphValue> &parts, int64_t dimension) {
  std::string names, types;
  Shape shape = parts[0].shape;
  shape[dimension] = 0;
  double scale = 1.5;
  for (const GraphValue &part : parts) {
    names += (names.empty() ? "" : ", ") + part.name;
    types += (types.empty() ? "" : ", ") + part.type();
    shape[dimension] += part.shape[dimension];
    scale = std::max(scale, part.scale);
  }
  const std::string &element = parts[0].element;
  scaled(emit("dim(" + std::to_string(dimension) + ") " + names + " : (" + types + ") -> " + typeOf(shape, element), shape,
              "tensor.concat", element),
         scale);
}

/// Pads dimensions whose sizes do not lie in ranges.
void MixedGraph::pad() {
  GraphValue x = any();
  Shape low, high, shape;
  std::string indices;
  for (int64_t size : x.shape) {
    low.push_back(isRange(size) || chance(50) ? 0 : pick(3));
    high.push_back(isRange(size) || chance(50) ? 0 : pick(4));
    shape.push_back(size + low.back() + high.back());
    indices += (indices.empty() ? "" : ", ") + ("%i" + std::to_string(low.size())) + ": index";
  }
  std::string number = fresh(), value = x.element == "i1" ? "true" : x.element == type ? "5.0e-01" : "3";
  body += "  " + number + " = arith.constant " + value + (x.element == "i1" ? "" : " : " + x.element) + "\n";
  emit(x.name + " low" + list(low) + " high" + list(high) + " {\n  ^bb0(" + indices + "):\n    tensor.yield " + number +
           " : " + x.element + "\n  } : " + x.type() + " to " + typeOf(shape, x.element),
       shape, "tensor.pad", x.element);
}

/// Looks up rows of a table by their indices, like an embedding.
void MixedGraph::lookup() {
  GraphValue table = realOfRank(2);
  if (isRange(table.shape[0]))
    return;
  Shape shape = shapeOf(1 + pick(2)), result = shape;
  GraphValue rows =
      argument(shape, "i64", " {heddle.range = array<i64: 0, " + std::to_string(table.shape[0] - 1) + ">}");
  if (hasRange(shape) && isRange(table.shape[1]))
    return;
  result.push_back(table.shape[1]);
  std::string loops = shape.size() == 1 ? "i" : "i, j", kinds = shape.size() == 1 ? "" : "\"parallel\", ";
  emit("{indexing_maps = [affine_map<(" + loops + ", d) -> (" + loops + ")>, affine_map<(" + loops + ", d) -> (" + loops +
           ", d)>], iterator_types = [" + kinds + "\"parallel\", \"parallel\"]} ins(" + rows.name + " : " + rows.type() +
           ") outs(" + empty(result, type) + " : " + typeOf(result, type) + ") {\n  ^bb0(%r: i64, %z: " + type +
           "):\n    %i = arith.index_cast %r : i64 to index\n    %d = linalg.index " + std::to_string(shape.size()) +
           " : index\n    %e = tensor.extract " + table.name + "[%i, %d] : " + table.type() + "\n    linalg.yield %e : " +
           type + "\n  } -> " + typeOf(result, type),
       result, "linalg.generic", type);
}

/// Broadcasts along a new dimension.
void MixedGraph::broadcastSome() {
  GraphValue x = any();
  if (x.shape.size() > 3)
    return;
  int64_t dimension = pick(x.shape.size() + 1), size = extent();
  Shape shape = x.shape;
  shape.insert(shape.begin() + dimension, isRange(size) && hasRange(x.shape) ? 2 : size);
  if (elements(shape) <= 20000)
    broadcast(x, shape, {dimension});
}

void MixedGraph::transposeSome() { someTranspose(any()); }

/// Reshapes a value to a shape with the same dimensions in another order. Two of them may be merged, and a dimension of
/// 1 may be added.
void MixedGraph::reshapeSome() {
  GraphValue x = any();
  Shape shape = x.shape;
  std::shuffle(shape.begin(), shape.end(), random);
  if (shape.size() > 1 && chance(50)) {
    shape[1] *= shape[0];
    shape.erase(shape.begin());
  }
  if (shape.size() < 4 && chance(30))
    shape.insert(shape.begin() + pick(shape.size() + 1), 1);
  reshape(x, shape);
}

void MixedGraph::moveStep() {
  static const Step steps[] = {&MixedGraph::slice,      &MixedGraph::concatenateSome, &MixedGraph::pad,
                               &MixedGraph::lookup,     &MixedGraph::broadcastSome,   &MixedGraph::transposeSome,
                               &MixedGraph::reshapeSome};
  (this->*steps[pick(7)])();
}
