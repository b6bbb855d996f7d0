"""GuidedRulesClassifier as a user meets it: scikit-learn's checks, containers, hard inputs."""

from mlrx import GuidedRulesClassifier
from tests.estimator_checks import all_checks


@all_checks(GuidedRulesClassifier(), GuidedRulesClassifier(n_rules=20, target_f1=1.0, size_price=0.5))
def test_scikit_learn_checks(estimator, check):
    check(estimator)
