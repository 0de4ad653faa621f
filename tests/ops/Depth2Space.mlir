// Channels to blocks of 2 x 2: the place in the block counts first.
// input x = [[[[0, 1]], [[2, 3]], [[4, 5]], [[6, 7]], [[8, 9]], [[10, 11]], [[12, 13]], [[14, 15]]]]
// expect y = [[[[0, 4, 1, 5], [8, 12, 9, 13]], [[2, 6, 3, 7], [10, 14, 11, 15]]]]
module @depth_to_space_dcr attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x8x1x2xf32>) -> tensor<1x2x2x4xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x8x1x2xf32>) -> tensor<1x8x1x2xf32> loc("x")
    %1 = "top.Depth2Space"(%0) {block_h = 2 : i64, block_w = 2 : i64, in_is_NCHW = true, is_CRD = false, is_inversed = false, out_is_NCHW = true, swap_cr = false} : (tensor<1x8x1x2xf32>) -> tensor<1x2x2x4xf32> loc("y")
    return %1 : tensor<1x2x2x4xf32>
  }
}

// -----

// Channels to blocks of 2 x 2: each of the result holds four of its own.
// input x = [[[[0, 1]], [[2, 3]], [[4, 5]], [[6, 7]], [[8, 9]], [[10, 11]], [[12, 13]], [[14, 15]]]]
// expect y = [[[[0, 2, 1, 3], [4, 6, 5, 7]], [[8, 10, 9, 11], [12, 14, 13, 15]]]]
module @depth_to_space_crd attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x8x1x2xf32>) -> tensor<1x2x2x4xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x8x1x2xf32>) -> tensor<1x8x1x2xf32> loc("x")
    %1 = "top.Depth2Space"(%0) {block_h = 2 : i64, block_w = 2 : i64, in_is_NCHW = true, is_CRD = true, is_inversed = false, out_is_NCHW = true, swap_cr = false} : (tensor<1x8x1x2xf32>) -> tensor<1x2x2x4xf32> loc("y")
    return %1 : tensor<1x2x2x4xf32>
  }
}

// -----

// Blocks of 3 x 2 whose columns count first.
// input x = [[[[0]], [[1]], [[2]], [[3]], [[4]], [[5]]]]
// expect y = [[[[0, 3], [1, 4], [2, 5]]]]
module @columns_first attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x6x1x1xf32>) -> tensor<1x1x3x2xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x6x1x1xf32>) -> tensor<1x6x1x1xf32> loc("x")
    %1 = "top.Depth2Space"(%0) {block_h = 3 : i64, block_w = 2 : i64, in_is_NCHW = true, is_CRD = false, is_inversed = false, out_is_NCHW = true, swap_cr = true} : (tensor<1x6x1x1xf32>) -> tensor<1x1x3x2xf32> loc("y")
    return %1 : tensor<1x1x3x2xf32>
  }
}

// -----

// Blocks of 2 x 3 back to channels.
// input x = [[[[0, 4, 8, 1, 5, 9], [12, 16, 20, 13, 17, 21]], [[2, 6, 10, 3, 7, 11], [14, 18, 22, 15, 19, 23]]]]
// expect y = [[[[0, 1]], [[2, 3]], [[4, 5]], [[6, 7]], [[8, 9]], [[10, 11]], [[12, 13]], [[14, 15]], [[16, 17]], [[18, 19]], [[20, 21]], [[22, 23]]]]
module @space_to_depth_00 attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x2x2x6xf32>) -> tensor<1x12x1x2xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x2x2x6xf32>) -> tensor<1x2x2x6xf32> loc("x")
    %1 = "top.Depth2Space"(%0) {block_h = 2 : i64, block_w = 3 : i64, in_is_NCHW = true, is_CRD = false, is_inversed = true, out_is_NCHW = true, swap_cr = false} : (tensor<1x2x2x6xf32>) -> tensor<1x12x1x2xf32> loc("y")
    return %1 : tensor<1x12x1x2xf32>
  }
}

// -----

// Blocks of 2 x 3 back to channels, each its own, columns first.
// input x = [[[[0, 4, 8, 1, 5, 9], [2, 6, 10, 3, 7, 11]], [[12, 16, 20, 13, 17, 21], [14, 18, 22, 15, 19, 23]]]]
// expect y = [[[[0, 1]], [[2, 3]], [[4, 5]], [[6, 7]], [[8, 9]], [[10, 11]], [[12, 13]], [[14, 15]], [[16, 17]], [[18, 19]], [[20, 21]], [[22, 23]]]]
module @space_to_depth_11 attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x2x2x6xf32>) -> tensor<1x12x1x2xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x2x2x6xf32>) -> tensor<1x2x2x6xf32> loc("x")
    %1 = "top.Depth2Space"(%0) {block_h = 2 : i64, block_w = 3 : i64, in_is_NCHW = true, is_CRD = true, is_inversed = true, out_is_NCHW = true, swap_cr = true} : (tensor<1x2x2x6xf32>) -> tensor<1x12x1x2xf32> loc("y")
    return %1 : tensor<1x12x1x2xf32>
  }
}

// -----

// The same with the channels last, as a window of patches is merged.
// input x = [[[[0, 2], [8, 10], [16, 18], [1, 3], [9, 11], [17, 19]], [[4, 6], [12, 14], [20, 22], [5, 7], [13, 15], [21, 23]]]]
// expect y = [[[[0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22], [1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23]]]]
module @channels_last attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x2x6x2xf32>) -> tensor<1x1x2x12xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x2x6x2xf32>) -> tensor<1x2x6x2xf32> loc("x")
    %1 = "top.Depth2Space"(%0) {block_h = 2 : i64, block_w = 3 : i64, in_is_NCHW = false, is_CRD = false, is_inversed = true, out_is_NCHW = false, swap_cr = true} : (tensor<1x2x6x2xf32>) -> tensor<1x1x2x12xf32> loc("y")
    return %1 : tensor<1x1x2x12xf32>
  }
}

// -----

// From channels first to channels last.
// input x = [[[[0], [1]], [[2], [3]], [[4], [5]], [[6], [7]]]]
// expect y = [[[[0, 2], [4, 6]], [[1, 3], [5, 7]]]]
module @to_channels_last attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x4x2x1xf32>) -> tensor<1x2x2x2xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x4x2x1xf32>) -> tensor<1x4x2x1xf32> loc("x")
    %1 = "top.Depth2Space"(%0) {block_h = 1 : i64, block_w = 2 : i64, in_is_NCHW = true, is_CRD = false, is_inversed = false, out_is_NCHW = false, swap_cr = false} : (tensor<1x4x2x1xf32>) -> tensor<1x2x2x2xf32> loc("y")
    return %1 : tensor<1x2x2x2xf32>
  }
}
