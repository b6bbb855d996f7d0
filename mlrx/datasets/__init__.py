"""Data sets: a catalogue of benchmarks, readers for own files, generators.

>>> from mlrx.datasets import make_ai4i
>>> make_ai4i(100, 0)
MultilabelData(ai4i-simulated: 100 rows, 6 features, 5 labels)
"""

from .arff import read_arff, write_arff
from .catalogue import CataloguedSet, DataFile, find
from .csv import read_csv
from .data import GeneratingRule, MultilabelData
from .fetch import DataUnavailableError
from .load import list_datasets, load_dataset

__all__ = [
    "CataloguedSet",
    "DataFile",
    "DataUnavailableError",
    "GeneratingRule",
    "MultilabelData",
    "find",
    "list_datasets",
    "load_dataset",
    "read_arff",
    "read_csv",
    "write_arff",
]
