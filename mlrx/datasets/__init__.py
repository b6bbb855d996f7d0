"""Data sets: a catalogue of benchmarks, readers for own files, generators.

>>> from mlrx.datasets import make_ai4i
>>> make_ai4i(100, 0)
MultilabelData(ai4i-simulated: 100 rows, 6 features, 5 labels)
"""

from .ai4i import make_ai4i
from .arff import read_arff, write_arff
from .csv import read_csv
from .data import GeneratingRule, MultilabelData
from .fetch import DataUnavailableError
from .ground_truth import make_ground_truth
from .load import list_datasets, load_dataset

__all__ = [
    "DataUnavailableError",
    "GeneratingRule",
    "MultilabelData",
    "list_datasets",
    "load_dataset",
    "make_ai4i",
    "make_ground_truth",
    "read_arff",
    "read_csv",
    "write_arff",
]
