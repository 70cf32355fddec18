//===- MixedMoves.cpp - how random graphs move elements -------------------===//

#include "MixedGraph.h"

/// Every so many elements of a part; of a size in a range all.
void MixedGraph::slice() {
  Value x = any();
  Shape offsets, shape, strides;
  for (int64_t size : x.shape) {
    int64_t stride = isRange(size) || chance(70) ? 1 : 2, offset = isRange(size) ? 0 : pick(size);
    int64_t most = (size - offset + stride - 1) / stride;
    offsets.push_back(offset);
    shape.push_back(isRange(size) ? size : 1 + int64_t(pick(most)));
    strides.push_back(stride);
  }
  if (chance(25)) { // and put in the place of another part
    Value source = x.element == "i1" ? boolean(shape) : x.element == type ? real(shape) : integer(shape, x.element);
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

void MixedGraph::join() {
  Value x = any();
  int64_t dimension = pick(x.shape.size());
  if (isRange(x.shape[dimension]))
    return;
  std::string names, types;
  Shape shape = x.shape;
  shape[dimension] = 0;
  for (unsigned parts = 2 + pick(2); parts > 0; --parts) {
    Shape other = x.shape;
    if (chance(50))
      other[dimension] = 1 + pick(5);
    Value part = chance(50)           ? x
                 : x.element == "i1"  ? boolean(other)
                 : x.element == type  ? real(other)
                                      : integer(other, x.element);
    names += (names.empty() ? "" : ", ") + part.name;
    types += (types.empty() ? "" : ", ") + part.type();
    shape[dimension] += part.shape[dimension];
  }
  scaled(emit("dim(" + std::to_string(dimension) + ") " + names + " : (" + types + ") -> " + typeOf(shape, x.element), shape,
              "tensor.concat", x.element),
         std::max(x.scale, 1.5));
}

void MixedGraph::pad() {
  Value x = any();
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

/// Rows of a table by number.
void MixedGraph::lookup() {
  Value table = realOfRank(2);
  if (isRange(table.shape[0]))
    return;
  Shape shape = shapeOf(1 + pick(2)), result = shape;
  Value rows = argument(shape, "i64",
                        " {heddle.range = array<i64: 0, " + std::to_string(table.shape[0] - 1) + ">}");
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

/// Repeated along one more dimension.
void MixedGraph::spread() {
  Value x = any();
  if (x.shape.size() > 3)
    return;
  int64_t dimension = pick(x.shape.size() + 1), size = extent();
  Shape shape = x.shape;
  shape.insert(shape.begin() + dimension, isRange(size) && hasRange(x.shape) ? 2 : size);
  if (elements(shape) <= 20000)
    broadcast(x, shape, {dimension});
}

void MixedGraph::turn() { someTranspose(any()); }

void MixedGraph::reshapeSome() {
  Value x = any();
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
  static const Step steps[] = {&MixedGraph::slice, &MixedGraph::join, &MixedGraph::pad,        &MixedGraph::lookup,
                               &MixedGraph::spread, &MixedGraph::turn, &MixedGraph::reshapeSome};
  (this->*steps[pick(7)])();
}
