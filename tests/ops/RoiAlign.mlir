// Two samples a side of a cell; those more than a pixel outside are 0.
// input x = [[[[-6, -6, 8, -3, -7], [-6, -2, -3, -4, 9], [7, 1, 9, -3, -7], [-4, -8, 9, -5, -1]], [[-6, 9, -6, 0, 9], [0, 8, 8, 5, 5], [1, 2, 6, -1, 8], [7, -2, -2, 4, 8]]], [[[-8, -8, -5, -1, -6], [0, 1, 9, 5, -5], [5, 6, 3, 3, -4], [4, -7, 2, 8, 9]], [[-4, -3, 2, -2, 4], [-6, -6, -9, -1, -5], [-4, 8, 6, 6, 2], [-7, 5, 2, 8, 0]]]]
// input rois = [[0, 0, 0, 8, 6], [1, 2.5, 1, 3, 7], [0, -3, -3, 20, 1]]
// expect y = [[[[-3.7708333, -0.32291666, -1.4166666], [-0.41666666, 4.5520835, -3.8333333]], [[4.6875, 4.1666665, 4.1875], [1.6875, 2.7604167, 3.2291667]]], [[[3.7708333, 5.1875, 6.0625], [-0.75, 1, 2.65625]], [[-2.3489583, -3.078125, -3.2291667], [4.8177085, 3.921875, 3.59375]]], [[[-1.6875, -1.0416666, 0], [-3.4765625, -1.8359375, 0]], [[-0.65625, 0.65625, 0], [-0.6484375, 1.4609375, 0]]]]
module @mean attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x2x4x5xf32>, %arg1: tensor<3x5xf32>) -> tensor<3x2x2x3xf32> {
    %0 = "top.Input"(%arg0) : (tensor<2x2x4x5xf32>) -> tensor<2x2x4x5xf32> loc("x")
    %1 = "top.Input"(%arg1) : (tensor<3x5xf32>) -> tensor<3x5xf32> loc("rois")
    %2 = "top.RoiAlign"(%0, %1) {align_corners = false, mode = "Avg", output_height = 2 : i64, output_width = 3 : i64, sampling_ratio = 2 : i64, spatial_scale = 0.5 : f64}
      : (tensor<2x2x4x5xf32>, tensor<3x5xf32>) -> tensor<3x2x2x3xf32> loc("y")
    return %2 : tensor<3x2x2x3xf32>
  }
}

// -----

// Half a pixel further up and left.
// input x = [[[[-6, -6, 8, -3, -7], [-6, -2, -3, -4, 9], [7, 1, 9, -3, -7], [-4, -8, 9, -5, -1]], [[-6, 9, -6, 0, 9], [0, 8, 8, 5, 5], [1, 2, 6, -1, 8], [7, -2, -2, 4, 8]]], [[[-8, -8, -5, -1, -6], [0, 1, 9, 5, -5], [5, 6, 3, 3, -4], [4, -7, 2, 8, 9]], [[-4, -3, 2, -2, 4], [-6, -6, -9, -1, -5], [-4, 8, 6, 6, 2], [-7, 5, 2, 8, 0]]]]
// input rois = [[0, 0, 0, 8, 6], [1, 2.5, 1, 3, 7], [0, -3, -3, 20, 1]]
// expect y = [[[[-5.6875, -0.09375, -1.234375], [1.5625, 2.375, -1.1145834]], [[-0.921875, 3.53125, 1.28125], [1.703125, 4.875, 2.9114583]]], [[[-1.6432291, -1.5859375, -1.5286459], [2.1979167, 1.96875, 1.7395834]], [[-4.408854, -4.3203125, -4.231771], [3.84375, 4.78125, 5.71875]]], [[[0, 0, 0], [-3, -3.8541667, 0]], [[0, 0, 0], [3.5625, 3.875, 0]]]]
module @aligned attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x2x4x5xf32>, %arg1: tensor<3x5xf32>) -> tensor<3x2x2x3xf32> {
    %0 = "top.Input"(%arg0) : (tensor<2x2x4x5xf32>) -> tensor<2x2x4x5xf32> loc("x")
    %1 = "top.Input"(%arg1) : (tensor<3x5xf32>) -> tensor<3x5xf32> loc("rois")
    %2 = "top.RoiAlign"(%0, %1) {align_corners = true, mode = "Avg", output_height = 2 : i64, output_width = 3 : i64, sampling_ratio = 2 : i64, spatial_scale = 0.5 : f64}
      : (tensor<2x2x4x5xf32>, tensor<3x5xf32>) -> tensor<3x2x2x3xf32> loc("y")
    return %2 : tensor<3x2x2x3xf32>
  }
}

// -----

// As many samples as a cell has pixels.
// input x = [[[[-6, -6, 8, -3, -7], [-6, -2, -3, -4, 9], [7, 1, 9, -3, -7], [-4, -8, 9, -5, -1]], [[-6, 9, -6, 0, 9], [0, 8, 8, 5, 5], [1, 2, 6, -1, 8], [7, -2, -2, 4, 8]]], [[[-8, -8, -5, -1, -6], [0, 1, 9, 5, -5], [5, 6, 3, 3, -4], [4, -7, 2, 8, 9]], [[-4, -3, 2, -2, 4], [-6, -6, -9, -1, -5], [-4, 8, 6, 6, 2], [-7, 5, 2, 8, 0]]]]
// input rois = [[0, 0, 0, 8, 6], [1, 2.5, 1, 3, 7], [0, -3, -3, 20, 1]]
// expect y = [[[[-3.7708333, -0.32291666, -1.4166666], [-0.41666666, 4.5520835, -3.8333333]], [[4.6875, 4.1666665, 4.1875], [1.6875, 2.7604167, 3.2291667]]], [[[3.7708333, 5.1875, 6.0625], [-0.75, 1, 2.65625]], [[-2.3489583, -3.078125, -3.2291667], [4.8177085, 3.921875, 3.59375]]], [[[-1.5104166, -3.5052083, 0], [-1.5104166, -3.5052083, 0]], [[-0.59375, 3.703125, 0], [-0.59375, 3.703125, 0]]]]
module @adaptive attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x2x4x5xf32>, %arg1: tensor<3x5xf32>) -> tensor<3x2x2x3xf32> {
    %0 = "top.Input"(%arg0) : (tensor<2x2x4x5xf32>) -> tensor<2x2x4x5xf32> loc("x")
    %1 = "top.Input"(%arg1) : (tensor<3x5xf32>) -> tensor<3x5xf32> loc("rois")
    %2 = "top.RoiAlign"(%0, %1) {align_corners = false, mode = "Avg", output_height = 2 : i64, output_width = 3 : i64, sampling_ratio = 0 : i64, spatial_scale = 0.5 : f64}
      : (tensor<2x2x4x5xf32>, tensor<3x5xf32>) -> tensor<3x2x2x3xf32> loc("y")
    return %2 : tensor<3x2x2x3xf32>
  }
}

// -----

// The largest sample, which is negative; the tool chain gives 1.2e-38.
// input x = [[[[-7, -7, -9, -4, -8], [-7, -3, -4, -5, -10], [-8, -2, -10, -4, -8], [-5, -9, -10, -6, -2]], [[-7, -10, -7, -1, -10], [-1, -9, -9, -6, -6], [-2, -3, -7, -2, -9], [-8, -3, -3, -5, -9]]], [[[-9, -9, -6, -2, -7], [-1, -2, -10, -6, -6], [-6, -7, -4, -4, -5], [-5, -8, -3, -9, -10]], [[-5, -4, -3, -3, -5], [-7, -7, -10, -2, -6], [-5, -9, -7, -7, -3], [-8, -6, -3, -9, -1]]]]
// input rois = [[0, 0, 0, 8, 6], [1, 2.5, 1, 3, 7]]
// expect y = [[[[-3.8125, -4.8125], [-5, -4.75]], [[-4.6875, -5.3125], [-2.8125, -4.1875]]], [[[-5.359375, -6.0625], [-4.875, -3.625]], [[-7.5625, -7.75], [-4.125, -3.375]]]]
module @largest attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x2x4x5xf32>, %arg1: tensor<2x5xf32>) -> tensor<2x2x2x2xf32> {
    %0 = "top.Input"(%arg0) : (tensor<2x2x4x5xf32>) -> tensor<2x2x4x5xf32> loc("x")
    %1 = "top.Input"(%arg1) : (tensor<2x5xf32>) -> tensor<2x5xf32> loc("rois")
    %2 = "top.RoiAlign"(%0, %1) {align_corners = false, mode = "Max", output_height = 2 : i64, output_width = 2 : i64, sampling_ratio = 2 : i64, spatial_scale = 0.5 : f64}
      : (tensor<2x2x4x5xf32>, tensor<2x5xf32>) -> tensor<2x2x2x2xf32> loc("y")
    return %2 : tensor<2x2x2x2xf32>
  }
}

// -----

// A region far larger than the image is 0 for the most part, one at infinity nothing, and one without size no samples.
// input x = [[[[-6, -6, 8, -3, -7], [-6, -2, -3, -4, 9], [7, 1, 9, -3, -7], [-4, -8, 9, -5, -1]], [[-6, 9, -6, 0, 9], [0, 8, 8, 5, 5], [1, 2, 6, -1, 8], [7, -2, -2, 4, 8]]]]
// input rois = [[0, -300, 0, 300, 3], [0, "inf", 0, 1, 3], [0, 3, 3, 3, 3]]
// expect y = [[[[-0.012777777]], [[0.036111113]]], [[[0]], [[0]]], [[[0]], [[0]]]]
module @far attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x2x4x5xf32>, %arg1: tensor<3x5xf32>) -> tensor<3x2x1x1xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x2x4x5xf32>) -> tensor<1x2x4x5xf32> loc("x")
    %1 = "top.Input"(%arg1) : (tensor<3x5xf32>) -> tensor<3x5xf32> loc("rois")
    %2 = "top.RoiAlign"(%0, %1) {align_corners = true, mode = "Avg", output_height = 1 : i64, output_width = 1 : i64, sampling_ratio = 0 : i64, spatial_scale = 1.0 : f64}
      : (tensor<1x2x4x5xf32>, tensor<3x5xf32>) -> tensor<3x2x1x1xf32> loc("y")
    return %2 : tensor<3x2x1x1xf32>
  }
}
