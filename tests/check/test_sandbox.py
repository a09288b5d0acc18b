"""Children that crash, hang, print and raise: the parent survives, and the next question is answered."""

import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from autotune.measure.outcome import Failed, Job, Sampled
from autotune.measure.workers import run_job
from autotune.space import Candidate
from rv.internal_error import InternalError
from tensorrv.check.sandbox import Crashed, Hung, OutOfMemory, Sandbox

CHILD = '''
import os, signal, sys, time
from autotune.measure.outcome import Sampled
count = 0
def answer(request, note):
    global count
    count += 1
    what = getattr(getattr(request, "candidate", None), "plan", request)
    match what:
        case "segfault": os.kill(os.getpid(), signal.SIGSEGV)
        case "exit": os._exit(7)
        case "hang": time.sleep(60)
        case "print": print("noise"); sys.stdout.flush()
        case "raise": raise ValueError("no")
        case "pid": return os.getpid()
        case "big": return b"x" * 5_000_000
        case "sample": return Sampled((1.0, 2.0))
        case "memory": bytearray(1 << 50)
        case "note": note({"at": 1}); note({"at": 2}); os.kill(os.getpid(), signal.SIGSEGV)
        case "late": note("first"); time.sleep(1.2); note("second"); time.sleep(1.2)
        case "stuck": note("here"); time.sleep(60)
    return count
'''


@pytest.fixture
def answers(tmp_path, monkeypatch):
    name = f"child_{os.getpid()}_{tmp_path.name}"
    (tmp_path / f"{name}.py").write_text(CHILD)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    return f"{name}:answer"


def test_state_stays_between_questions(answers):
    box = Sandbox(answers)
    assert [box.ask("x", 10), box.ask("x", 10)] == [1, 2]
    assert len(box.ask("big", 10)) == 5_000_000
    assert box.ask("print", 10) == 4, "what a child prints must not be taken for an answer"
    box.close()


@pytest.mark.parametrize("how, why", [("segfault", "SIGSEGV"), ("exit", "status 7")])
def test_a_crash_is_reported_and_a_new_child_answers(answers, how, why, capfd):
    box = Sandbox(answers)
    box.ask("x", 10)
    with pytest.raises(Crashed, match=why):
        box.ask(how, 10)
    assert box.ask("x", 10) == 1
    box.close()


def test_what_a_child_raises_is_a_bug_of_ours(answers, capfd, monkeypatch):
    box = Sandbox(answers)
    with pytest.raises(InternalError, match="ValueError: no\nat .*answer"):
        box.ask("raise", 10)
    assert box.ask("x", 10) == 1
    assert capfd.readouterr() == ("", "")
    with pytest.raises(InternalError):
        run_job(Job(b"", Candidate("raise"), 2), 10.0, answers)
    box.close()
    monkeypatch.setenv("TENSORRV_TRACEBACK", "1")
    with pytest.raises(InternalError):
        Sandbox(answers).ask("raise", 10)
    assert "Traceback" in capfd.readouterr().err


def test_a_child_that_hangs_is_killed(answers):
    box = Sandbox(answers)
    child = box.ask("pid", 10)
    started = time.monotonic()
    with pytest.raises(Hung, match=r"0.3 s"):
        box.ask("hang", 0.3)
    assert time.monotonic() - started < 5
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)
    assert box.ask("x", 10) == 1
    box.close()


def test_a_child_that_is_killed_from_outside(answers):
    box = Sandbox(answers)
    os.kill(box.ask("pid", 10), signal.SIGKILL)
    with pytest.raises(Crashed, match="SIGKILL"):
        box.ask("x", 10)
    assert box.ask("x", 10) == 1
    box.close()


def test_a_child_that_hangs_does_not_outlive_a_killed_parent(answers):
    program = f"""
import sys, threading, time
sys.path[:] = {sys.path!r}
from rv.internal_error import InternalError
from tensorrv.check.sandbox import Sandbox
box = Sandbox({answers!r})
print(box.ask("pid", 10), flush=True)
box.ask("hang", 60)
"""
    parent = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    child = int(parent.stdout.readline())
    time.sleep(0.2)
    parent.kill()
    parent.wait()
    for _ in range(50):
        if not os.path.exists(f"/proc/{child}") or "State:\tZ" in open(f"/proc/{child}/status").read():
            return
        time.sleep(0.1)
    os.kill(child, signal.SIGKILL)
    pytest.fail("the child is still there")


def test_jobs_have_outcomes_whatever_happens(answers):
    def outcome(plan):
        return run_job(Job(b"", Candidate(plan), 2), 0.5 if plan == "hang" else 10.0, answers)

    assert outcome("sample") == Sampled((1.0, 2.0))
    assert outcome("hang") == Failed("hung", "no answer within 0.5 s")
    assert outcome("segfault") == Failed("crashed", "the process was ended by SIGSEGV")
    assert outcome("sample") == Sampled((1.0, 2.0))


def test_closing_ends_a_wait_in_another_thread(answers):
    box = Sandbox(answers)
    box.ask("x", 10)
    found = []

    def wait():
        try:
            box.ask("hang", 60)
        except Crashed as death:
            found.append(str(death))

    thread = threading.Thread(target=wait)
    thread.start()
    time.sleep(0.3)
    box.close()
    thread.join(5)
    assert found == ["the process was ended by SIGKILL"]


def test_the_last_note_comes_with_the_failure(answers):
    box = Sandbox(answers)
    with pytest.raises(Crashed) as crash:
        box.ask("note", 10)
    assert (crash.value.during, crash.value.signal) == ({"at": 2}, signal.SIGSEGV)
    with pytest.raises(Hung) as silence:
        box.ask("stuck", 0.3)
    assert silence.value.during == "here"
    box.close()


def test_notes_begin_the_time_limit_anew(answers):
    box = Sandbox(answers)
    assert box.ask("x", 10) == 1
    assert box.ask("late", 2.0) == 2
    box.close()


def test_memory_that_is_not_there(answers, capfd):
    box = Sandbox(answers)
    with pytest.raises(OutOfMemory, match="memory was exhausted"):
        box.ask("memory", 10)
    assert box.ask("x", 10) == 1
    box.close()
    assert run_job(Job(b"", Candidate("memory"), 2), 10.0, answers) == Failed("crashed", "memory was exhausted")
    assert "Traceback" not in capfd.readouterr().err
