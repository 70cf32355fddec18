//===- MixedIntegers.cpp - integer steps of random graphs -----------------===//

#include "MixedGraph.h"

/// Returns the text of a constant `name` of the type of `like`, whose elements are all `number`.
static std::string constantOf(int64_t number, const GraphValue &like, const std::string &name) {
  return "  " + name + " = arith.constant dense<" + std::to_string(number) + "> : " + like.type() + "\n";
}

/// Applies an operation to two values, or to a value and a positive constant, so that no divisor is 0.
void MixedGraph::integerPair() {
  GraphValue x = integer();
  static const char *const ops[] = {"arith.addi",  "arith.subi",  "arith.muli",  "arith.andi",  "arith.ori",
                                    "arith.xori",  "arith.maxsi", "arith.minsi", "arith.maxui", "arith.minui"};
  static const char *const withConstant[] = {"arith.divsi", "arith.remsi", "arith.divui", "arith.remui",
                                             "arith.floordivsi", "arith.ceildivsi", "arith.ceildivui", "arith.shli", "arith.shrsi",
                                             "arith.shrui"};
  std::string other, op;
  if (chance(50)) {
    op = ops[pick(10)];
    other = integer(x.shape, x.element).name;
  } else {
    op = withConstant[pick(10)];
    other = fresh();
    body += constantOf(1 + pick(6), x, other);
  }
  emit(x.name + ", " + other + " : " + x.type(), x.shape, op, x.element);
}

/// Converts an integer value to another width, or, for equal widths, computes the absolute value.
void MixedGraph::integerCast() {
  GraphValue x = integer();
  static const char *const types[] = {"i8", "i32", "i64"};
  std::string to = types[pick(3)];
  int from = std::stoi(x.element.substr(1)), width = std::stoi(to.substr(1));
  if (from == width) {
    emit(x.name + " : " + x.type(), x.shape, "math.absi", x.element);
    return;
  }
  std::string op = from > width ? "arith.trunci" : chance(50) ? "arith.extsi" : "arith.extui";
  emit(x.name + " : " + x.type() + " to " + typeOf(x.shape, to), x.shape, op, to);
}

void MixedGraph::compareIntegers() {
  GraphValue x = integer(), y = integer(x.shape, x.element);
  static const char *const predicates[] = {"eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"};
  GraphValue condition = emit(std::string(predicates[pick(10)]) + ", " + x.name + ", " + y.name + " : " + x.type(),
                              x.shape, "arith.cmpi", "i1");
  if (chance(50))
    select(condition.name, x.name, y.name, x.shape, x.element);
}

/// Converts floats to integers, or integers to floats. In the latter case, the integers are first reduced modulo 100,
/// so that every float type can represent them.
void MixedGraph::integerToReal() {
  if (chance(30)) {
    GraphValue x = exactReal();
    GraphValue large = withNumber("arith.mulf", x, 8);
    emit(large.name + " : " + large.type() + " to " + typeOf(x.shape, "i32"), x.shape, "arith.fptosi", "i32");
    return;
  }
  GraphValue x = integer();
  std::string hundred = fresh();
  body += constantOf(100, x, hundred);
  GraphValue small = emit(x.name + ", " + hundred + " : " + x.type(), x.shape, "arith.remsi", x.element);
  scaled(emit(small.name + " : " + small.type() + " to " + typeOf(x.shape, type), x.shape, "arith.sitofp", type), 100);
}

void MixedGraph::booleans() {
  GraphValue x = boolean(shapeOf(1 + pick(3)));
  static const char *const ops[] = {"arith.andi", "arith.ori", "arith.xori"};
  switch (pick(4)) {
  case 0:
    emit(x.name + " : " + x.type() + " to " + typeOf(x.shape, type), x.shape, "arith.uitofp", type);
    return;
  case 1:
    emit(x.name + " : " + x.type() + " to " + typeOf(x.shape, "i64"), x.shape, "arith.extui", "i64");
    return;
  case 2:
    reduce(x, {int64_t(pick(x.shape.size()))}, ops[pick(3)], chance(50) ? "true" : "false");
    return;
  default:
    GraphValue y = boolean(x.shape);
    emit(x.name + ", " + y.name + " : " + x.type(), x.shape, ops[pick(3)], "i1");
  }
}

void MixedGraph::reduceIntegers() {
  GraphValue x = integer();
  static const char *const ops[] = {"arith.addi",  "arith.maxsi", "arith.minsi", "arith.xori",
                                    "arith.andi", "arith.ori",   "arith.muli",  "arith.maxui"};
  reduce(x, {int64_t(pick(x.shape.size()))}, ops[pick(8)], std::to_string(pick(3)));
}

void MixedGraph::integerStep() {
  static const Step steps[] = {&MixedGraph::integerPair,   &MixedGraph::integerPair, &MixedGraph::integerCast,
                               &MixedGraph::compareIntegers, &MixedGraph::integerToReal, &MixedGraph::booleans,
                               &MixedGraph::reduceIntegers};
  (this->*steps[pick(7)])();
}
