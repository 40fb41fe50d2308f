"""Long calls and the rest of the program: signals, other threads, forks, other interpreters."""

from __future__ import annotations

import functools
import gc
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
import time
from typing import Any, Callable, Iterator

import kumihimo
import pytest
from kumihimo import msgpack

# Long documents, made when a test first asks for them.
@functools.cache
def rows() -> Any:
    return [{"id": i, "name": f"name {i}", "n": [i, i + 0.5, None, True], "é": "ü"} for i in range(300_000)]


@functools.cache
def long() -> bytes:
    return kumihimo.dumps(rows())


@functools.cache
def packed() -> bytes:
    return msgpack.packb(rows())


# For what looks for signals every 50 ms only.
@functools.cache
def longer() -> bytes:
    return b"[" + b",".join([long()] * 5) + b"]"


@functools.cache
def longer_packed() -> bytes:
    return msgpack.packb([rows()] * 5)


@functools.cache
def numbers(n: int) -> bytes:
    return b"[" + b"1.5," * n + b"2]"


@functools.cache
def texts() -> bytes:
    return b"[" + b'"x",' * 12_000_000 + b"null]"


class Rang(Exception):
    pass


@pytest.fixture
def alarm() -> Iterator[Callable[[float, Callable[[], None]], None]]:
    """alarm(seconds, action): a signal after so long; its handler runs the action."""
    before = signal.getsignal(signal.SIGALRM)

    def set_alarm(seconds: float, action: Callable[[], None]) -> None:
        signal.signal(signal.SIGALRM, lambda *_: action())
        signal.setitimer(signal.ITIMER_REAL, seconds)

    yield set_alarm
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


def ring() -> None:
    raise Rang


class Pair(dict):  # type: ignore[type-arg]
    pass


WORK: dict[str, Callable[[], Any]] = {
    "dumps": lambda: kumihimo.dumps(rows()),
    "dumps of numbers": lambda: kumihimo.dumps(list(range(3_000_000))),
    "dumps with indent": lambda: kumihimo.dumps(rows(), indent=2),
    "dumps of numbers with indent": lambda: kumihimo.dumps([list(range(3_000_000))], indent=2),
    "dumps sorted": lambda: kumihimo.dumps(rows(), sort_keys=True),
    "dumps of one dict": lambda: kumihimo.dumps({str(i): i for i in range(1_000_000)}, indent=1),
    "dumps of empty lists": lambda: kumihimo.dumps([[]] * 8_000_000),
    "packb": lambda: msgpack.packb(rows()),
    "loads": lambda: kumihimo.loads(long()),
    "loads of numbers": lambda: kumihimo.loads(numbers(3_000_000)),
    "loads of lists": lambda: kumihimo.loads(b"[" + b"[[]," * 1 + b"[]]," * 1 + b"[1]," * 2_000_000 + b"[]]"),
    "loads with Decimal": lambda: kumihimo.loads(long(), decimal=True),
    "unpackb": lambda: msgpack.unpackb(packed()),
    "unpackb with a hook": lambda: msgpack.unpackb(packed(), ext_hook=print),
    "convert": lambda: kumihimo.convert(longer(), "json", "msgpack"),
    "convert to JSON": lambda: kumihimo.convert(longer_packed(), "msgpack", "json"),
    "convert of numbers": lambda: kumihimo.convert(numbers(12_000_000), "json", "msgpack"),
    "convert of texts": lambda: kumihimo.convert(texts(), "json", "json"),
    "lazy of numbers": lambda: kumihimo.lazy(numbers(12_000_000)),
    "lazy of texts": lambda: kumihimo.lazy(texts()),
    "lazy value": lambda: kumihimo.lazy(long()).value(),
}


@pytest.fixture
def metronome() -> Iterator[Callable[[float, Callable[[], None]], None]]:
    """metronome(seconds, action): a signal each time so much has passed; metronome(0, action): no more."""
    before = signal.getsignal(signal.SIGALRM)

    def beat(seconds: float, action: Callable[[], None]) -> None:
        signal.signal(signal.SIGALRM, lambda *_: action())
        signal.setitimer(signal.ITIMER_REAL, seconds, seconds)

    yield beat
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("name", list(WORK))
def test_a_signal_is_answered_during_long_work(name: str, metronome: Any) -> None:
    """Three times around one call: at each of its two edges one is answered anyway. No clock judges: the call is repeated until it was seen, for at most a minute."""
    work = WORK[name]
    work()  # what it works on is made
    answered = best = 0

    def count() -> None:
        nonlocal answered
        answered += 1

    patience = time.monotonic() + 60
    while best < 3 and time.monotonic() < patience:
        answered = 0
        metronome(0.002, count)
        result = work()
        best = max(best, answered)
        metronome(0, count)
        del result
    assert best >= 3, "the handler never ran before the call's end"

    ended = strikes = False

    def strike() -> None:
        nonlocal answered
        answered += 1
        if strikes and answered == 3:
            raise Rang

    patience = time.monotonic() + 60
    while not ended and time.monotonic() < patience:
        answered, strikes = 0, True
        try:
            metronome(0.002, strike)
            work()
            strikes = False
        except Rang:
            ended = True
        metronome(0, strike)
    assert ended, "the handler's exception never came"
    assert gc.isenabled()


def test_nothing_is_kept_of_what_was_interrupted(alarm: Any) -> None:
    document = kumihimo.dumps([{"k": "x" * 100, "n": [1.5, 10**30]}] * 30_000)
    value = kumihimo.loads(document)
    marker = "k" + str(os.getpid())
    value.append({marker: marker})
    before = sys.getrefcount(value), sys.getrefcount(value[5])
    rang = attempt = 0
    patience = time.monotonic() + 60
    while attempt < 60 or (rang == 0 and time.monotonic() < patience):
        attempt += 1
        alarm(0.0005 * (attempt % 12 + 1), ring)
        try:
            kumihimo.dumps(value)
            kumihimo.loads(document)
            try:
                msgpack.packb(value)
            except kumihimo.EncodeError:  # 10**30
                pass
            signal.setitimer(signal.ITIMER_REAL, 0)
        except Rang:
            rang += 1
    assert rang > 0
    assert (sys.getrefcount(value), sys.getrefcount(value[5])) == before
    assert kumihimo.loads(kumihimo.dumps(value)) == value


@pytest.mark.parametrize("options", [{}, {"indent": 1}, {"sort_keys": True}])
def test_a_handler_may_change_what_is_walked(options: dict[str, Any], alarm: Any) -> None:
    """Whatever it does, the call ends with a document or an error, and every value that it still walks is alive."""
    inside = attempt = 0
    patience = time.monotonic() + 60
    while attempt < 25 or (inside < 3 and time.monotonic() < patience):
        attempt += 1
        value: Any = {"rows": [{"id": i, "text": "x" * 20, "in": [[f"{i}"], {"d": f"{i}"}]} for i in range(20_000)], "z": 1}
        inner = value["rows"]
        done: list[bool] = []

        def change() -> None:
            done.append(True)
            if attempt % 5 == 0:
                inner.clear()
            elif attempt % 5 == 1:
                inner[:] = [None] * len(inner)
            elif attempt % 5 == 2:
                value.clear()
            elif attempt % 5 == 3:
                for row in inner:
                    row.pop("in", None)
                    row["new"] = "y" * 30
            else:
                inner.extend([1, 2, 3])
            kumihimo.loads(kumihimo.dumps({"inside": ["another", 1]}))

        made = kumihimo.loads(kumihimo.dumps(value))
        alarm(0.0003 + 0.0004 * (attempt % 6), change)
        try:
            text = kumihimo.dumps(value, **options)
        except RuntimeError as error:
            signal.setitimer(signal.ITIMER_REAL, 0)
            assert "changed" in str(error) and done
            inside += 1
        else:
            signal.setitimer(signal.ITIMER_REAL, 0)
            read = kumihimo.loads(text)
            # It ran before the call's end if the call saw some of it, and after the beginning if not all.
            inside += bool(done) and read != made and read != kumihimo.loads(kumihimo.dumps(value))
    assert inside >= 3, "no handler ran in the middle of a call"


def test_a_handler_in_loads_may_use_the_package_and_the_collector(alarm: Any) -> None:
    seen = []

    def use() -> None:
        seen.append((gc.isenabled(), kumihimo.loads(b'{"id":1}'), kumihimo.dumps(rows()[:10])))
        gc.collect()
        gc.disable()

    expected, text = rows(), long()
    patience = time.monotonic() + 60
    try:
        while not seen and time.monotonic() < patience:
            gc.enable()
            alarm(0.02, use)
            got = kumihimo.loads(text)
            signal.setitimer(signal.ITIMER_REAL, 0)
            assert got == expected
        assert seen and seen[0][0] and seen[0][1] == {"id": 1}
        assert not gc.isenabled()  # what the handler left
    finally:
        gc.enable()


def test_other_threads_run_during_loads() -> None:
    """A thread that only wants the GIL now and then gets it while a document is read: three times, as at the edges of a call it may get it anyway.

    On a machine whose cores are taken the thread may miss many calls; one that is shut out misses all."""
    stop = threading.Event()
    ticks: list[float] = []

    def tick() -> None:
        while not stop.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    try:
        for work in (lambda: kumihimo.loads(long()), lambda: msgpack.unpackb(packed()), lambda: kumihimo.convert(long(), "json", "msgpack"), lambda: kumihimo.lazy(long())):
            best = 0
            patience = time.monotonic() + 60
            while best < 3 and time.monotonic() < patience:
                ticks.clear()
                start = time.perf_counter()
                work()
                end = time.perf_counter()
                best = max(best, sum(start < t < end for t in list(ticks)))
            assert best >= 3, "a thread stood still"
    finally:
        stop.set()
        thread.join()


def test_a_lazy_document_and_a_partial_in_many_threads() -> None:
    document = kumihimo.lazy(long())
    wanted = kumihimo.partial(["/7/name", "/299999/id"])
    frame = b'{"a":{"b":[1,2,{"c":"x"}]}}'
    small = kumihimo.partial(["a.b[2].c"])
    wrong = []

    def use(seed: int) -> None:
        try:
            for i in range(seed, 300_000, 9_973):
                if document[i]["id"] != i or document[i]["n"].value() != rows()[i]["n"] or small(frame) != ("x",):
                    wrong.append(i)
                if i % 5 == 0 and document[i]["n"].raw != kumihimo.dumps(rows()[i]["n"]):
                    wrong.append(i)
            if wanted(long()) != ("name 7", 299_999) or wanted.many([long()]) != [("name 7", 299_999)]:
                wrong.append(seed)
        except BaseException as error:
            wrong.append(error)

    threads = [threading.Thread(target=use, args=(n,)) for n in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


@pytest.mark.skipif(not hasattr(os, "fork"), reason="not proven: no fork here")
def test_after_a_fork() -> None:
    """In a child all of it works as in its parent: lazy documents, partials, what is kept between calls."""
    code = """
    import os, pickle, threading, kumihimo
    text = kumihimo.dumps([{"id": i, "t": "x" * 50} for i in range(20000)])
    document, wanted, each = kumihimo.lazy(text), kumihimo.partial(["/5/id"]), iter(kumihimo.lazy(text))
    next(each), document[3]["id"]
    busy = threading.Thread(target=lambda: [kumihimo.convert(text, "json", "msgpack") for _ in range(50)])
    busy.start()
    for _ in range(5):
        child = os.fork()
        if child == 0:
            ok = document[7]["id"] == 7 and wanted(text) == (5,) and next(each)["id"] == 1 and document[9].raw.startswith(b"{")
            ok = ok and kumihimo.loads(kumihimo.dumps(document.value())) == kumihimo.loads(text)
            ok = ok and pickle.loads(pickle.dumps(wanted))(text) == (5,) and kumihimo.convert(text, "json", "json") == text
            os._exit(0 if ok else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    busy.join()
    """
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


OTHER_INTERPRETERS = """
import importlib
for name in ("_xxsubinterpreters", "_interpreters"):
    try:
        interpreters = importlib.import_module(name)
        break
    except ImportError:
        pass
else:
    raise SystemExit(77)

def run(code):
    # By the oldest rules, where there is a choice: one GIL, and nobody asks the module.
    try:
        one = interpreters.create("legacy")
    except TypeError:
        one = interpreters.create(isolated=False)
    said = interpreters.run_string(one, code)
    assert said is None, said
    interpreters.destroy(one)

REFUSED = '''
import kumihimo  # loads nothing but itself
try:
    kumihimo.loads
except ImportError as error:
    assert "another interpreter of this process" in str(error), error
else:
    raise AssertionError("it was loaded")
'''
"""


def in_a_process(code: str) -> None:
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", OTHER_INTERPRETERS + textwrap.dedent(code)], capture_output=True, text=True, timeout=60)
    if done.returncode == 77:
        pytest.skip("not proven: this Python gives no other interpreters")
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(not hasattr(os, "fork"), reason="not proven: no fork here")
def test_another_interpreter_is_refused_and_harms_nobody() -> None:
    in_a_process(
        """
        import kumihimo, os
        lazy, wanted = kumihimo.lazy(b'{"a":[1]}'), kumihimo.partial(["a"])
        def all_is_well():
            assert kumihimo.loads(b'{"a":[1]}') == {"a": [1]} and kumihimo.dumps([1]) == b"[1]"
            assert lazy["a"][0] == 1 and kumihimo.lazy(b'{"a":[2]}')["a"].value() == [2]
            assert wanted(b'{"a":7}') == (7,) and kumihimo.partial(["b"])(b'{"b":7}') == (7,)
        for _ in range(3):
            run(REFUSED)
            all_is_well()
        child = os.fork()
        if child == 0:
            all_is_well()
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        """
    )


def test_the_first_interpreter_need_not_be_the_main_one() -> None:
    in_a_process(
        """
        run('import kumihimo; assert kumihimo.partial(["a"])(kumihimo.dumps({"a": 7})) == (7,) and kumihimo.lazy(b"[1]")[0] == 1')
        exec(REFUSED)
        """
    )


def test_what_cannot_travel_says_so() -> None:
    for thing in (kumihimo.lazy(b"[1]"), iter(kumihimo.lazy(b"[1]"))):
        with pytest.raises(TypeError):
            pickle.dumps(thing)
