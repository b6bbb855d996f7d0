"""Loading a forest that was saved, when it was saved by a scikit-learn whose forests this one reads."""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import Any

import joblib
import sklearn
from sklearn.exceptions import InconsistentVersionWarning

from .forest import forest_of

# How an estimator's version stands in a pickle: the key, few bytes of the pickle's own, the version.
_VERSION = re.compile(rb"_sklearn_version.{1,12}?(\d+\.\d+(?:\.\d+)?)", re.DOTALL)


def load_forest(path: str | Path) -> Any:
    """Load a forest, or a Pipeline that ends in one, that `joblib.dump` or `pickle.dump` wrote.

    scikit-learn warns once for each class of a model that another version saved, or fails in the middle of it with a
    word about arrays. Here one error says it, and no model is returned that may predict something else than when it was
    saved.

    Parameters
    ----------
    path : str or Path
        Loading runs what the file says: load only files that you trust.

    Raises
    ------
    ValueError
        When another minor version of scikit-learn saved the model; the message names both versions, as far as they
        are known.
    TypeError
        When the file holds something else than a forest or a Pipeline that ends in one.
    OSError
        When the file cannot be read.

    Examples
    --------
    >>> import tempfile
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> forest = RandomForestClassifier(3, random_state=0).fit([[0.0], [1.0]], [[0, 1], [1, 0]])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = joblib.dump(forest, f"{folder}/forest.joblib")
    ...     load_forest(f"{folder}/forest.joblib").n_estimators
    3
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            model, cause = joblib.load(path), None
        except OSError:
            raise
        except Exception as error:  # whatever a pickle raises of which classes have moved or changed
            # Old trees fail before anything looks at their version.
            model, cause = None, error
    found = [w.message.original_sklearn_version for w in caught if isinstance(w.message, InconsistentVersionWarning)]
    found += [match.decode() for match in _VERSION.findall(Path(path).read_bytes())] if cause else []
    others = [version for version in found if _minor(version) != _minor(sklearn.__version__)]
    if not others and isinstance(cause, ImportError | AttributeError) and re.search(r"\bsklearn\b", str(cause)):
        others = ["of another version"]
    if others:
        raise ValueError(
            f"{path} was saved by scikit-learn {others[0]} and cannot be relied on with scikit-learn "
            f"{sklearn.__version__}: use the version that saved it, or fit the forest again"
        ) from cause
    if cause:
        raise cause
    try:
        forest_of(model)
    except TypeError as error:
        raise TypeError(f"{path}: {error}") from None
    for warning in caught:
        warnings.warn(warning.message, warning.category, stacklevel=2)
    return model


def _minor(version: str) -> list[str]:
    return version.split(".")[:2]
