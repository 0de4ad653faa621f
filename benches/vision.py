"""Networks of convolutions, with folded batch normalization."""
from net import Net


def resnet50(batch=1, side=224):
    net = Net("resnet50")
    x = residual_stages(net, net.input("image", (batch, 3, side, side)))
    net.outputs(classified(net, x, 2048, batch))
    return net


def resnext50():
    """ResNeXt-50 32x4d: the 3x3 convolutions have 32 groups of 4 to 32 channels."""
    net = Net("resnext50")
    x = residual_stages(net, net.input("image", (1, 3, 224, 224)), widen=2, group=32)
    net.outputs(classified(net, x, 2048))
    return net


def residual_stages(net, image, widen=1, group=1, dilations=(1, 1, 1, 1)):
    """Add ResNet-50 without its classifier. A stage with a dilation above 1 keeps height and width."""
    x = net.maxpool(net.relu(net.conv(image, 3, 64, 7, 2)))
    channels = 64
    for stage, (planes, blocks) in enumerate([(64, 3), (128, 4), (256, 6), (512, 3)]):
        width, dilation = planes * widen, dilations[stage]
        for block in range(blocks):
            stride = 2 if stage and not block and dilation == 1 else 1
            kept = x if block else net.conv(x, channels, 4 * planes, 1, stride)
            x = net.relu(net.conv(x, channels, width, 1))
            x = net.relu(net.conv(x, width, width, 3, stride, group=group, dilation=dilation))
            channels = 4 * planes
            x = net.relu(net.add(net.conv(x, width, channels, 1, gain=0.3), kept))
    return x


def classified(net, x, channels, batch=1):
    return net.linear(net.reshape(net.mean_pool(x), batch, channels), channels, 1000)


def mobilenet_v2():
    net = Net("mobilenet_v2")
    x, channels = net.relu6(net.conv(net.input("image", (1, 3, 224, 224)), 3, 32, 3, 2)), 32
    for expand, out, blocks, first in [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)]:
        for block in range(blocks):
            stride, inner = (1 if block else first), channels * expand
            h = net.relu6(net.conv(x, channels, inner, 1)) if expand > 1 else x
            h = net.relu6(net.conv(h, inner, inner, 3, stride, group=inner, gain=1.4))
            h = net.conv(h, inner, out, 1)
            x = net.add(x, h) if block else h
            channels = out
    x = net.relu6(net.conv(x, channels, 1280, 1))
    net.outputs(classified(net, x, 1280))
    return net


def efficientnet_b0():
    net = Net("efficientnet_b0")
    x, channels = net.silu(net.conv(net.input("image", (1, 3, 224, 224)), 3, 32, 3, 2)), 32
    for expand, kernel, out, blocks, first in [(1, 3, 16, 1, 1), (6, 3, 24, 2, 2), (6, 5, 40, 2, 2), (6, 3, 80, 3, 2), (6, 5, 112, 3, 1), (6, 5, 192, 4, 2), (6, 3, 320, 1, 1)]:
        for block in range(blocks):
            stride, inner = (1 if block else first), channels * expand
            h = net.silu(net.conv(x, channels, inner, 1)) if expand > 1 else x
            h = net.silu(net.conv(h, inner, inner, kernel, stride, group=inner, gain=1.4))
            h = net.conv(squeezed(net, h, inner, channels // 4), inner, out, 1, gain=2.0)
            x = net.add(x, h) if block else h
            channels = out
    x = net.silu(net.conv(x, channels, 1280, 1))
    net.outputs(classified(net, x, 1280))
    return net


def squeezed(net, x, channels, inner):
    """Squeeze and excitation: scale each channel by a function of the means of all."""
    s = net.silu(net.conv(net.mean_pool(x), channels, inner, 1))
    return net.mul(x, net.sigmoid(net.conv(s, inner, channels, 1)))


def deeplab():
    """DeepLabV3 on ResNet-50 with an output stride of 8."""
    net, side = Net("deeplab"), 224
    x = residual_stages(net, net.input("image", (1, 3, side, side)), dilations=(1, 1, 2, 4))
    branches = [net.relu(net.conv(x, 2048, 256, 1))]
    branches += [net.relu(net.conv(x, 2048, 256, 3, dilation=rate)) for rate in (12, 24, 36)]
    pooled = net.relu(net.conv(net.mean_pool(x), 2048, 256, 1))
    branches.append(net.interpolate(pooled, by=side // 8))
    x = net.relu(net.conv(net.concat(1, *branches), 5 * 256, 256, 1))
    x = net.conv(net.relu(net.conv(x, 256, 256, 3)), 256, 21, 1)
    net.outputs(net.interpolate(x, by=8))
    return net


def unet():
    """U-Net of half its width, with padding."""
    net, widths = Net("unet"), [32, 64, 128, 256, 512]
    twice = lambda x, ic, oc: net.relu(net.conv(net.relu(net.conv(x, ic, oc, 3, gain=1.4)), oc, oc, 3, gain=1.4))
    x, channels, kept = net.input("image", (1, 3, 224, 224)), 3, []
    for width in widths:
        if kept:
            x = net.maxpool2(x)
        x, channels = twice(x, channels, width), width
        kept.append(x)
    for width, skipped in zip(widths[-2::-1], kept[-2::-1]):
        x = net.concat(1, skipped, net.deconv(x, channels, width, 2, 2))
        x, channels = twice(x, 2 * width, width), width
    net.outputs(net.conv(x, channels, 2, 1))
    return net


def yolo():
    """A detector of the size of YOLOv5n: CSP blocks, features of three scales that are joined upwards and downwards (by transposed
    convolutions, as in YOLOv6), and a head for each scale."""
    net = Net("yolo")
    conv = lambda x, ic, oc, kernel=1, stride=1: net.silu(net.conv(x, ic, oc, kernel, stride, gain=1.4))

    def csp(x, ic, oc, blocks, residual=True):
        inner = oc // 2
        kept, x = conv(x, ic, inner), conv(x, ic, inner)
        for _ in range(blocks):
            h = conv(conv(x, inner, inner), inner, inner, 3)
            x = net.add(x, h) if residual else h
        return conv(net.concat(1, x, kept), oc, oc)

    joined = lambda x, skipped, ic, oc: csp(net.concat(1, x, skipped), ic, oc, 1, residual=False)
    x = conv(conv(net.input("image", (1, 3, 320, 320)), 3, 16, 3, 2), 16, 32, 3, 2)
    third = csp(conv(csp(x, 32, 32, 1), 32, 64, 3, 2), 64, 64, 2)
    fourth = csp(conv(third, 64, 128, 3, 2), 128, 128, 3)
    fifth = conv(csp(conv(fourth, 128, 256, 3, 2), 256, 256, 1), 256, 128)
    fourth = conv(joined(net.deconv(fifth, 128, 128, 2, 2), fourth, 256, 128), 128, 64)
    third = joined(net.deconv(fourth, 64, 64, 2, 2), third, 128, 64)
    fourth = joined(conv(third, 64, 64, 3, 2), fourth, 128, 128)
    fifth = joined(conv(fourth, 128, 128, 3, 2), fifth, 256, 256)
    net.outputs(*(net.conv(x, channels, 255, 1) for x, channels in [(third, 64), (fourth, 128), (fifth, 256)]))
    return net


def r3d_18():
    """A ResNet-18 of 3-D convolutions over 8 frames of 112 x 112."""
    net, frames, side = Net("r3d_18"), 8, 112
    x, channels = net.relu(net.conv3d(net.input("video", (1, 3, frames, side, side)), 3, 64, (3, 7, 7), (1, 2, 2))), 64
    for stage, width in enumerate([64, 128, 256, 512]):
        for block in range(2):
            stride = 2 if stage and not block else 1
            kept = net.conv3d(x, channels, width, 1, stride) if stride > 1 else x
            x = net.conv3d(net.relu(net.conv3d(x, channels, width, 3, stride)), width, width, 3)
            x, channels = net.relu(net.add(x, kept)), width
    # The mean over frames, rows and columns: one frame is left.
    x = net.reshape(x, 1, 512, side // 16, side // 16)
    net.outputs(net.linear(net.reshape(net.mean_pool(x), 1, 512), 512, 400))
    return net
