// The first region on level 1, the others on level 0.
// input rois = [[0, 0, 0, 8, 6], [1, 2.5, 1, 3, 7], [0, -3, -3, 20, 1]]
// input levels = [1, 0, 0]
// input a = [[[[-6, -6, 8, -3, -7], [-6, -2, -3, -4, 9], [7, 1, 9, -3, -7], [-4, -8, 9, -5, -1]], [[-6, 9, -6, 0, 9], [0, 8, 8, 5, 5], [1, 2, 6, -1, 8], [7, -2, -2, 4, 8]]], [[[-8, -8, -5, -1, -6], [0, 1, 9, 5, -5], [5, 6, 3, 3, -4], [4, -7, 2, 8, 9]], [[-4, -3, 2, -2, 4], [-6, -6, -9, -1, -5], [-4, 8, 6, 6, 2], [-7, 5, 2, 8, 0]]]]
// input b = [[[[-6, 2, -1], [3, -2, -4]], [[-7, 9, 5], [-1, -5, 2]]], [[[-2, 3, -8], [-6, 4, -8]], [[3, -2, -9], [5, 4, 6]]]]
// expect y = [[[[-1.0625, -0.8125], [0.421875, -2.890625]], [[-0.5, 3.8125], [-2.875, -1.234375]]], [[[4.125, 5.84375], [-0.3125, 2.2421875]], [[-2.53125, -3.1914062], [4.59375, 3.6757812]]], [[[-1.734375, 0], [-3.6484375, 0]], [[-1.78125, 0], [-2.7695312, 0]]]]
module @levels attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<3x5xf32>, %arg1: tensor<3xsi32>, %arg2: tensor<2x2x4x5xf32>, %arg3: tensor<2x2x2x3xf32>) -> tensor<3x2x2x2xf32> {
    %0 = "top.Input"(%arg0) : (tensor<3x5xf32>) -> tensor<3x5xf32> loc("rois")
    %1 = "top.Input"(%arg1) : (tensor<3xsi32>) -> tensor<3xsi32> loc("levels")
    %2 = "top.Input"(%arg2) : (tensor<2x2x4x5xf32>) -> tensor<2x2x4x5xf32> loc("a")
    %3 = "top.Input"(%arg3) : (tensor<2x2x2x3xf32>) -> tensor<2x2x2x3xf32> loc("b")
    %4 = "top.RoiExtractor"(%0, %1, %2, %3) {align_corners = false, is_static = false, mode = "Avg", num_levels = 2 : i64, output_height = 2 : i64, output_width = 2 : i64, sampling_ratio = 2 : i64, spatial_scales = [0.5, 0.25]}
      : (tensor<3x5xf32>, tensor<3xsi32>, tensor<2x2x4x5xf32>, tensor<2x2x2x3xf32>) -> tensor<3x2x2x2xf32> loc("y")
    return %4 : tensor<3x2x2x2xf32>
  }
}
