"""Conversions of images."""
from random_graph import R


def yuv2rgb(s):
    s.mode = "quantized"
    x = s.tensor("x", [R.randint(1, 2), 3 * R.randint(1, 4), 2 * R.randint(1, 5)], "uint8")
    s.call("yuv2rgb", inputs=x, src_format=R.randint(0, 3), dst_format=R.randint(4, 5), ImageOutFormatAttr="UINT8",
           formula_mode=R.choice(["_601_limited", "_601_full"]), round_mode=R.choice(["HalfAwayFromZero", "HalfToEven"]))


KINDS = {"yuv2rgb": yuv2rgb}
