//===- KnobNames.cpp - knobs that were renamed ----------------------------===//
//
// Commands and files may contain earlier names of knobs, which are named
// parameters of quoted operations and of strategies.
//
//===----------------------------------------------------------------------===//
#include "heddle/KnobNames.h"

using namespace heddle;
using llvm::StringLiteral;

static constexpr struct {
  KnobKind kind;
  StringLiteral earlier, current;
} renamedKnobs[] = {
    {KnobKind::Strategy, "abreast", "interleaved"},
    {KnobKind::Strategy, "ahead", "prefetch_panels"},
    {KnobKind::Operation, "exact", "outliers"},
    {KnobKind::Operation, "step", "activation_scale"},
};

llvm::StringRef heddle::currentKnobName(KnobKind kind, llvm::StringRef name) {
  for (const auto &renamed : renamedKnobs)
    if (renamed.kind == kind && renamed.earlier == name)
      return renamed.current;
  return name;
}
