import pytest

from experiments.reports.outcomes import Account, Outcome, read_account, write_account

FIRST = Outcome("a", "x", "done", seconds=60.0)
SECOND = Outcome("a", "y", "skipped", "no file")


def test_account_is_kept(tmp_path):
    account = Account().after([FIRST, SECOND], 61.0)
    write_account(tmp_path, account)
    assert read_account(tmp_path) == account == Account(61.0, (FIRST, SECOND))


def test_later_command_leaves_other_notebooks_alone():
    again = Outcome("a", "y", "done", seconds=2.0)
    account = Account(61.0, (FIRST, SECOND)).after([again], 2.5)
    assert account == Account(2.5, (FIRST, again))
    assert account.find("a", "y") == again
    assert account.find("b", "y") is None


def test_no_account_is_an_empty_one(tmp_path):
    assert read_account(tmp_path) == Account()


def test_torn_account_is_named_and_passed_over(tmp_path):
    (tmp_path / "outcomes.json").write_text('{"seconds": 1')
    with pytest.warns(UserWarning, match=r"outcomes\.json is no whole account"):
        assert read_account(tmp_path) == Account()
