//===- Q4_1.td - ggml's format Q4_1 ---------------------------------------===//

#ifndef HEDDLE_FORMATS_Q4_1_TD
#define HEDDLE_FORMATS_Q4_1_TD

include "formats/FormatAttr.td"

def Heddle_Q4_1 : Heddle_FormatAttr<"Q4_1", "q4_1", 32, 20,
  Heddle_Plane<"q", "Unsigned", 1, [Heddle_Halves<32>]>, "q",
  [Heddle_F16Plane<"d", 32, 0>, Heddle_F16Plane<"m", 32, 16>], "d", "m">;

#endif // HEDDLE_FORMATS_Q4_1_TD
