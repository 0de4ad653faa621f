"""Exports networks of Keras through tf2onnx: onnx_exporters_tensorflow.py DIR"""
import os
import sys

os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="-1")
import tensorflow as tf
import tf2onnx
from tensorflow import keras

to, layers, applications = sys.argv[1], keras.layers, keras.applications


def recurrent():
    x = keras.Input((7, 6))
    y = layers.Bidirectional(layers.LSTM(8, return_sequences=True))(x)
    return keras.Model(x, layers.SimpleRNN(4)(layers.GRU(5, return_sequences=True)(y)))


def attention():
    x = keras.Input((9, 16))
    y = layers.LayerNormalization()(layers.MultiHeadAttention(4, 8)(x, x) + x)
    return keras.Model(x, layers.Dense(16, activation="swish")(y))


def text():
    x = keras.Input((9,), dtype="int32")
    y = layers.Conv1D(8, 3, activation="elu")(layers.Embedding(30, 16)(x))
    return keras.Model(x, layers.Dense(1, activation="sigmoid")(layers.GlobalMaxPooling1D()(y)))


def pictures():
    x = keras.Input((32, 32, 3))
    y = layers.MaxPooling2D()(layers.Conv2D(8, 3, padding="same", activation="relu")(x))
    y = layers.Activation("hard_sigmoid")(layers.DepthwiseConv2D(3, padding="same")(y))
    y = layers.UpSampling2D(2, interpolation="bilinear")(layers.Conv2DTranspose(4, 3, 2, padding="same")(y))
    return keras.Model(x, layers.Dense(5, activation="softmax")(layers.GlobalAveragePooling2D()(y)))


def application(name, side):
    return lambda: getattr(applications, name)(input_shape=(side, side, 3), weights=None)


MODELS = {
    "recurrent": recurrent, "attention": attention, "text": text, "pictures": pictures,
    "mobilenet_v2": application("MobileNetV2", 96), "mobilenet_v3": application("MobileNetV3Small", 96),
    "efficientnet": application("EfficientNetB0", 96), "resnet50_v2": application("ResNet50V2", 64),
    "xception": application("Xception", 96), "nasnet": application("NASNetMobile", 224),
}
for name, make in MODELS.items():
    for opset in (13, 17):
        keras.utils.set_random_seed(0)
        model = make()
        signature = [tf.TensorSpec([1] + list(i.shape[1:]), i.dtype, name="x") for i in model.inputs]
        function = tf.function(lambda x: model(x, training=False), input_signature=signature)
        path = os.path.join(to, "tensorflow-%s-%d.onnx" % (name, opset))
        tf2onnx.convert.from_function(function, input_signature=signature, opset=opset, output_path=path)
