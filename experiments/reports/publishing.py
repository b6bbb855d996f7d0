"""What is tracked of the results: the tables of a profile; README's follow them."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from io import StringIO
from pathlib import Path

import pandas as pd

from mlrx.files import write_whole

from ..files import RESULTS
from ..loading import list_configs, load_config
from ..study import unfinished
from . import tables
from .findings import STUDIES, Findings, gather, logs, write_studies
from .readme import README, with_blocks

PUBLISHED = RESULTS / "published"


def publish(
    profile: str,
    names: Sequence[str | Path] = (),
    results: Path = RESULTS,
    tracked: Path = PUBLISHED,
    readme: Path = README,
) -> list[str]:
    """Replace the tracked tables of a profile by those of its records, and README's tables with them.

    Parameters
    ----------
    profile : str
    names : sequence of str or Path, default=()
        Ids of configs. None stands for all studies: then every run must be done, and tables of studies that are gone
        are removed. Else only the tables of these studies are replaced, as far as their runs are done.
    results : Path
        Folder that holds one folder a profile.
    tracked : Path
        The tracked copies are in ``tracked/PROFILE``.
    readme : Path

    Returns
    -------
    list of str
        For each study and data set how many of its runs are done.

    Raises
    ------
    ValueError
        When there is no such config, when no run of a named study is done, or, without names, when a run is missing or
        failed; the first few are named. Then nothing is changed.
    """
    findings = gather([load_config(name) for name in names or list_configs()], profile, results)
    _check(findings, profile, is_part=bool(names))
    folder = tracked / profile
    if not names:
        shutil.rmtree(folder, ignore_errors=True)
    _replace(findings, folder)
    write_whole(readme, with_blocks(readme.read_text(encoding="utf-8"), tracked))
    return [
        f"{row.study} on {row.dataset}: {row.done} of {row.runs} runs" for row in logs(findings)[STUDIES].itertuples()
    ]


def _check(findings: list[Findings], profile: str, is_part: bool) -> None:
    """Refuse named studies without a finished run, and all studies when a run of any is unfinished."""
    empty = [found.config.id for found in findings if not found.pairs]
    if is_part and empty:
        raise ValueError(f"no run of {', '.join(empty)} in {profile} is done; nothing is published")
    missing = [f"{found.config.id}: {line}" for found in findings for line in unfinished(found.runs)]
    if missing and not is_part:
        shown = "\n  ".join(missing[:10])
        raise ValueError(
            f"{len(missing)} runs of {profile} are not done; nothing is published (name studies to publish them as far "
            f"as they are done):\n  {shown}"
        )


def _replace(findings: list[Findings], folder: Path) -> None:
    """Write the tables of the studies, and their rows in the tables over all; leave those of others alone."""
    for found in findings:
        for path in [*folder.glob(f"{found.config.id}.*"), *folder.glob(f"{found.config.id}-published.*")]:
            path.unlink()
    write_studies(findings, folder)
    ids = {found.config.id for found in findings}
    for name, frame in logs(findings).items():
        path, rows = folder / f"{name}.csv", _as_text(tables.to_csv(frame))
        if path.exists():
            before = _as_text(path.read_text(encoding="utf-8"))
            rows = pd.concat([before[~before["study"].isin(ids)], rows]).fillna("").sort_values("study", kind="stable")
        tables.write_csv(path, rows)


def _as_text(csv: str) -> pd.DataFrame:
    """Return the cells of a CSV as the text that they are."""
    return pd.read_csv(StringIO(csv), dtype=str, keep_default_na=False)
