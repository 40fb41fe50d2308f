"""Elements of other shapes than the frames' trades, seeded, for rows out of arrays."""

from __future__ import annotations

import random


class Shapes:
    """The arrays of documents, one after the other; a method for each shape."""

    def __init__(self, seed: int = 1) -> None:
        self.random = random.Random(seed)

    def price(self) -> float:
        return round(self.random.lognormvariate(5, 2), self.random.randrange(1, 5))

    def short(self) -> list:
        return [{"a": self.random.randrange(1000), "b": self.price()} for _ in range(40)]

    def wide(self) -> list:
        keys = [f"measure_{k}" for k in range(30)]
        return [{"a": self.random.randrange(10**9), "b": self.price()} | {k: self.price() for k in keys} for _ in range(6)]

    def missing(self) -> list:
        return [{k: v for k, v in one.items() if self.random.random() < 0.8} for one in self.texts()]

    def reordered(self) -> list:
        rows = self.texts()
        for one in rows:
            if self.random.random() < 0.5:
                one["a"] = one.pop("a")
        return rows

    def texts(self) -> list:
        words = "gold silver copper tin iron lead zinc mercury".split()
        return [
            {"a": self.random.randrange(10 ** self.random.randrange(1, 9)), "s": " ".join(self.random.choices(words, k=self.random.randrange(1, 6))),
             "b": self.price(), "tags": self.random.choices(words, k=self.random.randrange(3))}
            for _ in range(20)
        ]  # fmt: skip

    def groups(self) -> list:
        return [{"g": k, "b": [{"a": self.random.randrange(10**6), "b": self.price()} for _ in range(self.random.randrange(1, 6))]} for k in range(8)]
