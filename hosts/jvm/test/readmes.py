"""That the READMEs show the programs that the fresh projects run, what these print, and artifacts that are published.

    python3 readmes.py PUBLISHED SBT_LOG MAVEN_LOG

scala-cli comes from no package registry that serves all of its parts, so its lines are not run: what they name is looked
for among the artifacts.
"""

from __future__ import annotations

import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parents[2]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.M | re.S)
SCALAS = re.findall(r'val scala\d+ = "(.*)"', (HERE.parent / "project" / "Shared.scala").read_text(encoding="utf-8"))


def blocks(path: pathlib.Path) -> list[tuple[str, str]]:
    return BLOCK.findall(path.read_text(encoding="utf-8"))


def programs(path: pathlib.Path) -> dict[str, tuple[str, str]]:
    """By its object or class each program that a README shows, with what stands behind it as its output."""
    found = {}
    shown = blocks(path)
    for i, (kind, body) in enumerate(shown):
        if kind in ("scala", "java") and (name := re.search(r"^(?:object|public final class) (\w+) \{\n +(?:def|public static void) main", body, re.M)):
            after = shown[i + 1] if i + 1 < len(shown) else ("", "")
            found[f"{kind} {name[1]}"] = (body, after[1] if after[0] == "text" else "")
    return found


def printed(log: str, program: str) -> list[str]:
    """What each run of a program has printed under sbt, whose own lines begin with a bracket."""
    runs = re.findall(rf"^\[info\] running (?:\(fork\) )?{program} *\n(.*?)^\[success\]", log, re.M | re.S)
    return ["".join(line + "\n" for line in run.splitlines() if not line.startswith("[info]")) for run in runs]


def artifacts(text: str) -> list[tuple[str, str, str]]:
    """Organization, name and version; of %% and :: for each Scala."""
    found = []
    for organization, cross, name, version in re.findall(r'"([\w.]+)" (%%?) "([\w-]+)" % "([\w.-]+)"', text) + re.findall(r"\b(org\.[\w.]+)(::?)([\w-]+):(\d[\w.-]*)", text):
        for scala in SCALAS if len(cross) == 2 else [""]:
            binary = "_3" if scala.startswith("3") else "_" + scala.rpartition(".")[0]
            found.append((organization, name + (binary if scala else ""), version))
    return found


def main() -> int:
    published, sbt_log, maven_log = (pathlib.Path(argument) for argument in sys.argv[1:])
    wrong = []

    def check(good: bool, what: str) -> None:
        if not good:
            wrong.append(what)

    log, maven = (re.sub(r"\x1b\[[\d;]*m", "", path.read_text(encoding="utf-8")) for path in (sbt_log, maven_log))
    files = {f"scala {p.stem}": p for p in (HERE / "sbt").rglob("*.scala")} | {f"java {p.stem}": p for p in (HERE / "maven").rglob("*.java")}
    own = programs(HERE.parent / "README.md")
    check(own.keys() == files.keys(), f"hosts/jvm/README.md shows {sorted(own)}, the projects have {sorted(files)}")
    for readme, shown in (("hosts/jvm/README.md", own), ("README.md", {k: v for k, v in programs(TOP / "README.md").items() if k.startswith("scala ")})):
        for name, (body, _) in shown.items():
            check(name in files and body == files[name].read_text(encoding="utf-8"), f"{readme}: {name} is not the program that is run")
    for name, (_, wanted) in own.items():
        runs = printed(log, name.split(" ")[1]) if name.startswith("scala ") else [maven]
        check(runs == [wanted] * (len(SCALAS) if name.startswith("scala ") else 1), f"hosts/jvm/README.md: {name} prints {runs}")

    names = 0
    for readme in ("README.md", "hosts/jvm/README.md", "hosts/jvm/sjson-new/README.md"):
        for organization, name, version in artifacts((TOP / readme).read_text(encoding="utf-8")):
            if organization == "org.kumihimo":
                names += 1
                at = published.joinpath(*organization.split("."), name, version)
                check((at / f"{name}-{version}.jar").exists() and (at / f"{name}-{version}.pom").exists(), f"{readme} names {name}:{version}, which is not published")
    check(names >= 10, f"the READMEs name {names} artifacts")
    using = [line for _, body in blocks(HERE.parent / "README.md") for line in body.splitlines() if line.startswith("//> using ")]
    check([line.split()[2] for line in using] == ["scala", "dep"], f"scala-cli's lines are {using}")
    check(any(line.split()[3] in SCALAS for line in using), f"scala-cli's Scala is none of {SCALAS}: {using}")
    print("\n".join(wrong) or f"{len(own)} programs and {names} artifacts as the READMEs show them")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
