import signal
import threading
import time

import pytest

from experiments.explainers.deadline import Deadline, OutOfTimeError

with_timers = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers here")


def stubborn(seconds):
    try:
        work(seconds)
    except OutOfTimeError:
        work(seconds)


def work(seconds):
    start = time.process_time()
    while time.process_time() < start + seconds:
        pass


def test_each_looks_before_every_item():
    done = []
    with pytest.raises(OutOfTimeError, match=r"more than 0\.02 CPU seconds"):
        done.extend(work(0.005) for _ in Deadline(0.02).each(range(50)))
    assert 0 < len(done) < 50


@with_timers
def test_interrupting_ends_code_that_catches_the_error_once():
    before = signal.getsignal(signal.SIGPROF)
    with pytest.raises(OutOfTimeError, match=r"more than 0\.05 CPU seconds"), Deadline(0.05).interrupting():
        stubborn(30)
    assert signal.getsignal(signal.SIGPROF) == before
    assert signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)


@with_timers
def test_interrupting_lets_go_of_code_that_is_in_time():
    with Deadline(60).interrupting():
        assert signal.getitimer(signal.ITIMER_PROF)[0] > 0
    assert signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)


def test_interrupting_without_a_limit_or_in_another_thread_does_nothing():
    with Deadline().interrupting():
        assert signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)
    told = []

    def run():
        with Deadline(0.01).interrupting():
            work(0.03)
            told.append("ended")

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert told == ["ended"]
