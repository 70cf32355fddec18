//===- Q5_K.td - ggml's format Q5_K ---------------------------------------===//

#ifndef HEDDLE_FORMATS_Q5_K_TD
#define HEDDLE_FORMATS_Q5_K_TD

include "formats/KParameters.td"

def Heddle_Q5_K : Heddle_FormatAttr<"Q5_K", "q5_K", 256, 176,
  Heddle_Plane<"q", "Unsigned", 1,
    [Heddle_Bits<4, 384, [4, 2, 32], [256, 4, 8]>, Heddle_Bits<1, 128, [8, 32], [1, 8]>]>, "q",
  Heddle_KParameters.planes, "d * a", "-e * b">;

#endif // HEDDLE_FORMATS_Q5_K_TD
