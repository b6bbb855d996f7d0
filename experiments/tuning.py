"""Tuning: random search by cross-validation on the training rows; test rows are never looked at."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from mlrx.files import write_whole

from .baselines.cross_validation import prefix_scores
from .config import Config, Range, Tuning
from .methods import METHODS
from .records import code_digest
from .schema import build
from .seeds import derive_seed
from .splits import Split, load_split, make_folds, take
from .values import to_json


def tune(config: Config, profile: str, dataset: str, results: Path) -> dict[str, Any] | None:
    """Search for the method's parameters and number of rules on one data set.

    Every candidate is fitted once a fold with ``n_rules`` rules; each prefix of those gives the micro-F1 of that
    number of rules on the rows left out. The candidate and number with the highest mean over the folds win, the
    smaller number where two are equal.

    Parameters
    ----------
    config : Config
    profile, dataset : str
    results : Path
        Folder of the profile; the result goes to ``tuning/ID/DATASET.yaml`` in it and is read from there when it
        is up to date.

    Returns
    -------
    dict or None
        ``parameters``, ``n_rules``, ``micro_f1`` and ``trials`` (all candidates, best first); None when the config
        has no tuning or the data set is generated.

    Raises
    ------
    ValueError
        When there are fewer training rows than folds.
    """
    tuning, entry = config.tuning, config.datasets[dataset]
    if tuning is None or entry.generate is not None:
        return None
    known = _read(config, profile, dataset, results)
    if known is not None:
        return known
    import yaml

    split = load_split(dataset, entry, config.seed, 0)
    folds = make_folds(split.train.n_samples, tuning.folds, derive_seed(config.seed, dataset, "folds"))
    own = config.parameters(tuning.method, dataset, profile) | tuning.parameters
    trials = []
    for k, drawn in enumerate(draw_candidates(tuning, derive_seed(config.seed, dataset, "candidates"))):
        seed = derive_seed(config.seed, dataset, "candidate", k)
        scores = np.mean([_prefix_scores(config, own | drawn, split, rows, seed) for rows in folds], axis=0)
        best = int(scores.argmax())
        trials.append({"parameters": drawn, "n_rules": best + 1, "micro_f1": round(float(scores[best]), 6)})
    trials.sort(key=lambda trial: (-trial["micro_f1"], trial["n_rules"]))
    result = {"key": _key(config, profile, dataset), **trials[0], "trials": trials}
    write_whole(_path(config, dataset, results), yaml.safe_dump(result, sort_keys=False, allow_unicode=True))
    return result


def with_tuned(config: Config, profile: str, results: Path) -> Config:
    """Return the config with the parameters found so far; as it is where the profile does not tune."""
    if not config.profiles[profile].tune or config.tuning is None:
        return config
    datasets = dict(config.datasets)
    for name, dataset in config.datasets.items():
        found = _read(config, profile, name, results)
        if found is not None:
            method = config.tuning.method
            parameters = dataset.parameters | {method: dataset.parameters.get(method, {}) | found["parameters"]}
            datasets[name] = replace(dataset, n_rules=found["n_rules"], parameters=parameters)
    return replace(config, datasets=datasets)


def draw_candidates(tuning: Tuning, seed: int) -> Iterator[dict[str, Any]]:
    """Draw candidates: a value of each list, a number of each range, uniformly or on a logarithmic scale."""
    rng = np.random.default_rng(seed)
    for _ in range(tuning.candidates):
        yield {name: _draw(rng, space) for name, space in tuning.space.items()}


def _draw(rng: np.random.Generator, space: Range | tuple[Any, ...]) -> Any:
    if isinstance(space, tuple):
        return space[rng.integers(len(space))]
    if space.log:
        number = math.exp(rng.uniform(math.log(space.low), math.log(space.high)))
    else:
        number = rng.uniform(space.low, space.high)
    return float(f"{number:.4g}")


def _prefix_scores(config: Config, parameters: dict[str, Any], split: Split, rows: np.ndarray, seed: int) -> np.ndarray:
    """Return the micro-F1 on the given training rows of every prefix of the rules learned on the others."""
    train = split.train
    others = np.setdiff1d(np.arange(train.n_samples), rows)
    fold = Split(split.name, take(train, others), take(train, rows), "fold")
    kind = METHODS[config.methods[config.tuning.method].kind]
    rules = kind.fit(fold, config.tuning.n_rules, seed, parameters).rules
    return prefix_scores(rules, config.tuning.n_rules, fold.test.X, fold.test.Y, config.zero_division)


def _key(config: Config, profile: str, dataset: str) -> str:
    """Return what the result depends on, as a short digest."""
    tuning = config.tuning
    parts = (config.datasets[dataset], config.methods[tuning.method], tuning)
    over_all = config.profiles[profile].parameters.get(tuning.method, {})
    depends = [config.seed, config.zero_division, dataset, over_all, *map(asdict, parts)]
    return hashlib.sha256(to_json([*depends, code_digest()]).encode()).hexdigest()[:16]


def _path(config: Config, dataset: str, results: Path) -> Path:
    return results / "tuning" / config.id / f"{dataset}.yaml"


def _read(config: Config, profile: str, dataset: str, results: Path) -> dict[str, Any] | None:
    import yaml

    path = _path(config, dataset, results)
    if not path.exists():
        return None
    try:
        found = build(dict[str, Any], yaml.safe_load(path.read_text(encoding="utf-8")))
    except (ValueError, yaml.YAMLError):
        return None
    return found if found.get("key") == _key(config, profile, dataset) else None
