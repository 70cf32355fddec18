//===- Heddle.td - the heddle dialect -------------------------------------===//
//
// The dialect, its attributes and the list of its operations. CMake reads this list, too (cmake/Heddle.cmake): for each
// include of ops/STEM.td it generates calls of the registration functions of the reference implementation
// reference/STEM.cpp and of the quoted operation compiler/import/operation/STEM.cpp, if these files exist.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TD
#define HEDDLE_TD

include "HeddleBase.td"
include "ops/Accesses.td"
include "ops/Append.td"
include "ops/Attention.td"
include "ops/CheckedIndex.td"
include "ops/LinearAttention.td"
include "ops/Dequantize.td"
include "ops/Dispatch.td"
include "ops/Dot.td"
include "ops/Exp.td"
include "ops/Launch.td"
include "ops/Linear.td"
include "ops/Lookup.td"
include "ops/Ffn.td"
include "ops/Norm.td"
include "ops/Pair.td"
include "ops/RecurrentAttention.td"
include "ops/RotaryEmbedding.td"
include "ops/Size.td"
include "ops/Sizes.td"
include "ops/TileCopy.td"
include "ops/TileProduct.td"
include "ops/TileStages.td"
include "ops/Weight.td"

#endif // HEDDLE_TD
