"""scikit-learn's checks as a parametrisation that pytest takes."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks


def all_checks(*estimators):
    """Return the mark of `parametrize_with_checks`, its cases as a list: pytest no longer likes a generator."""
    mark = parametrize_with_checks(list(estimators))
    names, cases = mark.args
    return pytest.mark.parametrize(names, list(cases), **mark.kwargs)
