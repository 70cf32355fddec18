//===- GraphWriter.cpp - text of random graphs ----------------------------===//

#include "GraphWriter.h"

#include <cstdio>

int64_t countOf(const Shape &shape) {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

std::string typeOf(const Shape &shape, const std::string &element) {
  std::string text = "tensor<";
  for (int64_t size : shape)
    text += std::to_string(size) + "x";
  return text + element + ">";
}

std::string GraphValue::type() const { return typeOf(shape, element); }

std::string list(const std::vector<int64_t> &numbers) {
  std::string text;
  for (int64_t number : numbers)
    text += (text.empty() ? "" : ", ") + std::to_string(number);
  return "[" + text + "]";
}

std::string decimal(double number) {
  char text[32];
  snprintf(text, sizeof(text), "%.8e", number);
  return text;
}

GraphValue GraphWriter::argument(const Shape &shape, const std::string &element, const std::string &attributes) {
  GraphValue value{"%a" + std::to_string(arguments.size()), shape, 1, element, /*exact=*/true};
  arguments.push_back(value.name + ": " + value.type() + attributes);
  values.push_back(value);
  return value;
}

/// Emits a constant with random elements from -scale to scale, as importers write small weights. A weight of more than
/// 600 elements is a new argument, multiplied by `scale`.
GraphValue GraphWriter::weight(const Shape &shape, double scale) {
  if (countOf(shape) > 600)
    return withNumber("arith.mulf", argument(shape), scale);
  std::string text;
  std::vector<std::string> elements;
  for (int64_t i = 0; i < countOf(shape); ++i)
    elements.push_back(decimal(scale * (double(int(pick(2001)) - 1000) / 1000)));
  // Adds the brackets of each dimension, beginning with the innermost one.
  for (size_t dim = shape.size(); dim-- > 0;) {
    std::vector<std::string> outer;
    for (size_t i = 0; i < elements.size(); i += shape[dim]) {
      std::string row;
      for (int64_t j = 0; j < shape[dim]; ++j)
        row += (j ? ", " : "") + elements[i + j];
      outer.push_back("[" + row + "]");
    }
    elements = outer;
  }
  GraphValue value{fresh(), shape, scale};
  body += "  " + value.name + " = arith.constant dense<" + elements[0] + "> : " + typeOf(shape) + "\n";
  return value;
}

GraphValue GraphWriter::transpose(const GraphValue &x, const std::vector<int64_t> &permutation) {
  Shape shape;
  for (int64_t dim : permutation)
    shape.push_back(x.shape[dim]);
  std::string init = empty(shape, x.element);
  return moved(emit("ins(" + x.name + " : " + x.type() + ") outs(" + init + " : " + typeOf(shape, x.element) +
                        ") permutation = " + list(permutation),
                    shape, "linalg.transpose", x.element),
               x);
}

GraphValue GraphWriter::someTranspose(const GraphValue &x) {
  std::vector<int64_t> permutation(x.shape.size());
  for (size_t i = 0; i < permutation.size(); ++i)
    permutation[i] = i;
  std::shuffle(permutation.begin(), permutation.end(), random);
  return transpose(x, permutation);
}

/// Collapses x to one dimension and then expands it to `shape`, as importers do. A step is left out if it has no
/// effect.
GraphValue GraphWriter::reshape(const GraphValue &x, const Shape &shape) {
  auto all = [](size_t rank) {
    std::vector<int64_t> dims;
    for (size_t i = 0; i < rank; ++i)
      dims.push_back(i);
    return "[" + list(dims) + "]";
  };
  GraphValue flat = x;
  if (x.shape.size() > 1)
    flat = moved(emit(x.name + " " + all(x.shape.size()) + " : " + x.type() + " into " +
                          typeOf({countOf(x.shape)}, x.element),
                      {countOf(x.shape)}, "tensor.collapse_shape", x.element),
                 x);
  if (shape.size() == 1)
    return flat;
  return moved(emit(flat.name + " " + all(shape.size()) + " output_shape " + list(shape) + " : " + flat.type() +
                        " into " + typeOf(shape, x.element),
                    shape, "tensor.expand_shape", x.element),
               x);
}

GraphValue GraphWriter::broadcast(const GraphValue &x, const Shape &shape, const std::vector<int64_t> &dimensions) {
  std::string init = empty(shape, x.element);
  return moved(emit("ins(" + x.name + " : " + x.type() + ") outs(" + init + " : " + typeOf(shape, x.element) +
                        ") dimensions = " + list(dimensions),
                    shape, "linalg.broadcast", x.element),
               x);
}

/// Emits [.., M, K] x [.., K, N] with equal batch dimensions. The bits of `transposed` select the operands that are
/// transposed by indexing maps: bit 0 selects the left operand, bit 1 the right one. If `transposed` is -1, its bits
/// are random.
GraphValue GraphWriter::product(const GraphValue &a, const GraphValue &b, int transposed) {
  size_t rank = a.shape.size();
  if (transposed < 0)
    transposed = chance(60) ? 0 : pick(4);
  int64_t m = a.shape[rank - (transposed & 1 ? 1 : 2)];
  [[maybe_unused]] int64_t k = a.shape[rank - (transposed & 1 ? 2 : 1)];
  int64_t n = b.shape[rank - (transposed & 2 ? 2 : 1)];
  assert(k == b.shape[rank - (transposed & 2 ? 1 : 2)]);
  double scale = a.scale * b.scale * std::sqrt(double(k));
  Shape shape(a.shape.begin(), a.shape.end() - 2);
  shape.insert(shape.end(), {m, n});
  std::string loops, batch;
  for (size_t i = 0; i + 2 < rank; ++i)
    batch += "b" + std::to_string(i) + ", ";
  loops = "affine_map<(" + batch + "m, n, k) -> (" + batch;
  std::string maps = loops + (transposed & 1 ? "k, m" : "m, k") + ")>, " + loops + (transposed & 2 ? "n, k" : "k, n") +
                     ")>, " + loops + "m, n)>";
  std::string zero = splat(0, shape);
  std::string operands = "ins(" + a.name + ", " + b.name + " : " + typeOf(a.shape) + ", " + typeOf(b.shape) +
                         ") outs(" + zero + " : " + typeOf(shape) + ")";
  std::string result = " -> " + typeOf(shape);
  if (rank == 2 || rank == 3) {
    std::string op = rank == 2 ? "linalg.matmul" : "linalg.batch_matmul";
    return scaled(emit((transposed ? "indexing_maps = [" + maps + "] " : "") + operands + result, shape, op), scale);
  }
  std::string iterators;
  for (size_t i = 0; i < rank; ++i)
    iterators += "\"parallel\", ";
  std::string text = " {\n  ^bb0(%x: f32, %y: f32, %z: f32):\n    %p = arith.mulf %x, %y : f32\n"
                     "    %s = arith.addf %z, %p : f32\n    linalg.yield %s : f32\n  }";
  return scaled(emit("{indexing_maps = [" + maps + "], iterator_types = [" + iterators + "\"reduction\"]} " + operands +
                         text + result,
                     shape, "linalg.generic"),
                scale);
}

/// Reduces the `dimensions` of `x` with the operation `op`, with the initial value `start`.
GraphValue GraphWriter::reduce(const GraphValue &x, const std::vector<int64_t> &dimensions, const std::string &op,
                               const std::string &start) {
  Shape shape;
  for (size_t dim = 0; dim < x.shape.size(); ++dim)
    if (std::find(dimensions.begin(), dimensions.end(), int64_t(dim)) == dimensions.end())
      shape.push_back(x.shape[dim]);
  std::string init = fresh(), type = typeOf(shape, x.element);
  body += "  " + init + " = arith.constant dense<" + start + "> : " + type + "\n";
  return emit("{ " + op + " } ins(" + x.name + " : " + x.type() + ") outs(" + init + " : " + type +
                  ") dimensions = " + list(dimensions),
              shape, "linalg.reduce", x.element);
}

GraphValue GraphWriter::rowSum(const GraphValue &x, int64_t dimension) {
  return scaled(reduce(x, {dimension}, "arith.addf", decimal(0)), x.scale * double(x.shape[dimension]));
}

GraphValue GraphWriter::softmax(const GraphValue &x, int64_t dimension) {
  std::string init = empty(x.shape, x.element);
  return emit("dimension(" + std::to_string(dimension) + ") ins(" + x.name + " : " + x.type() + ") outs(" + init +
                  " : " + x.type() + ") -> " + x.type(),
              x.shape, "linalg.softmax", x.element);
}

std::string GraphWriter::function(const std::vector<GraphValue> &results) const {
  std::string parameters, types, names;
  for (const std::string &argument : arguments)
    parameters += (parameters.empty() ? "" : ", ") + argument;
  for (const GraphValue &result : results) {
    types += (types.empty() ? "" : ", ") + result.type();
    names += (names.empty() ? "" : ", ") + result.name;
  }
  return "func.func @main(" + parameters + ") -> (" + types + ") {\n" + body + "  return " + names + " : " + types +
         "\n}\n";
}
