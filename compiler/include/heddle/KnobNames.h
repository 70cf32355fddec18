//===- KnobNames.h - knobs that were renamed --------------------*- C++ -*-===//
//
// A knob that was renamed keeps its earlier name as an alias in commands, in strategy files and in saved modules. Names
// are translated where they are read; messages and reports have the current name. Operations and attributes that were
// renamed have no aliases (dialect/README.md lists them).
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_KNOBNAMES_H
#define HEDDLE_KNOBNAMES_H

#include "llvm/ADT/StringRef.h"

namespace heddle {

/// The kinds of knobs. A knob of a strategy and a knob of an operation may have the same name.
enum class KnobKind {
  Strategy, // `panel` in `--strategy linear=linear-packed:panel=32`
  Operation // `m` in 'linear m=4 n=6 k=8'
};

/// Returns the current name of the knob that had `name` in an earlier version, or `name` itself if no knob had it. The
/// result refers to `name` or to static memory.
llvm::StringRef currentKnobName(KnobKind kind, llvm::StringRef name);

} // namespace heddle

#endif // HEDDLE_KNOBNAMES_H
