// Two tensors of features, the wider first, whatever their order; boxes in parts of the image.
// input a = [[[[0.5]], [[-0.5]], [[-0.25]], [[1]], [[1]], [[0.75]], [[0.75]], [[-0.5]], [[0]], [[0.75]], [[-0.75]], [[3]], [[0.75]], [[-0.5]], [[0.75]], [[1]], [[-0.25]], [[-0.25]], [[1]], [[0.25]], [[-0.5]]]]
// input b = [[[[0, 0.25]], [[1, -1]], [[0, -0.25]], [[-0.25, -0.25]], [[2.25, 1]], [[0.5, 0.75]], [[-0.5, -1]], [[0.25, -1]], [[0, 0.25]], [[-1, -1]], [[-0.5, -0.75]], [[1.75, 1.25]], [[0.75, 0]], [[0.25, -0.25]], [[0.5, 0]], [[1, 0.5]], [[-0.75, -0.5]], [[1, -1]], [[1.25, 2]], [[0.25, -0.25]], [[-1, 0.75]]]]
// expect y = [[[[0.25, 0.73105858, 0.15625, 0.31638782, 0, 0.66135253], [0.28108825, 0.5, 0.09196986, 0.56862249, 0, 0.53030597], [0.31122967, 0.73105858, 0.243564, 1.9537651, 0, 0.60419507], [0.78108825, 0.26894142, 0.12168762, 0.31638782, 0, 0.6228274], [0.75, 0.62245933, 0.31274237, 0.26441335, 1, 0.64391426], [0.37754067, 0.5, 2.0508438, 0.66426546, 0, 0.74043574]]]]
module @yolov3 attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x21x1x1xf32>, %arg1: tensor<1x21x1x2xf32>) -> tensor<1x1x6x6xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x21x1x1xf32>) -> tensor<1x21x1x1xf32> loc("a")
    %1 = "top.Input"(%arg1) : (tensor<1x21x1x2xf32>) -> tensor<1x21x1x2xf32> loc("b")
    %2 = "top.YoloDetection"(%0, %1) {agnostic_nms = false, anchors = [10.0 : f64, 13.0 : f64, 16.0 : f64, 30.0 : f64, 33.0 : f64, 23.0 : f64, 30.0 : f64, 61.0 : f64, 62.0 : f64, 45.0 : f64, 59.0 : f64, 119.0 : f64], class_num = 2 : i64, keep_topk = 6 : i64, net_input_h = 32 : i64, net_input_w = 64 : i64, nms_threshold = 0.5 : f64, num_boxes = 3 : i64, obj_threshold = 0.45 : f64, version = "yolov3"}
      : (tensor<1x21x1x1xf32>, tensor<1x21x1x2xf32>) -> tensor<1x1x6x6xf32> loc("y")
    return %2 : tensor<1x1x6x6xf32>
  }
}

// -----

// Boxes in pixels, their sizes from squares of sigmoids.
// input a = [[[[0, 0.25]], [[1, -1]], [[0, -0.25]], [[-0.25, -0.25]], [[2.25, 1]], [[0.5, 0.75]], [[-0.5, -1]], [[0.25, -1]], [[0, 0.25]], [[-1, -1]], [[-0.5, -0.75]], [[1.75, 1.25]], [[0.75, 0]], [[0.25, -0.25]], [[0.5, 0]], [[1, 0.5]], [[-0.75, -0.5]], [[1, -1]], [[1.25, 2]], [[0.25, -0.25]], [[-1, 0.75]]]]
// expect y = [[[[16, 30.787749, 10, 9.9678497, 0, 0.66135253], [19.979296, 16, 4.6290872, 17.104435, 0, 0.53030597], [23.837397, 30.787749, 13.586273, 49.169091, 0, 0.60419507], [51.979296, 1.212251, 7.6675767, 9.9678497, 0, 0.6228274], [48, 23.837397, 18.814878, 6.6543129, 1, 0.64391426], [0, 0, 0, 0, 0, 0]]]]
module @yolov5 attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x21x1x2xf32>) -> tensor<1x1x6x6xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x21x1x2xf32>) -> tensor<1x21x1x2xf32> loc("a")
    %1 = "top.YoloDetection"(%0) {agnostic_nms = false, anchors = [10.0 : f64, 13.0 : f64, 16.0 : f64, 30.0 : f64, 33.0 : f64, 23.0 : f64], class_num = 2 : i64, keep_topk = 6 : i64, net_input_h = 32 : i64, net_input_w = 64 : i64, nms_threshold = 0.5 : f64, num_boxes = 3 : i64, obj_threshold = 0.45 : f64, version = "yolov5"}
      : (tensor<1x21x1x2xf32>) -> tensor<1x1x6x6xf32> loc("y")
    return %1 : tensor<1x1x6x6xf32>
  }
}
