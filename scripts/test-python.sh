#!/bin/sh
# Installs the newest wheel of this machine's processor in a fresh virtual environment, and runs the tests of the Python
# package on that, not on the source. Leaves the package, without NumPy, in target/wheel-package.
#   test-python.sh
set -eu
WHEEL=$(ls -t target/wheels/tpulang-*_"$(uname -m)".whl | head -1)
ENV=target/test-python
rm -rf "$ENV" target/wheel-package
target/wheel-tools/bin/python -m venv "$ENV"
# Python 3.9 has no newer versions of these.
if "$ENV/bin/python" -c 'import sys; assert sys.version_info >= (3, 10)' 2>/dev/null; then
    TOOLS="pytest==9.2.0 mypy==2.4.1 ml_dtypes==0.6.0"
else
    TOOLS="pytest==8.4.2 ml_dtypes==0.5.3"
fi
"$ENV/bin/python" -m pip install --quiet "$WHEEL" $TOOLS
"$ENV/bin/python" -m pip install --quiet --no-deps --target target/wheel-package "$WHEEL"
"$ENV/bin/python" -m pytest --quiet -p no:cacheprovider python/tests
