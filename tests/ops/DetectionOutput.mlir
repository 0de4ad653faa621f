// Boxes by center and size beside three anchors, of which the first two overlap: in class 1 the second falls. Class 0 is
// the background. What is left over is -1.
// input loc = [[0, 0, 0, 0, 0, 0, 0, 0, 1, -1, 0.5, 0]]
// input conf = [[0.1, 0.9, 0, 0.2, 0.8, 0.6, 0.3, 0.7, 0.65]]
// input anchors = [[[0, 0, 0.5, 0.5, 0, 0, 0.5, 0.75, 0.5, 0.5, 1, 1], [0.1, 0.1, 0.2, 0.2, 0.1, 0.1, 0.2, 0.2, 0.1, 0.1, 0.2, 0.2]]]
// expect y = [[[[0, 1, 0.9, 0, 0, 0.5, 0.5], [0, 1, 0.7, 0.52370727, 0.45, 1.0762927, 0.95], [0, 2, 0.65, 0.52370727, 0.45, 1.0762927, 0.95], [0, 2, 0.6, 0, 0, 0.5, 0.75], [-1, -1, -1, -1, -1, -1, -1]]]]
module @center_and_size attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x12xf32>, %arg1: tensor<1x9xf32>, %arg2: tensor<1x2x12xf32>) -> tensor<1x1x5x7xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x12xf32>) -> tensor<1x12xf32> loc("loc")
    %1 = "top.Input"(%arg1) : (tensor<1x9xf32>) -> tensor<1x9xf32> loc("conf")
    %2 = "top.Input"(%arg2) : (tensor<1x2x12xf32>) -> tensor<1x2x12xf32> loc("anchors")
    %3 = "top.DetectionOutput"(%0, %1, %2) {background_label_id = 0 : i64, code_type = "CENTER_SIZE", confidence_threshold = 0.5 : f64, keep_top_k = 5 : i64, nms_threshold = 0.5 : f64, num_classes = 3 : i64, share_location = true, top_k = 10 : i64}
      : (tensor<1x12xf32>, tensor<1x9xf32>, tensor<1x2x12xf32>) -> tensor<1x1x5x7xf32> loc("y")
    return %3 : tensor<1x1x5x7xf32>
  }
}

// -----

// By corners; only the best three are kept, class by class. The tool chain takes corners for centers.
// input loc = [[0, 0, 0, 0, 0, 0, 0, 0, 1, -1, 0.5, 0]]
// input conf = [[0.1, 0.9, 0, 0.2, 0.8, 0.6, 0.3, 0.7, 0.65]]
// input anchors = [[[0, 0, 0.5, 0.5, 0, 0, 0.5, 0.75, 0.5, 0.5, 1, 1], [0.1, 0.1, 0.2, 0.2, 0.1, 0.1, 0.2, 0.2, 0.1, 0.1, 0.2, 0.2]]]
// expect y = [[[[0, 1, 0.9, 0, 0, 0.5, 0.5], [0, 1, 0.7, 0.6, 0.4, 1.1, 1], [0, 2, 0.65, 0.6, 0.4, 1.1, 1]]]]
module @corners_best_three attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x12xf32>, %arg1: tensor<1x9xf32>, %arg2: tensor<1x2x12xf32>) -> tensor<1x1x3x7xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x12xf32>) -> tensor<1x12xf32> loc("loc")
    %1 = "top.Input"(%arg1) : (tensor<1x9xf32>) -> tensor<1x9xf32> loc("conf")
    %2 = "top.Input"(%arg2) : (tensor<1x2x12xf32>) -> tensor<1x2x12xf32> loc("anchors")
    %3 = "top.DetectionOutput"(%0, %1, %2) {background_label_id = 0 : i64, code_type = "CORNER", confidence_threshold = 0.5 : f64, keep_top_k = 3 : i64, nms_threshold = 0.5 : f64, num_classes = 3 : i64, share_location = true, top_k = 10 : i64}
      : (tensor<1x12xf32>, tensor<1x9xf32>, tensor<1x2x12xf32>) -> tensor<1x1x3x7xf32> loc("y")
    return %3 : tensor<1x1x3x7xf32>
  }
}

// -----

// Without anchors boxes are what they are, and scores stand class by class. Nothing is found in the second image.
// input boxes = [[[0, 0, 2, 2], [1, 1, 3, 3], [4, 4, 5, 5]], [[0, 0, 1, 1], [2, 2, 3, 3], [4, 4, 5, 5]]]
// input scores = [[[0, 0, 0], [0.9, 0.75, 0.6]], [[0, 0, 0], [0.1, 0.2, 0.3]]]
// expect y = [[[[0, 1, 0.9, 0, 0, 2, 2], [0, 1, 0.75, 1, 1, 3, 3]]], [[[-1, -1, -1, -1, -1, -1, -1], [-1, -1, -1, -1, -1, -1, -1]]]]
module @as_they_are attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x3x4xf32>, %arg1: tensor<2x2x3xf32>) -> tensor<2x1x2x7xf32> {
    %0 = "top.Input"(%arg0) : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32> loc("boxes")
    %1 = "top.Input"(%arg1) : (tensor<2x2x3xf32>) -> tensor<2x2x3xf32> loc("scores")
    %2 = "top.DetectionOutput"(%0, %1) {background_label_id = 0 : i64, code_type = "CORNER", confidence_threshold = 0.5 : f64, keep_top_k = 2 : i64, nms_threshold = 0.5 : f64, num_classes = 2 : i64, share_location = true, top_k = 10 : i64}
      : (tensor<2x3x4xf32>, tensor<2x2x3xf32>) -> tensor<2x1x2x7xf32> loc("y")
    return %2 : tensor<2x1x2x7xf32>
  }
}

// -----

// Nothing is found at all: the first rows name the images.
// input boxes = [[[0, 0, 2, 2], [1, 1, 3, 3], [4, 4, 5, 5]], [[0, 0, 1, 1], [2, 2, 3, 3], [4, 4, 5, 5]]]
// input scores = [[[0, 0, 0], [0, 0, 0]], [[0, 0, 0], [0, 0, 0]]]
// expect y = [[[[0, -1, -1, -1, -1, -1, -1], [1, -1, -1, -1, -1, -1, -1]]], [[[-1, -1, -1, -1, -1, -1, -1], [-1, -1, -1, -1, -1, -1, -1]]]]
module @nothing attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x3x4xf32>, %arg1: tensor<2x2x3xf32>) -> tensor<2x1x2x7xf32> {
    %0 = "top.Input"(%arg0) : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32> loc("boxes")
    %1 = "top.Input"(%arg1) : (tensor<2x2x3xf32>) -> tensor<2x2x3xf32> loc("scores")
    %2 = "top.DetectionOutput"(%0, %1) {background_label_id = 0 : i64, code_type = "CORNER", confidence_threshold = 0.5 : f64, keep_top_k = 2 : i64, nms_threshold = 0.5 : f64, num_classes = 2 : i64, share_location = true, top_k = 10 : i64}
      : (tensor<2x3x4xf32>, tensor<2x2x3xf32>) -> tensor<2x1x2x7xf32> loc("y")
    return %2 : tensor<2x1x2x7xf32>
  }
}
