//===- Approximate.cpp - functions that GPUs approximate ------------------===//
//
// This interpreter of PTX computes ex2, lg2, sin, cos and tanh in f64 and rounds
// the results to f32. GPUs differ in the errors of their approximations, and a
// result that is compared with the reference must not depend on the errors of
// one GPU.
//
//===----------------------------------------------------------------------===//

#include "Instructions.h"
#include "LaneLoops.h"

#include <cmath>

using namespace heddle::ptx;

namespace {
struct Exponential {
  float operator()(float a) const { return float(std::exp2(double(a))); }
};
struct Logarithm {
  float operator()(float a) const { return float(std::log2(double(a))); }
};
struct Sine {
  float operator()(float a) const { return float(std::sin(double(a))); }
};
struct Cosine {
  float operator()(float a) const { return float(std::cos(double(a))); }
};
struct HyperbolicTangent {
  float operator()(float a) const { return float(std::tanh(double(a))); }
};
/// Returns the loop that computes `Op` in all lanes, with the semantics of `.ftz` if `flush` is true.
template <typename Op> Execute pick(bool flush) {
  return flush ? unary<float, float, Flushed<Op>> : unary<float, float, Op>;
}
} // namespace

/// Decodes, for example, `ex2.approx.ftz.f32 %f1, %f2;`.
bool heddle::ptx::decodeApproximate(Decoder &decoder) {
  static constexpr std::pair<llvm::StringLiteral, Execute (*)(bool)> functions[] = {{"ex2", pick<Exponential>},
                                                                                    {"lg2", pick<Logarithm>},
                                                                                    {"sin", pick<Sine>},
                                                                                    {"cos", pick<Cosine>},
                                                                                    {"tanh", pick<HyperbolicTangent>}};
  if (!decoder.take("approx"))
    return decoder.fail("expected .approx");
  bool flush = decoder.take("ftz");
  std::optional<Type> type = decoder.takeLastType();
  if (!type || !type->is(Type::Float, 4))
    return decoder.finish(Execute(nullptr));
  if (!decoder.expectOperands(2) || !decoder.destination(0, *type, decoder.out.d) ||
      !decoder.source(1, *type, decoder.out.a))
    return false;
  llvm::StringRef mnemonic = decoder.statement.opcode.split('.').first;
  for (auto [name, pick] : functions)
    if (name == mnemonic)
      return decoder.finish(pick(flush));
  return decoder.finish(Execute(nullptr));
}
