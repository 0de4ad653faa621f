// Three iterations: the carried value is doubled each time, and its values are stacked.
// input x = [1, -1]
// weight n = [3]
// expect y = [8, -8]
// expect all = [[2, -2], [4, -4], [8, -8]]
module @counted attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2xf32>) -> (tensor<2xf32>, tensor<3x2xf32>) {
    %none = "top.None"() : () -> none
    %0 = "top.Input"(%arg0) : (tensor<2xf32>) -> tensor<2xf32> loc("x")
    %n = "top.Weight"() : () -> tensor<1xsi32> loc("n")
    %1:2 = "top.Loop"(%n, %none, %0) ({
    ^bb0(%i: tensor<1xsi32>, %c: tensor<1xsi32>, %v: tensor<2xf32>):
      %ii = "top.Input"(%i) : (tensor<1xsi32>) -> tensor<1xsi32> loc("i")
      %cc = "top.Input"(%c) : (tensor<1xsi32>) -> tensor<1xsi32> loc("again")
      %vv = "top.Input"(%v) : (tensor<2xf32>) -> tensor<2xf32> loc("v")
      %2 = "top.MulConst"(%vv) {const_val = 2.0 : f64} : (tensor<2xf32>) -> tensor<2xf32> loc("next")
      "top.Yield"(%cc, %2, %2) : (tensor<1xsi32>, tensor<2xf32>, tensor<2xf32>) -> ()
    }) : (tensor<1xsi32>, none, tensor<2xf32>) -> (tensor<2xf32>, tensor<3x2xf32>) loc(fused["y", "all"])
    return %1#0, %1#1 : tensor<2xf32>, tensor<3x2xf32>
  }
}

// -----

// The loop ends when the sum is at least 10: the iteration numbers 0 to 4 are added.
// input x = [0]
// input go = [1]
// expect y = [10]
module @condition attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1xf32>, %arg1: tensor<1xf32>) -> tensor<1xf32> {
    %none = "top.None"() : () -> none
    %0 = "top.Input"(%arg0) : (tensor<1xf32>) -> tensor<1xf32> loc("x")
    %go = "top.Input"(%arg1) : (tensor<1xf32>) -> tensor<1xf32> loc("go")
    %1 = "top.Loop"(%none, %go, %0) ({
    ^bb0(%i: tensor<1xf32>, %c: tensor<1xf32>, %v: tensor<1xf32>):
      %ii = "top.Input"(%i) : (tensor<1xf32>) -> tensor<1xf32> loc("i")
      %vv = "top.Input"(%v) : (tensor<1xf32>) -> tensor<1xf32> loc("v")
      %2 = "top.Add"(%vv, %ii) : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32> loc("sum")
      %3 = "top.CompareConst"(%2) {const_val = 10.0 : f64, inversed = false, mode = "Less"} : (tensor<1xf32>) -> tensor<1xf32> loc("less")
      "top.Yield"(%3, %2) : (tensor<1xf32>, tensor<1xf32>) -> ()
    }) : (none, tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32> loc("y")
    return %1 : tensor<1xf32>
  }
}

// -----

// No iteration: the condition is 0 at the beginning.
// input x = [7]
// input n = [5]
// input go = [0]
// expect y = [7]
module @none attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1xf32>, %arg1: tensor<1xsi32>, %arg2: tensor<1xf32>) -> tensor<1xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1xf32>) -> tensor<1xf32> loc("x")
    %n = "top.Input"(%arg1) : (tensor<1xsi32>) -> tensor<1xsi32> loc("n")
    %go = "top.Input"(%arg2) : (tensor<1xf32>) -> tensor<1xf32> loc("go")
    %1 = "top.Loop"(%n, %go, %0) ({
    ^bb0(%i: tensor<1xsi32>, %c: tensor<1xf32>, %v: tensor<1xf32>):
      %vv = "top.Input"(%v) : (tensor<1xf32>) -> tensor<1xf32> loc("v")
      %2 = "top.AddConst"(%vv) {const_val = 1.0 : f64} : (tensor<1xf32>) -> tensor<1xf32> loc("next")
      "top.Yield"(%c, %2) : (tensor<1xf32>, tensor<1xf32>) -> ()
    }) : (tensor<1xsi32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32> loc("y")
    return %1 : tensor<1xf32>
  }
}

// -----

// A branch within a loop: even iterations add the input, odd ones subtract the weight, which both blocks capture.
// input x = [1, 2]
// weight n = [4]
// weight w = [10, 20]
// expect y = [-17, -34]
module @nested attributes {module.chip = "ALL", module.platform = "TPULANG", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %none = "top.None"() : () -> none
    %0 = "top.Input"(%arg0) : (tensor<2xf32>) -> tensor<2xf32> loc("x")
    %n = "top.Weight"() : () -> tensor<1xsi32> loc("n")
    %w = "top.Weight"() : () -> tensor<2xf32> loc("w")
    %1 = "top.Loop"(%n, %none, %0) ({
    ^bb0(%i: tensor<1xf32>, %c: tensor<1xf32>, %v: tensor<2xf32>):
      %ii = "top.Input"(%i) : (tensor<1xf32>) -> tensor<1xf32> loc("i")
      %cc = "top.Input"(%c) : (tensor<1xf32>) -> tensor<1xf32> loc("again")
      %vv = "top.Input"(%v) : (tensor<2xf32>) -> tensor<2xf32> loc("v")
      %h = "top.MulConst"(%ii) {const_val = 0.5 : f64} : (tensor<1xf32>) -> tensor<1xf32> loc("half")
      %f = "top.Floor"(%h) : (tensor<1xf32>) -> tensor<1xf32> loc("whole")
      %odd = "top.Sub"(%h, %f) : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32> loc("odd")
      %2 = "top.If"(%odd) ({
        %3 = "top.Sub"(%vv, %w) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32> loc("less")
        "top.Yield"(%3) : (tensor<2xf32>) -> ()
      }, {
        %3 = "top.Add"(%vv, %0) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32> loc("more")
        "top.Yield"(%3) : (tensor<2xf32>) -> ()
      }) : (tensor<1xf32>) -> tensor<2xf32> loc("next")
      "top.Yield"(%cc, %2) : (tensor<1xf32>, tensor<2xf32>) -> ()
    }) : (tensor<1xsi32>, none, tensor<2xf32>) -> tensor<2xf32> loc("y")
    return %1 : tensor<2xf32>
  }
}
