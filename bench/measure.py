"""Alternating measurement for the Python benches: every round runs each contender once, so that drift hits all alike."""

from __future__ import annotations

import gc
import statistics
import time
from typing import Callable, Mapping


def alternate(contenders: Mapping[str, Callable[[], object]], rounds: int, clock: Callable[[], float] = time.process_time) -> dict[str, float]:
    """Median seconds per contender. The clock is the process's CPU time (all its threads) unless another is given."""
    taken: dict[str, list[float]] = {name: [] for name in contenders}
    collect = gc.isenabled()
    for _ in range(rounds):
        for name, work in contenders.items():
            gc.collect()
            gc.disable()
            try:
                started = clock()
                work()
                taken[name].append(clock() - started)
            finally:
                if collect:
                    gc.enable()
    return {name: statistics.median(times) for name, times in taken.items()}


def ratio(task: str, rival: str, value: float, rounds: int) -> None:
    """Prints the line that ./dev bench gathers."""
    print(f"ratio\t{task}\tkumihimo/{rival}\t{value:.3f}\t{rounds}", flush=True)
