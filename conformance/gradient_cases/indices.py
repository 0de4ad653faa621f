"""Reading, writing and sorting by index, and sampling."""
import numpy as np
import torch
from torch.nn import functional as F

from .table import case, constant, distinct, given, integers, uniform

X = (2, 3, 4, 5)


def whole(values):
    return constant(np.array(values, dtype=np.int32))


def chosen(values):
    return torch.from_numpy(np.array(values)).long()


case("Gather", "index_select", lambda t: t.input[:, :, chosen([3, 0, 3])], {"input": uniform(*X), "indices": whole([3, 0, 3])}, axis=2)
case("Gather", "", lambda t: t.input[chosen([[1, -1], [0, 1]])], {"input": uniform(3, 4), "indices": whole([[1, -1], [0, 1]])}, axis=0)
along = integers(2, 3, 2, 5, high=4)
case("GatherElements", "gather", lambda t: t.input.gather(2, chosen(along)), {"input": uniform(*X), "indices": constant(along)}, axis=2)
case("GatherND", "indexing", lambda t: t.input[chosen([0, 1, 1]), chosen([2, 0, 2])], {"input": uniform(*X), "indices": whole([[0, 2], [1, 0], [1, 2]])})
tuples = integers(2, 3, 2, high=3)
case("GatherND", "", lambda t: torch.stack([t.input[i, chosen(tuples[i, :, 0]), chosen(tuples[i, :, 1])] for i in range(2)]),
     {"input": uniform(2, 3, 4, 5), "indices": constant(tuples)}, batch_dims=1)
for reduction, against in (0, "scatter"), (1, "scatter_add"):
    places = np.stack([np.random.default_rng(i).permutation(4)[:3] for i in range(5)], 1).astype(np.int32)
    case("ScatterElements", against, lambda t, f=against: getattr(t.input, f)(0, chosen(places), t.updates),
         {"input": uniform(4, 5), "indices": constant(places), "updates": uniform(3, 5)}, axis=0, reduction=reduction)
rows = [2, 0, 2]
for reduction, mode, initial, updates in (
    (1, "sum", uniform(4, 3), uniform(3, 3)), (3, "amax", uniform(4, 3), uniform(3, 3)), (3, "amax", integers(4, 3).astype(np.float32), integers(3, 3).astype(np.float32)),
    (4, "amin", uniform(4, 3), uniform(3, 3)), (5, "prod", uniform(4, 3), uniform(3, 3)), (5, "prod", integers(4, 3).astype(np.float32), integers(3, 3, high=2).astype(np.float32)),
):
    case("ScatterND", "scatter_reduce", lambda t, m=mode: t.input_data.scatter_reduce(0, chosen(rows).view(3, 1).expand(3, 3), t.updates, m),
         {"input_data": initial, "indices": whole([[r] for r in rows]), "updates": updates}, reduction=reduction)
case("ScatterND", "index_put", lambda t: t.input_data.index_put((chosen([2, 0]),), t.updates),
     {"input_data": uniform(4, 3), "indices": whole([[2], [0]]), "updates": uniform(2, 3)}, reduction=0)
case("ScatterND", "", lambda t: t.input_data.index_put((chosen(rows),), -t.updates, accumulate=True),
     {"input_data": uniform(4, 3), "indices": whole([[r] for r in rows]), "updates": uniform(3, 3)}, reduction=2)
case("IndexPut", "index_put", lambda t: t.input.index_put((chosen([2, 0]),), t.values),
     {"input": uniform(4, 3), "indices": whole([2, 0]), "values": uniform(2, 3)})
case("IndexPut", "", lambda t: t.input.index_put((chosen(rows),), t.values, accumulate=True),
     {"input": uniform(4, 3), "indices": whole(rows), "values": uniform(3, 3)}, accumulate=True)
case("Insert", "slice_scatter", lambda t: t.input.slice_scatter(t.rhs, 2, 1, 3), {"input": uniform(*X), "rhs": uniform(2, 3, 2, 5)}, axis=2, offset=1)
case("Sort", "sort", lambda t: [t.input.sort(-1, True)[0], None], {"input": distinct(3, 7)}, axis=1, descending=True, out_dtype=["float32", "int32"])
case("TopK", "topk", lambda t: [t.input.topk(3, 1)[0], None], {"input": distinct(3, 7)}, axis=1, K=3, out_dtype=["float32", "int32"])
case("Arg", "max", lambda t: [None, t.input.max(1)[0]], {"input": distinct(3, 7)}, axis=1, keepdims=False, mode="ArgMax", out_dtype=["int32", "float32"])
case("EmbDenseBwd", "index_add", lambda t: torch.zeros(5, 4, dtype=torch.float64).index_add(0, chosen([1, 3, 1]), t.grad_output),
     {"grad_output": uniform(3, 4), "indices": whole([1, 3, 1])}, num_weights=5)

for mode in range(2):
    for padding in range(3):
        for align in False, True:
            names = dict(mode=["bilinear", "nearest"][mode], padding_mode=["zeros", "border", "reflection"][padding], align_corners=align)
            operands = {"input": uniform(2, 3, 5, 7), "grid": uniform(2, 4, 6, 2, low=-1.8, high=1.8)}
            if padding == 1:
                # The samples of 3 axes.
                operands = {"input": uniform(2, 3, 4, 5, 6), "grid": uniform(2, 3, 4, 5, 3, low=-1.8, high=1.8)}
            if mode:
                operands["grid"] = given(operands["grid"])
            case("GridSampler", "grid_sample", lambda t, o=names: F.grid_sample(t.input, t.grid, **o), operands, mode=mode, padding_mode=padding, align_corners=align)


def bilinear(plane, y, x):
    """Samples planes `[c, h, w]` at points; 0 outside."""
    c, h, w = plane.shape
    grid = torch.stack([(2 * x + 1) / w - 1, (2 * y + 1) / h - 1], -1)
    return F.grid_sample(plane[None], grid.reshape(1, 1, -1, 2), padding_mode="zeros", align_corners=False).reshape(c, *y.shape)


def region_samples(features, roi, scale, cells, samples, aligned):
    """The samples of a region, `[c, rows, samples, columns, samples]`, as in torchvision.ops.roi_align."""
    c, h, w = features.shape[1:]
    left, top, right, bottom = [float(v) * scale - (0.5 if aligned else 0.0) for v in roi[1:]]
    positions = []
    for start, end, count in (top, bottom, cells[0]), (left, right, cells[1]):
        length = end - start if aligned else max(end - start, 1.0)
        positions.append(start + length * (torch.arange(count * samples, dtype=torch.float64) + 0.5) / (count * samples))
    y, x = torch.meshgrid(*positions, indexing="ij")
    near = (y >= -1) & (y <= h) & (x >= -1) & (x <= w)
    values = bilinear(features[int(roi[0])], y.clamp(0, h - 1), x.clamp(0, w - 1))
    return torch.where(near, values, 0).view(c, cells[0], samples, cells[1], samples)


rois = np.array([[0, 1, 1, 9, 7], [1, 0, 2, 13, 11], [0, 4, 3, 5, 4], [1, -6, -5, 20, 30]], dtype=np.float32)
for aligned in False, True:
    for mode in "Avg", "Max":
        reduce = (lambda s: s.mean((2, 4))) if mode == "Avg" else (lambda s: s.amax((2, 4)))
        case("RoiAlign", "grid_sample, mean (as torchvision's roi_align); amax" if mode == "Avg" else "",
             lambda t, r=reduce, a=aligned: torch.stack([r(region_samples(t.input, roi, 0.5, (2, 3), 2, a)) for roi in rois]),
             {"input": uniform(2, 3, 6, 7), "rois": given(rois)},
             align_corners=aligned, mode=mode, output_height=2, output_width=3, sampling_ratio=2, spatial_scale=0.5)
levels = [0, 1, 1, 0]
case("RoiExtractor", "grid_sample, mean",
     lambda t: torch.stack([region_samples(t.inputs[l], roi, [0.5, 0.25][l], (2, 2), 2, True).mean((2, 4)) for roi, l in zip(rois, levels)]),
     {"rois": given(rois), "target_lvls": constant(np.array(levels, dtype=np.float32)), "inputs": [uniform(2, 3, 6, 7), uniform(2, 3, 3, 4)]},
     align_corners=True, is_static=False, mode="Avg", num_levels=2, output_height=2, output_width=2, sampling_ratio=2, spatial_scales=[0.5, 0.25])


def pooled(t):
    features, results = t.inputs[0], []
    for roi in rois:
        # Halves are rounded up away from 0.
        left, top, right, bottom = [int(np.trunc(v * 0.5 + np.copysign(0.5, v))) for v in roi[1:]]
        image, cells = features[int(roi[0])], []
        for i in range(2):
            for j in range(3):
                ends = []
                for start, end, n, k, size in (top, bottom, 2, i, 6), (left, right, 3, j, 7):
                    cell = np.float32(max(end - start + 1, 1)) / np.float32(n)
                    ends += [int(np.clip(np.floor(k * cell) + start, 0, size)), int(np.clip(np.ceil((k + 1) * cell) + start, 0, size))]
                part = image[:, ends[0]:ends[1], ends[2]:ends[3]].flatten(1)
                cells.append(part.amax(1) if part.numel() else 0 * image.sum((1, 2)))
        results.append(torch.stack(cells, 1).view(3, 2, 3))
    return torch.stack(results)


case("ROIPooling", "amax (as torchvision's roi_pool, but at least 0)", pooled, {"inputs": [2.5 + distinct(2, 3, 6, 7), given(rois.reshape(2, 1, 2, 5))]}, pooled_h=2, pooled_w=3, spatial_scale=0.5)
