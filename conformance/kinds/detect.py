"""Object detection."""
import numpy as np

from random_graph import R


def nms(s):
    """every score counts and no boxes overlap; otherwise tpu_mlir returns fewer rows"""
    n, classes, b = R.randint(1, 6), R.randint(1, 3), R.randint(1, 2)
    low = np.arange(n, dtype="float32")[:, None] * 20 + np.random.uniform(0, 5, [b, n, 2]).astype("float32")
    boxes = np.concatenate([low, low + np.random.uniform(1, 10, [b, n, 2])], 2)
    scores = np.random.uniform(0.6, 1, [b, classes, n])
    s.call("nms", boxes=s.tensor("boxes", boxes.shape, values=boxes.astype("float32")),
           scores=s.tensor("scores", scores.shape, values=scores.astype("float32")), box_format="TENSORFLOW",
           max_box_num_per_class=R.randint(1, 8))


def roi_extractor(s):
    n, c, count, images = R.randint(1, 6), R.randint(1, 3), R.randint(1, 3), R.randint(1, 2)
    corners = np.random.uniform(0, 40, [n, 4])
    corners = np.concatenate([np.minimum(corners[:, :2], corners[:, 2:]), np.maximum(corners[:, :2], corners[:, 2:])], 1)
    rois = np.concatenate([np.random.randint(0, images, [n, 1]), corners], 1).astype("float32")
    feats = [s.tensor("f%d" % i, [images, c, R.randint(2, 12), R.randint(2, 12)]) for i in range(count)]
    s.call("roiExtractor", rois=s.tensor("rois", rois.shape, values=rois),
           target_lvls=s.tensor("lvls", [n], "int32", values=np.random.randint(0, count, [n]).astype("int32")), feats=feats, PH=R.randint(1, 4),
           PW=R.randint(1, 4), sampling_ratio=R.randint(1, 3), list_spatial_scale=[2**(i + 1) for i in range(count)], num_layer=count, mode="DynFuse")


KINDS = {
    "nms": nms,
    "roiExtractor": roi_extractor,
}
