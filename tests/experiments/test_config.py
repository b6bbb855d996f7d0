import pytest

from experiments.config import Dataset, Method
from experiments.forests import PROTOCOLS
from experiments.loading import list_configs, load_config
from experiments.notebooks import parameter_names
from experiments.runs import plan


def test_studies_are_there():
    tables = {f"lionforests_{name}" for name in ("strategies", "labelset", "labels", "example", "example_rules")}
    tables |= {"lionforests_datasets", "corset_datasets", "consequent_samplers", "antecedent_samplers"}
    tables |= {"trade_off", "trade_off_folds", "forest_surrogates"}
    assert {"synthetic", "real_data", "diversity", "pool_size"} | tables <= set(list_configs())


@pytest.mark.parametrize("name", list_configs())
def test_every_config_is_valid_without_running_it(name):
    config = load_config(name)
    assert {"config", "dataset", "profile", "results"} == set(parameter_names(config.notebook_path))
    for profile in config.profiles:
        for dataset in config.profiles[profile].datasets:
            assert plan(config, profile, dataset)


@pytest.mark.parametrize("name", list_configs())
def test_cells_of_stochastic_methods_have_three_runs(name):
    config = load_config(name)
    is_example = config.task == "explain" and all(PROTOCOLS[dataset].n_folds == 1 for dataset in config.datasets)
    if not is_example and not all(method.deterministic for method in config.methods.values()):
        assert all(config.profiles[profile].repetitions >= 3 for profile in ("quick", "paper"))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("margin: 0.02", "margins: 0.02", r"tiny.yaml: unknown key 'margins' at the top; did you mean 'margin'\?"),
        ("margin: 0.02", "", "missing key 'margin' at the top"),
        ("margin: 0.02", "margin: small", "margin must be a number or a mapping, got 'small'"),
        ("margin: 0.02", "margin: {all: 0.1}", "margin must be a number, got {'all': 0.1}"),
        ("seed: 5", "seed: 5\naudit_budget: 9", "audit_budget has no meaning where labels are predicted, got 9"),
        ("seed: 5", "seed: 5\ntask: guess", "task: unknown 'guess'"),
        ("repetitions: 1", "repetitions: 1, rows: {made: 3}", "profiles.smoke.rows: all test rows are predicted"),
        ("kind: tree,", "kind: tree, strategies: [all],", "strategies: predictions have none, got all"),
        ("seed: 5", "seed: 5.5", "seed must be a whole number, got 5.5"),
        ("seed: 5", "seed: true", "seed must be a whole number, got True"),
        ("id: tiny", "id: large", "id is 'large', but the file is called tiny.yaml"),
        ("zero_division: 0", "zero_division: 2", "zero_division must be 0 or 1, got 2"),
        ("recovery, n_rules", "recall, n_rules", "metrics: unknown 'recall'; allowed are coverage"),
        ("kind: tree", "kind: forst", "methods.tree.kind: unknown 'forst'"),
        ("kind: tree,", "kind: tree, depth: 3,", "unknown key 'depth' in methods.tree"),
        ("pool_size: 20,", "lambda: 20,", "unknown parameter 'lambda'"),
        (
            "pool_size: 20,",
            "pool_siz: 20,",
            "methods.corset on made.*'pool_siz'; did you mean 'pool_size'",
        ),
        ("pool_size: 20,", "pool_size: 0,", "pool_size"),
        ("pool_size: 20,", "diversity_weight: -1,", "diversity_weight"),
        ("pool_size: 20,", "diversity_weight: .nan,", "diversity_weight"),
        ("pool_size: 20,", "random_state: 1,", "'random_state' is set by the runner"),
        ("pool_size: 20,", "binarizer: {percentile: 3},", "'percentile'; did you mean 'percentiles'"),
        ("pool_size: 20,", "binarizer: {percentiles: [200]},", r"methods.corset on made.*percentiles .*got \[200\]"),
        ("{pool_size: 30}", "{pool_size: -3}", "profile paper: .*pool_size"),
        ("[1x, 2x]", "[0]", "must be at least 1, got 0"),
        ("[1x, 2x]", "[twice]", "'twice' is neither a whole number nor a multiple"),
        ("flags: {n_rules: 3}", "flags: {}", "'1x' needs the data set's n_rules"),
        ("flags: {n_rules: 3}", "flag: {n_rules: 3}", "flag"),
        ("generator: ground-truth", "generator: truth", "generator must be one of ground-truth, ai4i, got 'truth'"),
        ("n_samples: 40", "n_sample: 40", "the generator takes no 'n_sample'; did you mean 'n_samples'"),
        ("quick: {datasets: [made]", "quick: {datasets: [mad]", "profiles.quick.datasets: unknown 'mad'"),
        ("  quick:", "  fast:", "profiles must be exactly smoke, quick, paper"),
        ("repetitions: 1", "repetitions: 0", "profiles.smoke.repetitions must be at least 1, got 0"),
        ("01_synthetic.ipynb", "99_none.ipynb", "there is no '99_none.ipynb' in notebooks/"),
        ("seed: 5", "seed: 5\npublished: none.csv", "there is no 'none.csv' beside the config"),
        ("seed: 5", "seed: [5", "tiny.yaml: "),
        ("seed: 5", "seed: 5\nlike: none", "like: there is no 'none.yaml' beside the config"),
        ("flags: {n_rules: 3}", "flags: {n_rules: 3, folds: 1}", "datasets.flags: folds must be at least 2, got 1"),
        ("made:", "made:\n    folds: 2", "profiles.quick.repetitions must be at most 2, the folds of made"),
        *[
            (
                "seed: 5",
                f"seed: 5\ntuning: {{method: corset, candidates: 3, folds: 2, n_rules: {rules}, space: {space}}}",
                end,
            )
            for rules, space, end in [
                ("0", "{}", "tuning.n_rules must be at least 1, got 0"),
                ("5", "{lambda: [1]}", "unknown parameter 'lambda'"),
                (
                    "5",
                    "{negative_weight: 3}",
                    "tuning.space.negative_weight must be a mapping of low, high, log or a list, got 3",
                ),
                (
                    "5",
                    "{negative_weight: {low: 0, high: 1, log: true}}",
                    "low must be below high, and above 0 with log",
                ),
                ("5", "{negative_weight: {low: 0, top: 1}}", "unknown key 'top' in tuning.space.negative_weight"),
                ("5", "{negative_weight: [-1]}", "negative_weight"),
            ]
        ],
    ],
)
def test_faults_are_named(change, old, new, message):
    with pytest.raises(ValueError, match=message):
        change(old, new)


def test_config_takes_what_it_does_not_say_from_the_one_it_is_like(tiny_config):
    other = tiny_config.with_name("other.yaml")
    text = tiny_config.read_text("utf-8").replace("[1x, 2x]", "[3]")
    tiny_config.write_text(text, "utf-8")
    other.write_text("id: other\nlike: tiny\nseed: 7\ndatasets: {made: {folds: 4, generate: {generator: ai4i}}}\n")
    given, like = load_config(other), load_config(tiny_config)
    assert (given.id, given.seed, given.path) == ("other", 7, other)
    assert (given.methods, given.profiles, given.title) == (like.methods, like.profiles, like.title)
    assert given.datasets["made"] == Dataset(generate={"generator": "ai4i"}, folds=4)
    assert set(given.datasets) == {"made"}
    assert [run.folds for run in plan(given, "smoke", "made")] == [4, 4, 4]


def test_unknown_config_is_named():
    with pytest.raises(ValueError, match=r"no config 'none'; there are .*synthetic"):
        load_config("none")


def test_number_of_rules_is_absolute_or_a_multiple():
    method = Method("corset", "", rules=("2.5x", "1x", 7, "0.1x"))
    assert method.n_rules(Dataset(n_rules=10)) == (1, 7, 10, 25)


def test_profile_goes_over_data_set_goes_over_method(change):
    config = change("flags: {n_rules: 3}", "flags: {n_rules: 3, parameters: {corset: {pool_size: 25, refine: true}}}")
    assert config.parameters("corset", "made", "smoke") == {"pool_size": 20, "consequents": "full"}
    assert config.parameters("corset", "flags", "smoke") == {"pool_size": 25, "consequents": "full", "refine": True}
    assert config.parameters("corset", "flags", "paper") == {"pool_size": 30, "consequents": "full", "refine": True}
