//===- Q4_K.td - ggml's format Q4_K ---------------------------------------===//

#ifndef HEDDLE_FORMATS_Q4_K_TD
#define HEDDLE_FORMATS_Q4_K_TD

include "formats/KParameters.td"

def Heddle_Q4_K : Heddle_FormatAttr<"Q4_K", "q4_K", 256, 144,
  Heddle_Plane<"q", "Unsigned", 1, [Heddle_Bits<4, 128, [4, 2, 32], [256, 4, 8]>]>, "q", Heddle_KParameters.planes,
  "d * a", "-e * b">;

#endif // HEDDLE_FORMATS_Q4_K_TD
