// Pairs turned by 0, 90 and 180 degrees: (3, 4) becomes (-4, 3).
// input x = [[1, 2, 3, 4], [5, 6, 7, 8]]
// input sine = [[0, 0, 1, 1], [1, 1, 0, 0]]
// input cosine = [[1, 1, 0, 0], [0, 0, -1, -1]]
// expect y = [[1, 2, -4, 3], [-6, 5, -7, -8]]
module @interleaved_pairs attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x4xf32>, %arg1: tensor<2x4xf32>, %arg2: tensor<2x4xf32>) -> tensor<2x4xf32> {
    %0 = "top.Input"(%arg0) : (tensor<2x4xf32>) -> tensor<2x4xf32> loc("x")
    %1 = "top.Input"(%arg1) : (tensor<2x4xf32>) -> tensor<2x4xf32> loc("sine")
    %2 = "top.Input"(%arg2) : (tensor<2x4xf32>) -> tensor<2x4xf32> loc("cosine")
    %3 = "top.Rope"(%0, %1, %2) {rope_mode = "interleaved_pairs"} : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32> loc("y")
    return %3 : tensor<2x4xf32>
  }
}

// -----

// Elements i and i + 2; angles broadcast over heads. Each element has its own sine and cosine.
// input x = [[[[-2, 0, -1, -2], [4, -4, -4, -3], [4, 2, 3, -3]], [[2, -1, 0, -4], [1, 3, 1, -3], [0, -2, 4, 3]]], [[[-3, 0, 4, 3], [2, 1, -4, 2], [0, -4, -2, 0]], [[2, 0, 1, 3], [2, -1, 1, 1], [-4, -4, 1, -1]]]]
// input sine = [[[[-0.35, -0.7, 0.63, -0.24], [0.96, 0.18, 0.21, 0.28], [0.35, -0.7, -0.12, -0.52]]]]
// input cosine = [[[[-0.2, -0.81, 0.94, -0.57], [0.34, -0.4, 0.75, 0.32], [-0.74, 0.69, 0.89, 0.81]]]]
// expect y = [[[[0.050000012, -1.4, -2.2, 1.14], [5.2, 2.14, -2.16, -2.08], [-4.01, -0.71999997, 2.19, -3.47]], [[-0.4, -1.99, 1.26, 2.52], [-0.62, -0.65999997, 0.96, -0.119999975], [-1.4, 0.71999997, 3.56, 3.47]]], [[[2, 2.1, 1.87, -1.71], [4.52, -0.76, -2.58, 0.91999996], [0.7, -2.76, -1.78, 2.08]], [[-0.050000012, 2.1, 2.2, -1.71], [-0.27999997, 0.22, 1.17, 0.03999999], [2.6100001, -3.46, 1.37, 1.27]]]]
module @contiguous_halves attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x2x3x4xf32>, %arg1: tensor<1x1x3x4xf32>, %arg2: tensor<1x1x3x4xf32>) -> tensor<2x2x3x4xf32> {
    %0 = "top.Input"(%arg0) : (tensor<2x2x3x4xf32>) -> tensor<2x2x3x4xf32> loc("x")
    %1 = "top.Input"(%arg1) : (tensor<1x1x3x4xf32>) -> tensor<1x1x3x4xf32> loc("sine")
    %2 = "top.Input"(%arg2) : (tensor<1x1x3x4xf32>) -> tensor<1x1x3x4xf32> loc("cosine")
    %3 = "top.Rope"(%0, %1, %2) {rope_mode = "contiguous_halves"}
      : (tensor<2x2x3x4xf32>, tensor<1x1x3x4xf32>, tensor<1x1x3x4xf32>) -> tensor<2x2x3x4xf32> loc("y")
    return %3 : tensor<2x2x3x4xf32>
  }
}

// -----

// Rows of one pair, whose halves are one element each.
// input x = [[[[1, 2]], [[3, 4]]]]
// input sine = [[[[1, 0.5]]]]
// input cosine = [[[[0.5, 2]]]]
// expect y = [[[[-1.5, 4.5]], [[-2.5, 9.5]]]]
module @one_pair attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x2x1x2xf32>, %arg1: tensor<1x1x1x2xf32>, %arg2: tensor<1x1x1x2xf32>) -> tensor<1x2x1x2xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x2x1x2xf32>) -> tensor<1x2x1x2xf32> loc("x")
    %1 = "top.Input"(%arg1) : (tensor<1x1x1x2xf32>) -> tensor<1x1x1x2xf32> loc("sine")
    %2 = "top.Input"(%arg2) : (tensor<1x1x1x2xf32>) -> tensor<1x1x1x2xf32> loc("cosine")
    %3 = "top.Rope"(%0, %1, %2) {rope_mode = "contiguous_halves"}
      : (tensor<1x2x1x2xf32>, tensor<1x1x1x2xf32>, tensor<1x1x1x2xf32>) -> tensor<1x2x1x2xf32> loc("y")
    return %3 : tensor<1x2x1x2xf32>
  }
}

// -----

// Five dimensions, of which the tool chain turns the halves wrongly.
// input x = [[[[[4, 1, -2, -3], [1, -3, 2, 4], [-2, 0, -4, -3]]], [[[-1, 3, 4, 1], [1, 1, -4, -1], [4, -1, -3, -2]]]]]
// input sine = [[[[[-0.35, -0.7, 0.63, -0.24], [0.96, 0.18, 0.21, 0.28], [0.35, -0.7, -0.12, -0.52]]]]]
// input cosine = [[[[[-0.2, -0.81, 0.94, -0.57], [0.34, -0.4, 0.75, 0.32], [-0.74, 0.69, 0.89, 0.81]]]]]
// expect y = [[[[[-1.5, -2.9099998, 0.64, 1.47], [-1.5799999, 0.48, 1.71, 0.43999997], [2.88, -2.1, -3.32, -2.43]]], [[[1.6, -1.73, 3.13, -1.29], [4.18, -0.22, -2.79, -0.03999999], [-1.9100001, -2.09, -3.1499999, -1.1]]]]]
module @five_dimensions attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x2x1x3x4xf32>, %arg1: tensor<1x1x1x3x4xf32>, %arg2: tensor<1x1x1x3x4xf32>) -> tensor<1x2x1x3x4xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x2x1x3x4xf32>) -> tensor<1x2x1x3x4xf32> loc("x")
    %1 = "top.Input"(%arg1) : (tensor<1x1x1x3x4xf32>) -> tensor<1x1x1x3x4xf32> loc("sine")
    %2 = "top.Input"(%arg2) : (tensor<1x1x1x3x4xf32>) -> tensor<1x1x1x3x4xf32> loc("cosine")
    %3 = "top.Rope"(%0, %1, %2) {rope_mode = "contiguous_halves"}
      : (tensor<1x2x1x3x4xf32>, tensor<1x1x1x3x4xf32>, tensor<1x1x1x3x4xf32>) -> tensor<1x2x1x3x4xf32> loc("y")
    return %3 : tensor<1x2x1x3x4xf32>
  }
}

// -----

// Positions on axis 1.
// input x = [[[[2, -4], [4, 3]], [[1, 0], [2, 0]], [[0, -2], [0, 2]]]]
// input sine = [[[[-0.95, -0.26]], [[-0.94, -0.75]], [[0.93, 0.32]]]]
// input cosine = [[[[-0.14, 0.05]], [[0.75, -0.31]], [[0.18, 0.37]]]]
// expect y = [[[[-4.08, -0.71999997], [2.29, -0.89]], [[0.75, -0.75], [1.5, -1.5]], [[1.86, -0.74], [-1.86, 0.74]]]]
module @permuted attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x3x2x2xf32>, %arg1: tensor<1x3x1x2xf32>, %arg2: tensor<1x3x1x2xf32>) -> tensor<1x3x2x2xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x3x2x2xf32>) -> tensor<1x3x2x2xf32> loc("x")
    %1 = "top.Input"(%arg1) : (tensor<1x3x1x2xf32>) -> tensor<1x3x1x2xf32> loc("sine")
    %2 = "top.Input"(%arg2) : (tensor<1x3x1x2xf32>) -> tensor<1x3x1x2xf32> loc("cosine")
    %3 = "top.Rope"(%0, %1, %2) {is_permute_optimize = true}
      : (tensor<1x3x2x2xf32>, tensor<1x3x1x2xf32>, tensor<1x3x1x2xf32>) -> tensor<1x3x2x2xf32> loc("y")
    return %3 : tensor<1x3x2x2xf32>
  }
}

// -----

// Integers: products shifted and rounded half up, their sum saturates.
// input x = [[100, 50, -100, 127], [-128, -128, 3, -5]]
// input sine = [[127, 127, 64, 64], [-128, 127, 1, 1]]
// input cosine = [[127, 127, -64, -64], [127, -128, 1, 1]]
// expect y = [[127, 127, 74, -128], [-128, 127, 0, 0]]
module @integers attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2x4xsi8>, %arg1: tensor<2x4xsi8>, %arg2: tensor<2x4xsi8>) -> tensor<2x4xsi8> {
    %0 = "top.Input"(%arg0) : (tensor<2x4xsi8>) -> tensor<2x4xsi8> loc("x")
    %1 = "top.Input"(%arg1) : (tensor<2x4xsi8>) -> tensor<2x4xsi8> loc("sine")
    %2 = "top.Input"(%arg2) : (tensor<2x4xsi8>) -> tensor<2x4xsi8> loc("cosine")
    %3 = "top.Rope"(%0, %1, %2) {add_round_mode = "HalfUp", add_shift = 1 : si32, mul1_round_mode = "HalfUp", mul1_shift = -7 : si32, mul2_round_mode = "HalfUp", mul2_shift = -6 : si32}
      : (tensor<2x4xsi8>, tensor<2x4xsi8>, tensor<2x4xsi8>) -> tensor<2x4xsi8> loc("y")
    return %3 : tensor<2x4xsi8>
  }
}

// -----

// Each product is held in 16 bits before they are added.
// input x = [[-128, 50]]
// input sine = [[-128, -128]]
// input cosine = [[-128, 0]]
// expect y = [[127, 127]]
module @products_saturate attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_QUANTIZED", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x2xsi8>, %arg1: tensor<1x2xsi8>, %arg2: tensor<1x2xsi8>) -> tensor<1x2xsi8> {
    %0 = "top.Input"(%arg0) : (tensor<1x2xsi8>) -> tensor<1x2xsi8> loc("x")
    %1 = "top.Input"(%arg1) : (tensor<1x2xsi8>) -> tensor<1x2xsi8> loc("sine")
    %2 = "top.Input"(%arg2) : (tensor<1x2xsi8>) -> tensor<1x2xsi8> loc("cosine")
    %3 = "top.Rope"(%0, %1, %2) {add_round_mode = "HalfUp", add_shift = -8 : si32, mul1_round_mode = "HalfUp", mul1_shift = 1 : si32, mul2_round_mode = "HalfUp", mul2_shift = 1 : si32}
      : (tensor<1x2xsi8>, tensor<1x2xsi8>, tensor<1x2xsi8>) -> tensor<1x2xsi8> loc("y")
    return %3 : tensor<1x2xsi8>
  }
}
