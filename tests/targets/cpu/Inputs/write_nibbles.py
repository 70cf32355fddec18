"""write_nibbles.py FOLDER ROWS: writes FOLDER/layer.mlir, a layer with ROWS rows, 512 inputs and 192 outputs whose weight
is stored in the format Q4_0, and FOLDER/w.safetensors with the weight."""
import json
import struct
import sys

folder, rows = sys.argv[1], sys.argv[2]
size = 512 // 32 * 18
header = json.dumps({"w": {"dtype": "I8", "shape": [192, size], "data_offsets": [0, 192 * size]}}).encode()
with open(f"{folder}/w.safetensors", "wb") as file:
    file.write(struct.pack("<Q", len(header)) + header + bytes(192 * size))
with open(f"{folder}/layer.mlir", "w", encoding="utf-8") as file:
    file.write(f"""module attributes {{heddle.weight_files = ["{folder}/w.safetensors"]}} {{
  func.func @main(%x: tensor<{rows}x512xf32>) -> tensor<{rows}x192xf32> {{
    %b = heddle.weight "w" : tensor<192x{size}xi8>
    %w = heddle.dequantize %b format(#heddle.q4_0) transposed : tensor<192x{size}xi8> -> tensor<512x192xf32>
    %y = heddle.linear %x, %w : (tensor<{rows}x512xf32>, tensor<512x192xf32>) -> tensor<{rows}x192xf32>
    return %y : tensor<{rows}x192xf32>
  }}
}}
""")
