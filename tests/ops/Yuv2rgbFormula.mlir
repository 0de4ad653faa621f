// YU12: all of U, then all of V.
// input x = [[221, 90, 231, 132], [135, 195, 202, 232], [255, 38, 105, 238]]
// expect y = [[[189, 58, 255, 255], [103, 163, 255, 255]], [[194, 63, 183, 84], [108, 168, 154, 184]], [[255, 255, 72, 0], [255, 255, 43, 73]]]
module @from_0_to_4 attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<3x4xui8>) -> tensor<3x2x4xui8> {
    %0 = "top.Input"(%arg0) : (tensor<3x4xui8>) -> tensor<3x4xui8> loc("x")
    %1 = "top.Yuv2rgbFormula"(%0) {dst_format = 4 : ui32, formula_mode = "_601_full", image_format = "UINT8", round_mode = "HalfAwayFromZero", src_format = 0 : ui32}
      : (tensor<3x4xui8>) -> tensor<3x2x4xui8> loc("y")
    return %1 : tensor<3x2x4xui8>
  }
}

// -----

// YU12: all of U, then all of V. To BGR, with brightness from 16 to 235.
// input x = [[221, 90, 231, 132], [135, 195, 202, 232], [255, 38, 105, 238]]
// expect y = [[[255, 255, 69, 0], [255, 255, 35, 70]], [[208, 55, 196, 81], [108, 177, 162, 197]], [[202, 49, 255, 255], [102, 172, 255, 255]]]
module @from_0_to_5 attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<3x4xui8>) -> tensor<3x2x4xui8> {
    %0 = "top.Input"(%arg0) : (tensor<3x4xui8>) -> tensor<3x4xui8> loc("x")
    %1 = "top.Yuv2rgbFormula"(%0) {dst_format = 5 : ui32, formula_mode = "_601_limited", image_format = "UINT8", round_mode = "HalfAwayFromZero", src_format = 0 : ui32}
      : (tensor<3x4xui8>) -> tensor<3x2x4xui8> loc("y")
    return %1 : tensor<3x2x4xui8>
  }
}

// -----

// YV12: all of V, then all of U.
// input x = [[221, 90, 231, 132], [135, 195, 202, 232], [255, 38, 105, 238]]
// expect y = [[[255, 255, 105, 6], [255, 255, 76, 106]], [[138, 7, 255, 158], [52, 112, 228, 255]], [[180, 49, 255, 255], [94, 154, 255, 255]]]
module @from_1_to_4 attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<3x4xui8>) -> tensor<3x2x4xui8> {
    %0 = "top.Input"(%arg0) : (tensor<3x4xui8>) -> tensor<3x4xui8> loc("x")
    %1 = "top.Yuv2rgbFormula"(%0) {dst_format = 4 : ui32, formula_mode = "_601_full", image_format = "UINT8", round_mode = "HalfAwayFromZero", src_format = 1 : ui32}
      : (tensor<3x4xui8>) -> tensor<3x2x4xui8> loc("y")
    return %1 : tensor<3x2x4xui8>
  }
}

// -----

// NV12: U and V by turns.
// input x = [[221, 90, 231, 132], [135, 195, 202, 232], [255, 38, 105, 238]]
// expect y = [[[95, 0, 255, 255], [9, 69, 255, 255]], [[241, 110, 160, 61], [155, 215, 131, 161]], [[255, 255, 190, 91], [255, 255, 161, 191]]]
module @from_2_to_4 attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<3x4xui8>) -> tensor<3x2x4xui8> {
    %0 = "top.Input"(%arg0) : (tensor<3x4xui8>) -> tensor<3x4xui8> loc("x")
    %1 = "top.Yuv2rgbFormula"(%0) {dst_format = 4 : ui32, formula_mode = "_601_full", image_format = "UINT8", round_mode = "HalfAwayFromZero", src_format = 2 : ui32}
      : (tensor<3x4xui8>) -> tensor<3x2x4xui8> loc("y")
    return %1 : tensor<3x2x4xui8>
  }
}

// -----

// NV21: V and U by turns.
// input x = [[221, 90, 231, 132], [135, 195, 202, 232], [255, 38, 105, 238]]
// expect y = [[[255, 255, 199, 100], [255, 255, 170, 200]], [[161, 30, 209, 110], [75, 135, 180, 210]], [[62, 0, 255, 255], [0, 36, 255, 255]]]
module @from_3_to_4 attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<3x4xui8>) -> tensor<3x2x4xui8> {
    %0 = "top.Input"(%arg0) : (tensor<3x4xui8>) -> tensor<3x4xui8> loc("x")
    %1 = "top.Yuv2rgbFormula"(%0) {dst_format = 4 : ui32, formula_mode = "_601_full", image_format = "UINT8", round_mode = "HalfAwayFromZero", src_format = 3 : ui32}
      : (tensor<3x4xui8>) -> tensor<3x2x4xui8> loc("y")
    return %1 : tensor<3x2x4xui8>
  }
}

// -----

// Several images of four rows; the rounding has no effect, for no color is a half.
// input x = [[[78, 1], [147, 192], [190, 207], [164, 35], [216, 107], [216, 208]], [[248, 3], [221, 160], [124, 203], [243, 131], [22, 185], [59, 57]]]
// expect y = [[[[39, 0], [119, 171], [255, 255], [255, 150]], [[55, 0], [135, 188], [103, 123], [73, 0]], [[250, 160], [255, 255], [255, 255], [255, 200]]], [[[255, 76], [255, 255], [12, 104], [151, 21]], [[255, 0], [234, 163], [211, 255], [255, 219]], [[56, 0], [25, 0], [0, 79], [125, 0]]]]
module @images attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x6x2xui8>) -> tensor<2x3x4x2xui8> {
    %0 = "top.Input"(%arg0) : (tensor<2x6x2xui8>) -> tensor<2x6x2xui8> loc("x")
    %1 = "top.Yuv2rgbFormula"(%0) {dst_format = 4 : ui32, formula_mode = "_601_limited", image_format = "UINT8", round_mode = "HalfToEven", src_format = 2 : ui32}
      : (tensor<2x6x2xui8>) -> tensor<2x3x4x2xui8> loc("y")
    return %1 : tensor<2x3x4x2xui8>
  }
}

// -----

// Real numbers: without color all three are the brightness.
// input x = [[100, 0], [255, 16], [128, 128]]
// expect y = [[[100, 0], [255, 16]], [[100, 0], [255, 16]], [[100, 0], [255, 16]]]
module @floats attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<3x2xui8>) -> tensor<3x2x2xf32> {
    %0 = "top.Input"(%arg0) : (tensor<3x2xui8>) -> tensor<3x2xui8> loc("x")
    %1 = "top.Yuv2rgbFormula"(%0) {dst_format = 4 : ui32, formula_mode = "_601_full", image_format = "FLOAT32", src_format = 0 : ui32}
      : (tensor<3x2xui8>) -> tensor<3x2x2xf32> loc("y")
    return %1 : tensor<3x2x2xf32>
  }
}
