"""Exports models of scikit-learn, XGBoost and LightGBM: onnx_exporters_sklearn.py DIR"""
import os
import sys
import warnings

import lightgbm
import numpy as np
import onnxmltools
import xgboost
from onnxmltools.convert.common.data_types import FloatTensorType
from skl2onnx import to_onnx
from sklearn import (cluster, datasets, decomposition, discriminant_analysis, ensemble, feature_selection, gaussian_process, impute,
                     linear_model, naive_bayes, neighbors, neural_network, preprocessing, svm, tree)
from sklearn.pipeline import make_pipeline

warnings.filterwarnings("ignore")
to = sys.argv[1]
many, few = datasets.load_iris(return_X_y=True), datasets.load_breast_cancer(return_X_y=True)
few = few[0][:, :6] / few[0][:, :6].std(0), few[1]

OF_THREE = {
    "logistic": linear_model.LogisticRegression(), "perceptron": linear_model.Perceptron(), "sgd": linear_model.SGDClassifier(),
    "linear": linear_model.LinearRegression(), "ridge": linear_model.Ridge(), "mlp": neural_network.MLPClassifier(20),
    "pca": decomposition.PCA(2), "kmeans": cluster.KMeans(3, n_init=1), "forest": ensemble.RandomForestClassifier(5),
    "bayes": naive_bayes.GaussianNB(), "neighbors": neighbors.KNeighborsClassifier(3),
    "lda": discriminant_analysis.LinearDiscriminantAnalysis(), "qda": discriminant_analysis.QuadraticDiscriminantAnalysis(),
    "normalizer": preprocessing.Normalizer(), "polynomial": preprocessing.PolynomialFeatures(2),
    "gaussian": gaussian_process.GaussianProcessRegressor(), "robust": preprocessing.RobustScaler(),
    "binarizer": preprocessing.Binarizer(), "svr": svm.SVR(), "boosting": ensemble.GradientBoostingRegressor(n_estimators=5),
    "pipeline": make_pipeline(preprocessing.StandardScaler(), decomposition.PCA(2), neural_network.MLPClassifier(10)),
    "svc": svm.SVC(), "nusvc": svm.NuSVC(kernel="poly", degree=2), "ovo": svm.SVC(decision_function_shape="ovo"),
    "minmax": make_pipeline(preprocessing.MinMaxScaler(), linear_model.LogisticRegression()),
}
OF_TWO = {
    "logistic2": linear_model.LogisticRegression(), "forest2": ensemble.RandomForestClassifier(7), "tree2": tree.DecisionTreeClassifier(),
    "boosting2": ensemble.GradientBoostingClassifier(n_estimators=7), "extra": ensemble.ExtraTreesRegressor(4),
    "adaboost": ensemble.AdaBoostClassifier(n_estimators=3), "bagging": ensemble.BaggingRegressor(n_estimators=3),
    "oneclass": svm.OneClassSVM(), "isolation": ensemble.IsolationForest(n_estimators=3),
    "selection": make_pipeline(feature_selection.SelectKBest(k=3), impute.SimpleImputer(), linear_model.Ridge()),
    "svc2": svm.SVC(), "svc2-probable": svm.SVC(kernel="linear", probability=True), "svc2-sigmoid": svm.SVC(kernel="sigmoid"),
    "bins": preprocessing.KBinsDiscretizer(3, encode="ordinal"), "power": preprocessing.PowerTransformer(),
}


def save(name, model):
    with open(os.path.join(to, "sklearn-%s.onnx" % name), "wb") as file:
        file.write(model.SerializeToString())


for (x, y), models in ((many, OF_THREE), (few, OF_TWO)):
    x = x.astype(np.float32)
    for name, model in models.items():
        model.fit(x, y)
        options = {id(model): {"zipmap": False}} if hasattr(model, "predict_proba") else None
        save(name, to_onnx(model, x[:1], options=options, target_opset={"": 17, "ai.onnx.ml": 3}))
x, y = few[0].astype(np.float32), few[1]
types = [("X", FloatTensorType([None, x.shape[1]]))]
save("xgboost", onnxmltools.convert_xgboost(xgboost.XGBClassifier(n_estimators=6).fit(x, y), initial_types=types, target_opset=15))
save("xgboost-regressor", onnxmltools.convert_xgboost(xgboost.XGBRegressor(n_estimators=6).fit(x, y), initial_types=types, target_opset=15))
save("lightgbm", onnxmltools.convert_lightgbm(
    lightgbm.LGBMClassifier(n_estimators=6, verbose=-1).fit(x, y), initial_types=types, target_opset=15, zipmap=False))
