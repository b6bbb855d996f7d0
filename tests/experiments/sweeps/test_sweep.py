import math

import pytest

from experiments.baselines import corset
from experiments.config import Dataset
from experiments.loading import list_configs, list_sweeps
from experiments.notebooks import parameter_names
from experiments.splits import check_dataset
from experiments.sweeps.sweep import load_sweep
from experiments.values import from_json, to_json

PARAMETERS = "dataset = ''\ndiversity_weight = 1.0\nhelp_me = 0"
GRID = "{dataset: [made], diversity_weight: [0.1, 1.0]}"


@pytest.mark.parametrize("name", list_sweeps())
def test_every_sweep_is_valid_without_running_it(name):
    sweep = load_sweep(name)
    assert name not in list_configs()
    assert set(sweep.grid) | set(sweep.parameters) <= set(parameter_names(sweep.notebook_path))
    for point in sweep.points:
        parameters = point.sought.determines["parameters"]
        entry = parameters["sets"][parameters["dataset"]]
        check_dataset(parameters["dataset"], Dataset(generate=entry.get("generate")))
        corset.check(entry["method"] | {name: parameters[name] for name in ("diversity_weight", "pool_size")})


def test_points_are_all_combinations_in_order(make_sweep):
    sweep = load_sweep(make_sweep(PARAMETERS, grid="{dataset: [b, a], diversity_weight: [10.0, 2.0]}"))
    assert [str(point) for point in sweep.points] == [
        "dataset=b, diversity_weight=10.0",
        "dataset=b, diversity_weight=2.0",
        "dataset=a, diversity_weight=10.0",
        "dataset=a, diversity_weight=2.0",
    ]
    assert len({point.name for point in sweep.points}) == 4


def test_notebook_that_changes_makes_its_points_due_again(make_sweep):
    before = load_sweep(make_sweep(PARAMETERS, "a = 1", grid=GRID)).points
    same = load_sweep(make_sweep(PARAMETERS, "a = 1", grid=GRID)).points
    after = load_sweep(make_sweep(PARAMETERS, "a = 2", grid=GRID)).points
    assert [point.name for point in same] == [point.name for point in before]
    assert {point.name for point in before}.isdisjoint(point.name for point in after)


@pytest.mark.parametrize(
    ("grid", "extra", "message"),
    [
        ("{lambda: [1]}", "", r"sweep_tiny.yaml: parameter 'lambda' is a Python keyword .*call it 'diversity_weight'"),
        ("{a b: [1]}", "", "parameter 'a b' is no Python identifier"),
        ("{1st: [1]}", "", "parameter '1st' is no Python identifier"),
        ("{diversity_wait: [1]}", "", "no parameter 'diversity_wait'; did you mean 'diversity_weight'"),
        ("{diversity_weight: []}", "", "grid.diversity_weight has no value"),
        ("{diversity_weight: [1, 2, 1]}", "", "grid.diversity_weight lists 1 2 times; a point is run once"),
        ("{diversity_weight: 1}", "", "grid.diversity_weight must be a list, got 1"),
        ("{diversity_weight: [2026-01-01]}", "", "is datetime.date"),
        ("{}", "", "grid: a sweep needs at least one"),
        (GRID, "parameters: {dataset: x}", "parameter 'dataset' is both in grid and in parameters"),
        (GRID, "parameters: {lambda: 1}", "'lambda' is a Python keyword"),
        (GRID, "workers: 3", "unknown key 'workers' at the top"),
        (GRID, "picture: {x: dataset, y: size, columns: help_me, metrics: []}", "picture.y: unknown 'size'; allowed"),
        (
            GRID,
            "picture: {x: dataset, y: dataset, columns: diversity_weight, metrics: [score]}",
            "x, y and columns must differ",
        ),
    ],
)
def test_faults_are_named_before_a_kernel_starts(make_sweep, grid, extra, message):
    with pytest.raises(ValueError, match=message):
        load_sweep(make_sweep(PARAMETERS, grid=grid, extra=extra))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("timeout: 60", "timeout: 0", "timeout must be above 0 seconds, got 0"),
        ("metrics: [score]", "metrics: []", "metrics: a sweep needs at least one"),
        ("id: sweep_tiny", "id: tiny", "id is 'tiny', but the file is called sweep_tiny.yaml"),
        ("point.ipynb", "none.ipynb", "notebook: there is no '.*none.ipynb'"),
    ],
)
def test_other_faults_are_named(make_sweep, old, new, message):
    path = make_sweep(PARAMETERS, grid=GRID)
    path.write_text(path.read_text("utf-8").replace(old, new), "utf-8")
    with pytest.raises(ValueError, match=message):
        load_sweep(path)


def test_notebook_without_a_cell_of_parameters_is_refused(make_sweep, tmp_path):
    """papermill would put the values above such a notebook, where they have no effect, and report success."""
    path = make_sweep(PARAMETERS, grid=GRID)
    notebook = tmp_path / "point.ipynb"
    notebook.write_text(notebook.read_text("utf-8").replace('"parameters"', '"parameter"'), "utf-8")
    with pytest.raises(ValueError, match="has no cell tagged 'parameters'"):
        load_sweep(path)


def test_unknown_sweep_names_those_that_are_there():
    with pytest.raises(ValueError, match="there is no config 'sweep_none'; there are sweep_diversity_pool"):
        load_sweep("sweep_none")


def test_values_that_json_lacks_are_kept_apart(make_sweep):
    sweep = load_sweep(make_sweep(PARAMETERS, grid="{help_me: [.nan, .inf, -.inf, null, true, 1, 1.0]}"))
    assert [str(point) for point in sweep.points][:3] == [
        'help_me={"$float": "nan"}',
        'help_me={"$float": "inf"}',
        'help_me={"$float": "-inf"}',
    ]
    restored = from_json(to_json(sweep.points[0].sought.determines))["parameters"]["help_me"]
    assert math.isnan(restored)
    assert len({point.name for point in sweep.points}) == 7
