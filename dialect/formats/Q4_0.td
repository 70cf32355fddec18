//===- Q4_0.td - ggml's format Q4_0 ---------------------------------------===//

#ifndef HEDDLE_FORMATS_Q4_0_TD
#define HEDDLE_FORMATS_Q4_0_TD

include "formats/FormatAttr.td"

def Heddle_Q4_0 : Heddle_FormatAttr<"Q4_0", "q4_0", 32, 18,
  Heddle_Plane<"q", "Unsigned", 1, [Heddle_Halves<16>]>, "q - 8", [Heddle_F16Plane<"d", 32, 0>], "d">;

#endif // HEDDLE_FORMATS_Q4_0_TD
