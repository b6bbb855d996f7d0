import os
import subprocess
import sys

import numpy as np
import pytest

from experiments.seeds import NOT_REPRODUCIBLE, derive_seed, seed_entry


def test_seed_is_the_same_in_every_process():
    code = "from experiments.seeds import derive_seed; print(derive_seed(7, 'medical', 0))"
    environment = {**os.environ, "PYTHONHASHSEED": "17"}
    other = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    assert derive_seed(7, "medical", 0) == int(other.stdout) == 1140427265


def test_every_part_counts():
    seeds = [
        derive_seed(7, *parts) for parts in (("a", 0), ("a", 1), ("b", 0), ("a", 0, "corset"), ("a0",), ("a", "0"))
    ]
    assert len({*seeds, derive_seed(8, "a", 0)}) == 7
    assert all(1 <= seed < 2**31 for seed in seeds)


@pytest.mark.parametrize(
    ("random_state", "entry"),
    [(3, 3), (np.int64(3), 3), (None, NOT_REPRODUCIBLE), (np.random.RandomState(3), NOT_REPRODUCIBLE)],
)
def test_record_says_whether_a_run_can_be_repeated(random_state, entry):
    assert seed_entry(random_state) == entry


@pytest.mark.parametrize("random_state", [np.random.default_rng(3), -1, 2**32, "3", True])
def test_other_random_states_are_refused_by_name(random_state):
    with pytest.raises(ValueError, match="random_state"):
        seed_entry(random_state)
