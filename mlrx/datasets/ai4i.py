"""A simulator of the process behind the AI4I 2020 predictive maintenance data."""

from __future__ import annotations

from numbers import Integral

import numpy as np
import pandas as pd
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, validate_params

from .data import MultilabelData

TYPES = ("L", "M", "H")  # quality of the product
TYPE_SHARES = (0.5, 0.3, 0.2)
WEAR_OF_TYPE = np.array([2, 3, 5])  # min a process
OVERSTRAIN_OF_TYPE = np.array([11000, 12000, 13000])  # min Nm
TOOL_LIFE = (200, 240)  # min
TOOL_FAILURE_SHARE = 46 / 119  # of the file's 119 worn tools 46 failed, the others were replaced in time
RANDOM_FAILURE_SHARE = 0.001
FEATURES = (
    "Type",
    "Air temperature [K]",
    "Process temperature [K]",
    "Rotational speed [rpm]",
    "Torque [Nm]",
    "Tool wear [min]",
)
LABELS = ("TWF", "HDF", "PWF", "OSF", "RNF")


@validate_params(
    {"n_samples": [Interval(Integral, 2, None, closed="left")], "random_state": ["random_state"]},
    prefer_skip_nested_validation=True,
)
def make_ai4i(n_samples: int = 10_000, random_state: int | np.random.RandomState | None = None) -> MultilabelData:
    """Simulate milling processes and the causes of their failures, as in the AI4I 2020 data [1]_.

    Parameters
    ----------
    n_samples : int
        Number of processes, one after the other on one machine; at least 2.
    random_state : int, RandomState or None
        Seed; one generator serves the whole call.

    Returns
    -------
    MultilabelData
        Features: Type (nominal L, M, H: quality of the product), air and process temperature (K, one decimal),
        rotational speed (rpm, whole), torque (Nm, one decimal) and tool wear (min) before the process. Labels, all
        computed from these values as they stand but for TWF and RNF: tool wear (TWF), heat dissipation (HDF), power
        (PWF), overstrain (OSF) and random failure (RNF).

    Raises
    ------
    ValueError
        If ``n_samples`` or ``random_state`` is out of its range.

    Notes
    -----
    - Type: L, M, H with 50, 30, 20 %.
    - Air temperature: a random walk brought to mean 300 K and standard deviation 2 K. Process temperature: air + 10 K
      plus a walk of standard deviation 1 K.
    - Torque: normal, 40 Nm, sd 10 Nm, its absolute value. Speed: exp(8.684 - 0.370 ln torque + e), e normal with sd
      0.0355, which gives the power of the published file, 6280 W with sd 1067 W (its description says 2860 W, where
      every process would be a power failure).
    - Tool wear grows by 2, 3, 5 min a process for L, M, H. A tool ends in the process in which it reaches a wear
      drawn uniformly from 200 to 240 min: it fails (TWF), or is replaced in time, in the proportion of the published
      file, 46 to 73. The next process starts at wear 0.
    - HDF: process - air temperature < 8.6 K and speed < 1380 rpm. PWF: power below 3500 W or above 9000 W. OSF: wear
      times torque above 11000, 12000, 13000 min Nm for L, M, H. RNF: 0.1 % of the processes.

    Cost: O(n_samples).

    References
    ----------
    .. [1] S. Matzka, "Explainable artificial intelligence for predictive maintenance applications", AI4I 2020,
       doi:10.1109/AI4I49448.2020.00023.

    Examples
    --------
    >>> data = make_ai4i(1000, random_state=0)
    >>> data
    MultilabelData(ai4i-simulated: 1000 rows, 6 features, 5 labels)
    """
    rng = check_random_state(random_state)
    type_ = rng.choice(len(TYPES), n_samples, p=TYPE_SHARES)
    air = 300 + _walk(n_samples, 2.0, rng)
    process = air + 10 + _walk(n_samples, 1.0, rng)
    torque = np.abs(rng.normal(40, 10, n_samples))
    speed = np.exp(8.684 - 0.370 * np.log(torque) + rng.normal(0, 0.0355, n_samples))
    air, process, torque, speed = air.round(1), process.round(1), torque.round(1), speed.round()
    wear, tool_failure = _wear(WEAR_OF_TYPE[type_], rng)
    causes = failure_causes(type_, air, process, speed, torque, wear)
    random_failure = rng.random_sample(n_samples) < RANDOM_FAILURE_SHARE
    columns = (pd.Categorical.from_codes(type_, list(TYPES)), air, process, speed, torque, wear.astype(float))
    return MultilabelData(
        X=pd.DataFrame(dict(zip(FEATURES, columns))),
        Y=np.column_stack([tool_failure, causes, random_failure]),
        feature_names=FEATURES,
        label_names=LABELS,
        kinds=("nominal", *["numeric"] * 5),
        name="ai4i-simulated",
    )


def _walk(n: int, sd: float, rng: np.random.RandomState) -> np.ndarray:
    """Draw a random walk of n steps, brought to mean 0 and the given standard deviation."""
    walk = np.cumsum(rng.normal(size=n))
    return (walk - walk.mean()) * (sd / walk.std())


def _wear(growth: np.ndarray, rng: np.random.RandomState) -> tuple[np.ndarray, np.ndarray]:
    """Wear before each process (min), and whether the tool fails in it; growth is what each process adds (min)."""
    total = np.concatenate([[0], np.cumsum(growth)])
    wear = np.empty_like(growth)
    failed = np.zeros(len(growth), dtype=bool)
    start = 0
    while start < len(growth):
        life = rng.uniform(*TOOL_LIFE)
        last = np.searchsorted(total, total[start] + life) - 1  # the process after which the life is reached
        wear[start : last + 1] = total[start : min(last + 1, len(growth))] - total[start]
        if last < len(growth):
            failed[last] = rng.random_sample() < TOOL_FAILURE_SHARE
        start = last + 1
    return wear, failed


def failure_causes(
    type_: np.ndarray, air: np.ndarray, process: np.ndarray, speed: np.ndarray, torque: np.ndarray, wear: np.ndarray
) -> np.ndarray:
    """Tell the failures that follow from the measured values.

    Parameters
    ----------
    type_ : ndarray of int, shape (n_samples,)
        0, 1, 2 for L, M, H.
    air, process, speed, torque, wear : ndarray of shape (n_samples,)
        In K, K, rpm, Nm and min.

    Returns
    -------
    ndarray of bool, shape (n_samples, 3)
        HDF, PWF, OSF.
    """
    power = torque * speed * (2 * np.pi / 60)  # W
    heat = (process - air < 8.6) & (speed < 1380)
    return np.column_stack([heat, (power < 3500) | (power > 9000), wear * torque > OVERSTRAIN_OF_TYPE[type_]])
