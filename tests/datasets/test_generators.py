import numpy as np
import pytest

from mlrx.datasets import load_dataset, make_ai4i, make_ground_truth
from mlrx.datasets.ai4i import LABELS, TYPES, failure_causes


def covered(data, rule):
    return data.X.to_numpy()[:, rule.antecedent].all(axis=1)


@pytest.mark.parametrize("sizes", ["equal", "varied"])
@pytest.mark.parametrize("supports", ["uniform", "skewed"])
def test_without_noise_every_one_comes_from_a_rule(sizes, supports):
    options = {"sizes": sizes, "antecedent_size": 4, "consequent_size": 2, "supports": supports, "noise": 0}
    train, test = make_ground_truth(300, 12, 9, 7, n_test=200, random_state=0, **options)
    assert (train.split, test.split) == ("train", "test")
    assert (train.X.shape, test.X.shape, test.Y.shape) == ((300, 12), (200, 12), (200, 9))
    rules = train.generating_rules
    assert test.generating_rules == rules
    assert len({rule.antecedent for rule in rules}) == 7
    if sizes == "equal":
        assert {(len(rule.antecedent), len(rule.consequent)) for rule in rules} == {(4, 2)}
    else:
        assert all(2 <= len(rule.antecedent) <= 11 and 1 <= len(rule.consequent) <= 8 for rule in rules)
        assert len({len(rule.antecedent) for rule in rules}) > 1
    for data in (train, test):
        explained = np.zeros(data.X.shape), np.zeros(data.Y.shape)
        for rule in rules:
            rows = covered(data, rule) & data.Y[:, rule.consequent].all(axis=1)
            assert rows.any()
            explained[0][np.ix_(rows, rule.antecedent)] = 1
            explained[1][np.ix_(rows, rule.consequent)] = 1
        assert np.array_equal(explained[0], data.X)
        assert np.array_equal(explained[1], data.Y)


def test_supports_are_equal_or_harmonic():
    sizes = {"antecedent_size": 8, "consequent_size": 1, "noise": 0, "random_state": 1}
    for supports, expected in (("uniform", [110, 110, 110]), ("skewed", [180, 90, 60])):
        train, _ = make_ground_truth(330, 40, 9, 3, supports=supports, **sizes)
        assert [covered(train, rule).sum() for rule in train.generating_rules] == expected


def test_noise_flips_its_share_of_cells():
    plain, _ = make_ground_truth(2000, 20, 10, 5, noise=0, random_state=3)
    noisy, _ = make_ground_truth(2000, 20, 10, 5, noise=0.02, random_state=3)
    assert noisy.generating_rules == plain.generating_rules
    for a, b in ((plain.X.to_numpy(), noisy.X.to_numpy()), (plain.Y, noisy.Y)):
        assert abs((a != b).mean() - 0.02) < 0.004  # four standard deviations of a share over 20,000 cells


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_rules": 0}, "'n_rules' parameter .* Got 0"),
        ({"n_features": 2}, "'n_features' parameter"),
        ({"noise": 1.5}, "'noise' parameter"),
        ({"rules_per_row": 0}, "'rules_per_row' parameter"),
        ({"supports": "even"}, "'supports' parameter .*skewed"),
        ({"antecedent_size": 30}, "antecedent_size=30: must be below n_features=30"),
        ({"consequent_size": 31}, "consequent_size=31: must be below n_labels=30"),
        ({"n_features": 5, "n_rules": 11, "antecedent_size": 2}, "n_rules=11: 5 features have only 10 antecedents"),
        ({"n_features": 3, "n_rules": 4, "sizes": "varied"}, "n_rules=4: 3 features have only 3 antecedents"),
    ],
)
def test_ground_truth_refuses_by_name(options, message):
    with pytest.raises(ValueError, match=message):
        make_ground_truth(**options)


def draw(generator, seed):
    made = generator(random_state=seed)
    data = made[0] if isinstance(made, tuple) else made
    return data.X, data.Y


@pytest.mark.parametrize("generator", [make_ground_truth, make_ai4i])
def test_seeds(generator):
    # K3
    X, Y = draw(generator, 3)
    for same in (np.int64(3), np.random.RandomState(3)):
        again = draw(generator, same)
        assert again[0].equals(X)
        assert np.array_equal(again[1], Y)
    assert not draw(generator, None)[0].equals(draw(generator, None)[0])
    assert not draw(generator, 4)[0].equals(X)
    for refused in (np.random.default_rng(3), -1, 2**32, "3"):
        with pytest.raises(ValueError, match="'random_state' parameter"):
            generator(random_state=refused)


# AI4I.


def measured(data):
    values = data.X.iloc[:, 1:].to_numpy().T
    return (np.array([TYPES.index(value) for value in data.X["Type"]]), *values)


def test_causes_follow_from_the_measurements_as_in_the_published_file(data_folder):
    data = load_dataset("ai4i")
    assert np.array_equal(failure_causes(*measured(data)), data.Y[:, 1:4])


def test_causes_by_hand():
    type_, air, process = np.array([0, 1, 2, 0]), np.array([300.0, 300, 300, 300]), np.array([308.5, 308.6, 308.5, 310])
    speed, torque, wear = (
        np.array([1379, 1379, 1380, 1000]),
        np.array([50.0, 60.0, 50.0, 33.0]),
        np.array([220, 201, 220, 0]),
    )
    # Power is 7220, 8665, 7226 and 3456 W; wear times torque 11000, 12060, 11000 and 0 min Nm.
    expected = [[True, False, False], [False, False, True], [False, False, False], [False, True, False]]
    assert failure_causes(type_, air, process, speed, torque, wear).tolist() == expected


def test_rates_are_those_of_the_published_file():
    data = make_ai4i(300_000, 0)
    rates = dict(zip(LABELS, data.Y.mean(axis=0)))
    assert data.label_names == LABELS
    assert abs(rates["TWF"] - 0.0046) < 0.0015
    assert abs(rates["PWF"] - 0.0095) < 0.0015
    assert abs(rates["OSF"] - 0.0098) < 0.0015
    assert abs(rates["RNF"] - 0.001) < 0.0003
    # Heat failures hang on a random walk: they vary much between seeds.
    heat = np.mean([make_ai4i(10_000, seed).Y[:, 1].mean() for seed in range(30)])
    assert abs(heat - 0.0115) < 0.004


def test_measurements_are_those_of_the_published_file():
    data = make_ai4i(100_000, 1)
    type_, air, process, speed, torque, wear = measured(data)
    assert np.allclose(np.bincount(type_) / len(type_), [0.5, 0.3, 0.2], atol=0.01)
    assert np.allclose([air.mean(), air.std()], [300, 2], atol=0.01)
    assert np.allclose([(process - air).mean(), (process - air).std()], [10, 1], atol=0.01)
    assert np.allclose([torque.mean(), torque.std()], [40, 10], atol=0.2)
    power = torque * speed * 2 * np.pi / 60
    assert np.allclose([power.mean(), power.std()], [6280, 1067], atol=40)
    assert torque.min() >= 0
    assert wear.max() < 240


def test_wear_grows_by_type_and_starts_anew_with_each_tool():
    data = make_ai4i(20_000, 2)
    type_, *_, wear = measured(data)
    last = np.flatnonzero(np.diff(wear) < 0)  # the last process of each tool but the last
    assert wear[0] == 0
    assert (wear[last + 1] == 0).all()
    growth = np.array([2, 3, 5])[type_]
    inside = np.setdiff1d(np.arange(len(wear) - 1), last)
    assert np.array_equal(wear[inside + 1] - wear[inside], growth[inside])
    reached = wear[last] + growth[last]
    assert reached.min() >= 200
    assert reached.max() < 245
    failed = np.flatnonzero(data.Y[:, 0])
    assert np.isin(failed, last).sum() >= len(failed) - 1
    assert abs(len(failed) / len(last) - 46 / 119) < 0.13  # four standard deviations with some 260 tools


def test_ai4i_refuses_by_name():
    with pytest.raises(ValueError, match="'n_samples' parameter of make_ai4i"):
        make_ai4i(0)
