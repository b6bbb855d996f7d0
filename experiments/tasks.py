"""The tasks by the names that configs use."""

from . import explaining, predicting
from .task import Task

TASKS: dict[str, Task] = {"explain": explaining.TASK, "predict": predicting.TASK}
