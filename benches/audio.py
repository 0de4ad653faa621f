"""Networks of convolutions over time."""
from net import Net


def hifigan():
    """HiFi-GAN with a quarter of the usual channels: 64 frames of 80 mel bands become 16384 samples."""
    net, channels = Net("hifigan"), 128
    x = net.conv1d(net.input("mel", (1, 80, 64)), 80, channels, 7)
    for kernel, stride in [(16, 8), (16, 8), (4, 2), (4, 2)]:
        x = net.deconv1d(net.leaky_relu(x), channels, channels // 2, kernel, stride)
        channels //= 2
        blocks = [residual(net, x, channels, kernel) for kernel in (3, 7, 11)]
        x = net.scale(net.add(net.add(blocks[0], blocks[1]), blocks[2]), by=1 / 3)
    net.outputs(net.conv1d(net.leaky_relu(x), channels, 1, 7))
    return net


def residual(net, x, channels, kernel):
    for dilation in (1, 3, 5):
        h = net.conv1d(net.leaky_relu(x), channels, channels, kernel, dilation=dilation)
        x = net.add(net.conv1d(net.leaky_relu(h), channels, channels, kernel, gain=0.3), x)
    return x


def quartznet():
    """QuartzNet 5x5, for speech recognition, on 6 seconds: depthwise convolutions of up to 87 elements and pointwise ones."""
    net, channels = Net("quartznet"), 256
    separable = lambda x, ic, oc, kernel, stride=1: net.conv1d(net.conv1d(x, ic, ic, kernel, stride, group=ic), ic, oc, 1, gain=1.4)
    x = net.relu(separable(net.input("mel", (1, 64, 600)), 64, channels, 33, 2))
    for width, kernel in [(256, 33), (256, 39), (512, 51), (512, 63), (512, 75)]:
        kept, inner = net.conv1d(x, channels, width, 1, gain=0.5), channels
        for _ in range(4):
            x, inner = net.relu(separable(x, inner, width, kernel)), width
        x, channels = net.relu(net.add(separable(x, width, width, kernel), kept)), width
    x = net.relu(separable(x, channels, 512, 87))
    net.outputs(net.conv1d(net.relu(net.conv1d(x, 512, 1024, 1)), 1024, 29, 1))
    return net
