"""Networks measured on a GPU."""
import collections

from models import bert, qwen2_block, resnet50, vit
from single import by_element, chain, conv, embed, gemm, layer_norm, of_two, permute, total

# Each group is one table: "models", "products" (compute-bound), "passes" (memory-bound).
Case = collections.namedtuple("Case", "group make")


def networks(small=False):
    """Return the networks by name, most important first. `small`: the same with little work, to test on a CPU."""
    pick = lambda large, little: little if small else large
    batch, side, layers = pick(32, 2), pick(224, 32), pick(12, 1)
    # 2^25 elements: 128 MiB of float32, more than the caches of GPUs.
    rows = pick(32768, 64)
    long, channels, words = pick(4096, 256), pick(64, 4), pick(64, 2)
    cases = {
        "resnet50_b1": ("models", lambda: resnet50(1, side)),
        "minilm_128_b1": ("models", lambda: bert("minilm", pick(6, 1), 384, 12, 128)),
        "bert_128_b1": ("models", lambda: bert("bert", layers, 768, 12, 128)),
        "gemm_4096": ("products", gemm(long, long, long)),
        "add": ("passes", of_two("add", rows, 1024)),
        "resnet50_b32": ("models", lambda: resnet50(batch, side)),
        "minilm_128_b64": ("models", lambda: bert("minilm", pick(6, 1), 384, 12, 128, words)),
        "vit_b16_b1": ("models", lambda: vit(layers)),
        "qwen2_prefill_512": ("models", lambda: qwen2_block("qwen2", pick(512, 16), 0)),
        "qwen2_decode_512": ("models", lambda: qwen2_block("qwen2", 1, pick(512, 16))),
        "gemm_1024": ("products", gemm(1024, 1024, 1024)),
        "gemm_512": ("products", gemm(512, 512, 512)),
        "softmax_1024": ("passes", by_element("softmax", rows, 1024)),
        "layer_norm_1024": ("passes", layer_norm(rows, 1024)),
        "chain": ("passes", lambda: chain(rows, 1024)),
        "permute_nhwc": ("passes", permute((pick(32, 1), channels, 128, 128), 0, 2, 3, 1)),
        "permute_last_two": ("passes", permute((pick(32, 1), 1024, pick(1024, 64)), 0, 2, 1)),
        "sum_last": ("passes", total(1, rows, 1024)),
        "sum_first": ("passes", total(0, rows, 1024)),
        "conv_3x3_64_56_b1": ("products", conv(64, 64, 56, 3)),
        "conv_3x3_64_56_b32": ("products", conv(64, 64, 56, 3, batch=batch)),
        "conv_3x3_256_14_b32": ("products", conv(256, 256, 14, 3, batch=batch)),
        "concat": ("passes", of_two("concat", rows // 2, 1024, axis=1)),
        "embed": ("passes", embed(8 * rows, 256, 4 * rows)),
        "gemm_1x4096x4096": ("passes", gemm(1, long, long)),
        "softmax_32768": ("passes", by_element("softmax", 1024, rows)),
        "depthwise_3x3_144_56_b32": ("passes", conv(144, 144, 56, 3, group=144, batch=batch)),
    }
    return {name: Case(*case) for name, case in cases.items()}
