//===- Q5_0.td - ggml's format Q5_0 ---------------------------------------===//

#ifndef HEDDLE_FORMATS_Q5_0_TD
#define HEDDLE_FORMATS_Q5_0_TD

include "formats/FormatAttr.td"

def Heddle_Q5_0 : Heddle_FormatAttr<"Q5_0", "q5_0", 32, 22,
  Heddle_Plane<"q", "Unsigned", 1, [Heddle_Halves<48>, Heddle_Bits<1, 16, [32], [1]>]>, "q - 16",
  [Heddle_F16Plane<"d", 32, 0>], "d">;

#endif // HEDDLE_FORMATS_Q5_0_TD
