"""Networks of recurrent layers."""
from net import Net


def recurrent(kind, layers=2, length=128, size=256, hidden=512):
    """Layers of `lstm` or `gru` over a sequence."""
    net = Net(kind)
    x = net.input("x", (length, 1, size))
    for _ in range(layers):
        x, size = net.reshape(net.recurrent(kind, x, size, hidden), length, 1, hidden), hidden
    net.outputs(x)
    return net
