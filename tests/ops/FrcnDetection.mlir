// Two regions overlap: in class 1 the second is the better one. In the second image two boxes are alike, the better stays.
// input d = [[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0, 0.5, 0, -0.5, 0.25], [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]]
// input s = [[0, 0.75, 0.6], [0, 0.9, 0.1], [0, 0.2, 0.8], [0.9, 0.1, 0], [0.5, 0.5, 0], [0, 0.75, 0]]
// input rois = [[[[0, 0, 0, 9, 9], [0, 0, 0, 9, 10], [0, 20, 20, 29, 39]]], [[[1, 0, 0, 3, 3], [1, 5, 5, 9, 9], [1, 5, 5, 9, 9]]]]
// expect y = [[[[0, 0, 10, 10, 2, 0.6], [0, 0, 10, 11, 1, 0.9], [26.967347, 17.159746, 33.032653, 42.840254, 2, 0.8], [0, 0, 0, 0, 0, 0]]], [[[5, 5, 10, 10, 1, 0.75], [0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0]]]]
module @two_images attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<6x12xf32>, %arg1: tensor<6x3xf32>, %arg2: tensor<2x1x3x5xf32>) -> tensor<2x1x4x6xf32> {
    %0 = "top.Input"(%arg0) : (tensor<6x12xf32>) -> tensor<6x12xf32> loc("d")
    %1 = "top.Input"(%arg1) : (tensor<6x3xf32>) -> tensor<6x3xf32> loc("s")
    %2 = "top.Input"(%arg2) : (tensor<2x1x3x5xf32>) -> tensor<2x1x3x5xf32> loc("rois")
    %3 = "top.FrcnDetection"(%0, %1, %2) {class_num = 3 : i64, keep_topk = 4 : i64, nms_threshold = 0.5 : f64, obj_threshold = 0.3 : f64}
      : (tensor<6x12xf32>, tensor<6x3xf32>, tensor<2x1x3x5xf32>) -> tensor<2x1x4x6xf32> loc("y")
    return %3 : tensor<2x1x4x6xf32>
  }
}

// -----

// Only one row.
// input d = [[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0, 0.5, 0, -0.5, 0.25]]
// input s = [[0, 0.75, 0.6], [0, 0.9, 0.1], [0, 0.2, 0.8]]
// input rois = [[[[0, 0, 0, 9, 9], [0, 0, 0, 9, 10], [0, 20, 20, 29, 39]]]]
// expect y = [[[[0, 0, 10, 10, 2, 0.6]]]]
module @one_row attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<3x12xf32>, %arg1: tensor<3x3xf32>, %arg2: tensor<1x1x3x5xf32>) -> tensor<1x1x1x6xf32> {
    %0 = "top.Input"(%arg0) : (tensor<3x12xf32>) -> tensor<3x12xf32> loc("d")
    %1 = "top.Input"(%arg1) : (tensor<3x3xf32>) -> tensor<3x3xf32> loc("s")
    %2 = "top.Input"(%arg2) : (tensor<1x1x3x5xf32>) -> tensor<1x1x3x5xf32> loc("rois")
    %3 = "top.FrcnDetection"(%0, %1, %2) {class_num = 3 : i64, keep_topk = 1 : i64, nms_threshold = 0.5 : f64, obj_threshold = 0.3 : f64}
      : (tensor<3x12xf32>, tensor<3x3xf32>, tensor<1x1x3x5xf32>) -> tensor<1x1x1x6xf32> loc("y")
    return %3 : tensor<1x1x1x6xf32>
  }
}
