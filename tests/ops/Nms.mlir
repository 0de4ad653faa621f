// Class 0: box 1 is the best, 0 and 3 (its corners in another order) fall, 2 and the empty 4 stay. Class 1: 2 and 3
// are equally good, the first is first; 0 is not above 0.5. What is left over is -1.
// input boxes = [[[0, 0, 10, 10], [0, 0, 10, 11], [20, 20, 30, 30], [10, 10, 0, 0], [5, 5, 5, 9]]]
// input scores = [[[0.9, 0.95, 0.7, 0.8, 0.6], [0.5, 0.2, 0.9, 0.9, 0.55]]]
// expect y = [[0, 0, 1], [0, 0, 2], [0, 0, 4], [0, 1, 2], [0, 1, 3], [0, 1, 4], [-1, -1, -1], [-1, -1, -1], [-1, -1, -1], [-1, -1, -1]]
module @corners attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x5x4xf32>, %arg1: tensor<1x2x5xf32>) -> tensor<10x3xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x5x4xf32>) -> tensor<1x5x4xf32> loc("boxes")
    %1 = "top.Input"(%arg1) : (tensor<1x2x5xf32>) -> tensor<1x2x5xf32> loc("scores")
    %2 = "top.Nms"(%0, %1) {center_point_box = 0 : i64, max_output_size = 9 : i64}
      : (tensor<1x5x4xf32>, tensor<1x2x5xf32>) -> tensor<10x3xf32> loc("y")
    return %2 : tensor<10x3xf32>
  }
}

// -----

// Center and size, by which 0 and 1 overlap; the tool chain takes them for corners.
// input boxes = [[[5, 5, 10, 10], [5, 5, 10, 11], [25, 25, 10, 10]]]
// input scores = [[[0.9, 0.8, 0.7]]]
// expect y = [[0, 0, 0], [0, 0, 2], [-1, -1, -1]]
module @center_and_size attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x3x4xf32>, %arg1: tensor<1x1x3xf32>) -> tensor<3x3xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x3x4xf32>) -> tensor<1x3x4xf32> loc("boxes")
    %1 = "top.Input"(%arg1) : (tensor<1x1x3xf32>) -> tensor<1x1x3xf32> loc("scores")
    %2 = "top.Nms"(%0, %1) {center_point_box = 1 : i64, max_output_size = 3 : i64} : (tensor<1x3x4xf32>, tensor<1x1x3xf32>) -> tensor<3x3xf32> loc("y")
    return %2 : tensor<3x3xf32>
  }
}

// -----

// Two boxes of each class at the most, of two images.
// input boxes = [[[0, 0, 1, 1], [2, 2, 3, 3], [4, 4, 5, 5]], [[0, 0, 1, 1], [0, 0, 1, 1], [4, 4, 5, 5]]]
// input scores = [[[0.6, 0.7, 0.8]], [[0.6, 0.7, 0.8]]]
// expect y = [[0, 0, 2], [0, 0, 1], [1, 0, 2], [1, 0, 1]]
module @most attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x3x4xf32>, %arg1: tensor<2x1x3xf32>) -> tensor<4x3xf32> {
    %0 = "top.Input"(%arg0) : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32> loc("boxes")
    %1 = "top.Input"(%arg1) : (tensor<2x1x3xf32>) -> tensor<2x1x3xf32> loc("scores")
    %2 = "top.Nms"(%0, %1) {center_point_box = 0 : i64, max_output_size = 2 : i64} : (tensor<2x3x4xf32>, tensor<2x1x3xf32>) -> tensor<4x3xf32> loc("y")
    return %2 : tensor<4x3xf32>
  }
}

// -----

// The count, the overlap and the score are operands too.
// input boxes = [[[0, 0, 10, 10], [0, 0, 10, 12], [0, 0, 10, 20]]]
// input scores = [[[0.1, 0.3, 0.2]]]
// input count = [2]
// input overlap = [0.7]
// input score = [0.15]
// expect y = [[0, 0, 1], [0, 0, 2], [-1, -1, -1]]
module @numbers attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x3x4xf32>, %arg1: tensor<1x1x3xf32>, %arg2: tensor<1xf32>, %arg3: tensor<1xf32>, %arg4: tensor<1xf32>) -> tensor<3x3xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x3x4xf32>) -> tensor<1x3x4xf32> loc("boxes")
    %1 = "top.Input"(%arg1) : (tensor<1x1x3xf32>) -> tensor<1x1x3xf32> loc("scores")
    %2 = "top.Input"(%arg2) : (tensor<1xf32>) -> tensor<1xf32> loc("count")
    %3 = "top.Input"(%arg3) : (tensor<1xf32>) -> tensor<1xf32> loc("overlap")
    %4 = "top.Input"(%arg4) : (tensor<1xf32>) -> tensor<1xf32> loc("score")
    %5 = "top.Nms"(%0, %1, %2, %3, %4) {center_point_box = 0 : i64, max_output_size = 3 : i64}
      : (tensor<1x3x4xf32>, tensor<1x1x3xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<3x3xf32> loc("y")
    return %5 : tensor<3x3xf32>
  }
}
