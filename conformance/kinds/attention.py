"""Position embeddings and patch merging."""
from random_graph import R, float_type, maybe


def rope(s):
    rank = R.choice([3, 4, 4])
    x = [R.randint(1, 4) for _ in range(rank - 1)] + [2 * R.randint(1, 5)]
    turned = rank == 4 and R.random() < 0.4
    angles = [x[1] if turned else x[-2], x[-1]]
    coeff = R.random() < 0.7
    # The executor rotates halves only in 4-dimensional inputs.
    mode = "contiguous_halves" if rank == 4 and R.random() < 0.4 else None
    s.call("rope", input=s.tensor("x", x), weight0=s.tensor("sine", angles, "float32", coeff), weight1=s.tensor("cosine", angles, "float32", coeff),
           is_permute_optimize=turned or None, rope_mode=mode)


def rope_int(s):
    s.mode = "quantized"
    d = R.choice(["int8", "uint8", "int16"])
    x = [R.randint(1, 3), R.randint(1, 3), R.randint(1, 4), 2 * R.randint(1, 4)]
    s.call("rope", input=s.tensor("x", x, d), weight0=s.tensor("sine", x[2:], d, True), weight1=s.tensor("cosine", x[2:], d, True),
           mul1_shift=-R.randint(0, 7), mul2_shift=-R.randint(0, 7), add_shift=R.randint(-3, 2),
           mul1_round_mode=maybe(0.4, lambda: R.choice(["half_up", "half_away_from_zero", "half_to_even"])))


def merger_matmul(s):
    tiles, c, out = R.randint(1, 6), R.randint(1, 4), R.randint(1, 5)
    x = s.tensor("x", [tiles, c, 2 * R.randint(1, 3), 2 * R.randint(1, 3)])
    cut = R.randint(1, tiles)
    pictures = [[1, cut]] + ([[tiles - cut, 1]] if cut < tiles else [])
    s.call("merger_matmul", input=x, matmul_weight=s.tensor("w", [4 * c, out], "float32", True), split_hws=maybe(0.6, lambda: pictures))


def rot_pos_emb(s):
    rows, dtype = R.randint(2, 9), float_type()
    ids = s.tensor("ids", [R.randint(1, 6), R.randint(1, 3)], "int32", values=None)
    s.data[ids] %= rows
    table = lambda name: s.tensor(name, [rows, R.randint(1, 5)], dtype)
    s.call("rot_pos_emb", ["embedding", "cosine", "sine"], pos_ids=ids, rotary_pos_emb_full=table("full"), rotary_pos_emb_cos=table("cos"),
           rotary_pos_emb_sin=table("sin"))


OTHER_TEXT = {"rot_pos_emb": "TpuLang reshapes to the result of top.Shape, tpulang to known sizes"}
KINDS = {
    "rope": rope,
    "rope_int": rope_int,
    "rot_pos_emb": rot_pos_emb,
    "merger_matmul": merger_matmul,
}
