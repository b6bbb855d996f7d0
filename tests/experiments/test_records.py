import json
import math
import os
import subprocess
import sys
from dataclasses import replace
from datetime import datetime

import pytest

from experiments import records
from experiments.records import DONE, FAILED, Record, RecordStore
from experiments.runs import Run

RECORD = Record(
    {"dataset": "made", "method": "corset", "seed": 3, "parameters": {"a": math.inf, "b": None, "c": [True, 10**30]}},
    DONE,
    True,
    metrics=({"asked": 2, "micro_f1": 0.5}, {"asked": None, "micro_f1": None}),
    seconds={"fit": 0.25, "rules": [0.125]},
)


@pytest.fixture
def store(tmp_path):
    return RecordStore(tmp_path / "records")


def test_record_is_restored(store):
    path = store.write(RECORD)
    assert store.read() == [RECORD]
    assert store.read("made") == [RECORD]
    assert store.read("mad") == []
    assert store.find(Record(RECORD.determines, FAILED, True)) == RECORD
    assert path.name == f"made-corset-{RECORD.id}.json"
    assert [p.name for p in store.folder.iterdir()] == [path.name]
    json.loads(path.read_text("utf-8"), parse_constant=pytest.fail)


def test_id_follows_from_what_determines_the_result_alone():
    again = Record(dict(reversed(RECORD.determines.items())), FAILED, False, error="x")
    assert again.id == RECORD.id == "3e719a6949aa7bbb"
    other = Record({**RECORD.determines, "seed": 4}, DONE, True)
    assert other.id != RECORD.id


def test_torn_record_is_named_and_not_counted(store):
    """A record cut short by a crash must neither count nor stop the next run."""
    path = store.write(RECORD)
    path.write_text(path.read_text("utf-8")[:-40], "utf-8")
    with pytest.warns(UserWarning, match=path.name):
        assert store.read() == []
    with pytest.warns(UserWarning, match=path.name):
        assert store.find(RECORD) is None
    store.write(RECORD)
    assert store.find(RECORD) == RECORD


@pytest.mark.parametrize("text", ["[1]", "{}", '{"format": "mlrx.record", "version": 99}', "\ufeff{}", "\x00"])
def test_foreign_file_is_named_and_not_counted(store, text):
    store.write(RECORD)
    (store.folder / "notes.json").write_text(text, "utf-8")
    with pytest.warns(UserWarning, match=r"notes\.json"):
        assert store.read() == [RECORD]


def test_record_under_another_name_is_not_counted(store):
    path = store.write(RECORD)
    path.rename(path.with_name("copy.json"))
    with pytest.warns(UserWarning, match=r"copy\.json"):
        assert store.read() == []


def test_file_being_written_is_passed_over(store, recwarn):
    store.write(RECORD)
    (store.folder / ".0123.tmp").write_text("{", "utf-8")
    assert store.read() == [RECORD]
    assert not recwarn


@pytest.mark.parametrize("zone", ["Pacific/Auckland", "America/Caracas"])
def test_times_are_utc_in_every_zone(zone):
    """Stored times once depended on the zone of the machine."""
    code = "from experiments.records import now; print(now())"
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={**os.environ, "TZ": zone}
    )
    stored = datetime.fromisoformat(result.stdout.strip())
    assert result.stdout.strip().endswith("+00:00")
    assert abs((datetime.now(stored.tzinfo) - stored).total_seconds()) < 60


def test_change_of_a_source_is_seen(monkeypatch, tmp_path):
    (tmp_path / "mlrx").mkdir()
    source = tmp_path / "mlrx" / "rules.py"
    source.write_text("a = 1")
    monkeypatch.setattr(records, "ROOT", tmp_path)
    records.code_digest.cache_clear()
    try:
        before = records.code_digest()
        assert not records.code_changed()
        source.write_text("a = 2")
        assert records.code_changed()
        assert records.code_digest() == before
        source.write_text("a = 1")
        # Pictures change no result.
        (tmp_path / "mlrx" / "plotting").mkdir()
        (tmp_path / "mlrx" / "plotting" / "style.py").write_text("b = 1")
        assert not records.code_changed()
    finally:
        records.code_digest.cache_clear()


def test_run_without_a_seed_is_called_not_reproducible():
    run = Run("predict", "made", "corset", "corset", 0, (2,), {}, None, ("micro_f1",), 0)
    record = run.sought("0" * 64)
    assert (record.reproducible, record.determines["seed"]) == (False, "not reproducible")
    assert replace(run, random_state=3).sought("0" * 64).reproducible
