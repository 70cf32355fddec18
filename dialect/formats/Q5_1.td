//===- Q5_1.td - ggml's format Q5_1 ---------------------------------------===//

#ifndef HEDDLE_FORMATS_Q5_1_TD
#define HEDDLE_FORMATS_Q5_1_TD

include "formats/FormatAttr.td"

def Heddle_Q5_1 : Heddle_FormatAttr<"Q5_1", "q5_1", 32, 24,
  Heddle_Plane<"q", "Unsigned", 1, [Heddle_Halves<64>, Heddle_Bits<1, 32, [32], [1]>]>, "q",
  [Heddle_F16Plane<"d", 32, 0>, Heddle_F16Plane<"m", 32, 16>], "d", "m">;

#endif // HEDDLE_FORMATS_Q5_1_TD
