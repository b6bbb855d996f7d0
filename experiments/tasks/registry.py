"""The tasks by the names that configs use."""

from . import copying, describing, explaining, predicting, sampling
from .task import Task

TASKS: dict[str, Task] = {
    "copy": copying.TASK,
    "describe": describing.TASK,
    "explain": explaining.TASK,
    "predict": predicting.TASK,
    "sample": sampling.TASK,
}
