"""The tasks by the names that configs use."""

from . import describing, explaining, predicting, sampling
from .task import Task

TASKS: dict[str, Task] = {
    "describe": describing.TASK,
    "explain": explaining.TASK,
    "predict": predicting.TASK,
    "sample": sampling.TASK,
}
