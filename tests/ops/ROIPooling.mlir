// The largest entry of each cell, both ends of a region included; cells overlap. Outside, and of negative numbers, 0.
// input x = [[[[8, 4, 6, -7, 8], [8, 4, 6, 5, 7], [7, 0, 6, 8, -4], [-9, -6, -9, -1, -9]]], [[[-5, -5, 4, -5, 9], [-6, 9, 1, -5, -9], [-4, 2, -7, -6, -7], [3, -8, -9, -1, -4]]]]
// input rois = [[[[0, 0, 0, 8, 6], [1, 2, 2, 4, 4]]], [[[1, -9, -9, -7, -7], [0, 6, 0, 6, 6]]]]
// expect y = [[[[8, 8], [7, 8]]], [[[9, 1], [2, 0]]], [[[0, 0], [0, 0]]], [[[5, 5], [8, 8]]]]
module @cells attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x1x4x5xf32>, %arg1: tensor<2x1x2x5xf32>) -> tensor<4x1x2x2xf32> {
    %0 = "top.Input"(%arg0) : (tensor<2x1x4x5xf32>) -> tensor<2x1x4x5xf32> loc("x")
    %1 = "top.Input"(%arg1) : (tensor<2x1x2x5xf32>) -> tensor<2x1x2x5xf32> loc("rois")
    %2 = "top.ROIPooling"(%0, %1) {pooled_h = 2 : i64, pooled_w = 2 : i64, spatial_scale = 0.5 : f64}
      : (tensor<2x1x4x5xf32>, tensor<2x1x2x5xf32>) -> tensor<4x1x2x2xf32> loc("y")
    return %2 : tensor<4x1x2x2xf32>
  }
}
