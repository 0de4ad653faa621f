// Scores of three of the nine anchors in two places; of the first anchor the better place remains. Boxes end at the image.
// input score = [[[[0, 0]], [[0, 0]], [[0, 0]], [[0, 0]], [[0, 0]], [[0, 0]], [[0, 0]], [[0, 0]], [[0, 0]], [[0.9, 0.95]], [[0, 0]], [[0, 0]], [[0, 0]], [[0, 0.75]], [[0, 0]], [[0, 0]], [[0.5, 0]], [[0, 0]]]]
// input delta = [[[[0, 0]], [[0, 0]], [[0, 0]], [[0, 0]], [[0, 0]], [[0, 0]], [[0, 0]], [[0, 0]], [[0, 0]], [[0, 0]], [[0, 0]], [[0, 0]], [[0, 0]], [[0, 0]], [[0, 0]], [[0, 0]], [[0, 0.25]], [[0, 0.5]], [[0, -0.5]], [[0, 0.25]], [[0, 0]], [[0, 0]], [[0, 0]], [[0, 0]], [[0, 0]], [[0, 0]], [[0, 0]], [[0, 0]], [[0, 0]], [[0, 0]], [[-1, 0]], [[-1, 0]], [[0, 0]], [[0, 0]], [[0, 0]], [[0, 0]]]]
// expect y = [[[[0, 0, 0, 115.5, 55.5], [0, 9.8640756, 0, 165.13592, 299], [0, 0, 0, 39.873391, 72.246782], [0, 0, 0, 0, 0]]]]
module @two_places attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x18x1x2xf32>, %arg1: tensor<1x36x1x2xf32>) -> tensor<1x1x4x5xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x18x1x2xf32>) -> tensor<1x18x1x2xf32> loc("score")
    %1 = "top.Input"(%arg1) : (tensor<1x36x1x2xf32>) -> tensor<1x36x1x2xf32> loc("delta")
    %2 = "top.Proposal"(%0, %1) {anchor_base_size = 16 : i64, feat_stride = 16 : i64, net_input_h = 300 : i64, net_input_w = 400 : i64, rpn_nms_post_top_n = 4 : i64, rpn_nms_threshold = 0.7 : f64, rpn_obj_threshold = 0.5 : f64}
      : (tensor<1x18x1x2xf32>, tensor<1x36x1x2xf32>) -> tensor<1x1x4x5xf32> loc("y")
    return %2 : tensor<1x1x4x5xf32>
  }
}

// -----

// Nothing has score enough: 0 everywhere.
// input score = [[[[0, 0]], [[0, 0]], [[0, 0]], [[0, 0]], [[0, 0]], [[0, 0]], [[0, 0]], [[0, 0]], [[0, 0]], [[0, 0]], [[0, 0]], [[0, 0]], [[0, 0]], [[0, 0]], [[0, 0]], [[0, 0]], [[0, 0]], [[0, 0]]]]
// input delta = [[[[0, 0]], [[0, 0]], [[0, 0]], [[0, 0]], [[0, 0]], [[0, 0]], [[0, 0]], [[0, 0]], [[0, 0]], [[0, 0]], [[0, 0]], [[0, 0]], [[0, 0]], [[0, 0]], [[0, 0]], [[0, 0]], [[0, 0.25]], [[0, 0.5]], [[0, -0.5]], [[0, 0.25]], [[0, 0]], [[0, 0]], [[0, 0]], [[0, 0]], [[0, 0]], [[0, 0]], [[0, 0]], [[0, 0]], [[0, 0]], [[0, 0]], [[-1, 0]], [[-1, 0]], [[0, 0]], [[0, 0]], [[0, 0]], [[0, 0]]]]
// expect y = [[[[0, 0, 0, 0, 0], [0, 0, 0, 0, 0], [0, 0, 0, 0, 0], [0, 0, 0, 0, 0]]]]
module @nothing attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x18x1x2xf32>, %arg1: tensor<1x36x1x2xf32>) -> tensor<1x1x4x5xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x18x1x2xf32>) -> tensor<1x18x1x2xf32> loc("score")
    %1 = "top.Input"(%arg1) : (tensor<1x36x1x2xf32>) -> tensor<1x36x1x2xf32> loc("delta")
    %2 = "top.Proposal"(%0, %1) {anchor_base_size = 16 : i64, feat_stride = 16 : i64, net_input_h = 300 : i64, net_input_w = 400 : i64, rpn_nms_post_top_n = 4 : i64, rpn_nms_threshold = 0.7 : f64, rpn_obj_threshold = 0.5 : f64}
      : (tensor<1x18x1x2xf32>, tensor<1x36x1x2xf32>) -> tensor<1x1x4x5xf32> loc("y")
    return %2 : tensor<1x1x4x5xf32>
  }
}
