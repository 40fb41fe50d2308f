"""The documents are true: every command in them runs, every path they name exists, nothing names this machine.

A fenced block marked `sh` is a script, one marked `python`, `ruby`, `perl` or `java` a program (`scala` ones are the part jvm's). It runs in a scratch folder that holds small made-up
inputs under the names which the documents use; commands that would set up or build the project (`./dev`, `pip install`, `gem install`, `cpanm`,
`git clone`) are checked to exist instead of run, because running them is what the test run itself does. A block followed by one marked
`text` must print exactly that.

A block whose first line is a comment with a file's name (`# hello.mrb`) is that file: in the scratch folder, and on a private Apache server, whose
configuration is all of the document's blocks marked `apache`, each also checked by itself. A name without a folder is in the document root, one with a folder
below the server's root. The document's `curl localhost/...` asks this server. A `ruby` block of mruby or Apache without a name runs in `kumihimo-mruby`.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "hosts/apache/test"))
from server import BUILD, FILES_MATCH, Server  # noqa: E402

DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("hosts/*/*.md"), *ROOT.glob("tests/vectors/README.md")])
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.M | re.S)
NAMED = re.compile(r"(?:# |/\* |<!-- )([\w-]+(?:/[\w-]+)*\.\w+)(?: \*/| -->)?\n")
SETUP = re.compile(r"^\s*(\./dev\b|cmake |ninja |a2enmod |systemctl |pip3? install|gem (build|install)|bundle|rake|perl Makefile\.PL|make\b|cpanm|python3? -m venv|git clone|sbt |mvn |cd |sudo |apt|source |\. )")


def blocks(path: Path) -> list[tuple[str, str]]:
    return BLOCK.findall(path.read_text(encoding="utf-8"))


def scripts() -> list:
    found = []
    for path in DOCUMENTS:
        parts = blocks(path)
        for i, (kind, body) in enumerate(parts):
            if kind in ("sh", "python", "ruby", "perl", "java") and not NAMED.match(body):
                after = parts[i + 1] if i + 1 < len(parts) else ("", "")
                wanted = after[1] if after[0] == "text" else None
                found.append(pytest.param(path, kind, body, wanted, id=f"{path.relative_to(ROOT)}:{i}"))
    return found


def configurations() -> list:
    return [pytest.param(path, body, id=f"{path.relative_to(ROOT)}:{i}") for path in DOCUMENTS for i, (kind, body) in enumerate(blocks(path)) if kind == "apache"]


def named(path: Path) -> dict[str, str]:
    return {match[1]: body for kind, body in blocks(path) if kind not in ("sh", "text") and (match := NAMED.match(body))}


def frame(i: int) -> dict:
    return {
        "asks": [[107925.0 + i, 0.0007]],
        "last_price": {"action": "ask", "price": 107910.0 + i},
        "trades": [{"price": 107910.0 + i, "amount": 0.0028, "tid": 22360218 + i}, {"price": 107900.5, "amount": 1e-08, "tid": 22360217 + i}],
        "currency_pair": "btc_jpy",
        "timestamp": f"2016-12-25 01:53:{10 + i:02}.602955",
    }


@pytest.fixture
def inputs(tmp_path: Path) -> Path:
    """The files that the documents' commands talk about."""
    (tmp_path / "archives").mkdir()
    frames = [json.dumps(frame(i)) for i in range(6)]
    for part in range(2):
        with zipfile.ZipFile(tmp_path / "archives" / f"2016-12-25-{part}.zip", "w", zipfile.ZIP_DEFLATED) as archive:
            for i in range(3):
                archive.writestr(f"frames/{part}-{i}.json", frames[part * 3 + i])
    (tmp_path / "frame.json").write_text(frames[0])
    (tmp_path / "frames.ndjson").write_text("\n".join(frames) + "\n")
    (tmp_path / "frames.ndjson.gz").write_bytes(gzip.compress(("\n".join(frames) + "\n").encode()))
    subprocess.run(["zstd", "-q", "-o", tmp_path / "frames.ndjson.zst"], input=("\n".join(frames) + "\n").encode(), check=True)
    (tmp_path / "broken.ndjson").write_text(frames[0] + "\n" + frames[1].replace("107911.0", "107911.") + "\n" + frames[2] + "\n")
    (tmp_path / "array.json").write_text("[" + ",\n".join(frames) + "]")
    (tmp_path / "folder").mkdir()
    for i, text in enumerate(frames):
        (tmp_path / "folder" / f"{i}.json").write_text(text)
    with zipfile.ZipFile(tmp_path / "package.whl", "w", zipfile.ZIP_DEFLATED) as archive:
        for name in ("one", "two"):
            body = {"metadata": {"serviceFullName": f"Service {name}", "apiVersion": "2020-01-01"}, "a.b": {"x=y": 1}}
            archive.writestr(f"package/data/{name}/service.json.gz", gzip.compress(json.dumps(body).encode()))
    return tmp_path


def furnished(path: Path) -> Server:
    """A server that is not started, with the document's files."""
    server = Server()
    for name, body in named(path).items():
        server.write(name, body) if "/" in name else server.page(name, body)
    (server.root / "modules").symlink_to(BUILD)
    return server


@pytest.fixture(scope="session")
def sites():
    """The documents' servers, started when they are first asked for."""
    running: dict[Path, Server] = {}

    def site(path: Path) -> Server:
        if path not in running:
            running[path] = furnished(path)
            running[path].start(FILES_MATCH + "\n".join(body for kind, body in blocks(path) if kind == "apache"))
        return running[path]

    yield site
    for server in running.values():
        server.stop()
        deaths = server.deaths()
        server.remove()
        assert not deaths


@pytest.mark.parametrize(("path", "body"), configurations())
def test_configurations_are_taken(path: Path, body: str) -> None:
    server = furnished(path)
    try:
        done = server.check(body)
        assert done.returncode == 0, f"{body}\n{done.stderr}"
    finally:
        server.remove()


@pytest.mark.parametrize("path", sorted({path for path in DOCUMENTS if any(kind == "apache" for kind, _ in blocks(path))}), ids=lambda p: str(p.relative_to(ROOT)))
def test_named_directives_exist(path: Path) -> None:
    server = furnished(path)
    try:
        known = {name.lower() for name in re.findall(r"^(Mruby\w+) ", server.check("", "-L").stdout, re.M)}
    finally:
        server.remove()
    named = re.findall(r"`(Mruby\w+)", path.read_text(encoding="utf-8"))
    assert named and not {name for name in named if name.lower() not in known}


@pytest.mark.parametrize(("path", "kind", "body", "wanted"), scripts())
def test_commands_run(path: Path, kind: str, body: str, wanted: str | None, inputs: Path, sites) -> None:
    if kind == "python":
        done = subprocess.run(["python3", "-c", body], cwd=inputs, capture_output=True, text=True, timeout=120)
    elif kind == "ruby" and {"apache", "mruby"} & set(path.parts):
        done = subprocess.run([BUILD / "kumihimo-mruby", "-"], input=body, cwd=inputs, capture_output=True, text=True, timeout=120)
    elif kind == "ruby":
        done = subprocess.run([os.environ.get("RUBY", "ruby"), "-e", body], cwd=inputs, capture_output=True, text=True, timeout=120)
    elif kind == "java":
        (inputs / "Program.java").write_text(body)
        done = subprocess.run(["java", "-cp", os.environ["KUMIHIMO_JVM"], "Program.java"], cwd=inputs, capture_output=True, text=True, timeout=120)
    elif kind == "perl":
        done = subprocess.run([os.environ.get("PERL", "perl"), "-w", "-Mstrict", "-e", body], cwd=inputs, capture_output=True, text=True, timeout=120)
    else:
        lines = [line for line in body.splitlines() if not SETUP.match(line)]
        for line in body.splitlines():
            if line.strip().startswith("./dev"):
                known = subprocess.run([ROOT / "dev", "help"], capture_output=True, text=True, check=True).stdout
                assert f"./dev {line.split()[1]}" in known, f"no such command: {line}"
        if not any(line.strip() for line in lines):
            return
        for name, text in named(path).items():
            (inputs / name).parent.mkdir(exist_ok=True)
            (inputs / name).write_text(text)
        (inputs / "build").symlink_to(BUILD)
        (inputs / "hosts").symlink_to(ROOT / "hosts")
        if "curl " in body:
            (inputs / ".curlrc").write_text(f'silent\nshow-error\nconnect-to = "localhost:80:127.0.0.1:{sites(path).port}"\n')
        environment = {**os.environ, "CURL_HOME": str(inputs), "PATH": f"{BUILD}:{os.environ['PATH']}"}
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", "\n".join(lines)], cwd=inputs, capture_output=True, text=True, timeout=120, env=environment)
    assert done.returncode == 0, f"{body}\n{done.stdout}\n{done.stderr}"
    if wanted is not None:
        # What a server sends need not end in a line break; a document's block does.
        assert done.stdout == wanted or ("curl " in body and done.stdout + "\n" == wanted)


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda p: str(p.relative_to(ROOT)))
def test_named_paths_exist(path: Path) -> None:
    """A path in back quotes with a slash in it, starting at one of the root's folders, is a promise, and so is a link."""
    roots = {p.name for p in ROOT.iterdir() if p.is_dir()}
    missing = []
    for name in re.findall(r"`([A-Za-z0-9_.-]+/[A-Za-z0-9_./*-]*)`", path.read_text(encoding="utf-8")):
        if name.split("/")[0] in roots and not name.startswith(".dev") and not (list(ROOT.glob(name)) if "*" in name else (ROOT / name).exists()):
            missing.append(name)
    # Code has brackets of its own.
    prose = re.sub(r"^```.*?^```|^    .*?$|`[^`\n]*`", "", path.read_text(encoding="utf-8"), flags=re.M | re.S)
    for link in re.findall(r"\]\(([^)#:]+)\)", prose):
        if not (path.parent / link).exists():
            missing.append(link)
    assert not missing, f"{path.name} names what is not there: {missing}"


def tracked() -> list[Path]:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\n")
    return [ROOT / name for name in listed if name and (ROOT / name).is_file()]


def test_long_files_say_why() -> None:
    """Over 900 lines, the head of a file must say why it is long."""
    silent = []
    for path in tracked():
        if path.suffix in {".hpp", ".cpp", ".h", ".c", ".py", ".rb", ".pm", ".pl", ".t", ".PL", ".txt", ""} and "corpus" not in path.parts and path.name != "LICENSE":
            lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
            if len(lines) > 900 and "lines" not in "\n".join(lines[:25]):
                silent.append(f"{path.relative_to(ROOT)}: {len(lines)}")
    assert not silent


def test_lines_of_prose_are_short() -> None:
    """Under 120 characters in every document: tables, code and lone links apart."""
    long = []
    for path in tracked():
        if path.suffix != ".md":
            continue
        code = False
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            code ^= line.lstrip().startswith("```")
            if not code and len(line) >= 120 and not line.startswith(("|", "    ")) and " " in line.strip():
                long.append(f"{path.relative_to(ROOT)}:{number}: {len(line)}")
    assert not long


def test_lines_of_comments_are_short() -> None:
    """Under 120 characters in whole lines of prose of C++ and Java: pictures and lists apart, which are set in."""
    prose = re.compile(r"\s*(///?|/?\*+) [^\s\-|@<{}+*`]")
    long = []
    for path in tracked():
        if path.suffix in {".hpp", ".cpp", ".h", ".c", ".java"}:
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                if len(line) >= 120 and prose.match(line) and "*/" not in line:
                    long.append(f"{path.relative_to(ROOT)}:{number}: {len(line)}")
    assert not long


def test_the_readme_has_the_numbers_that_were_measured() -> None:
    sys.path.insert(0, str(ROOT / "bench"))
    import results

    kept = json.loads((ROOT / "docs/results.json").read_text(encoding="utf-8"))
    found = results.HEADLINE_TABLE.search((ROOT / "README.md").read_text(encoding="utf-8"))
    assert found is not None and found[0] == results.headline_table(kept)


def test_dialects_have_the_names_of_the_table() -> None:
    """docs/formats.md names every dialect, under its format's heading, and none that is not there."""
    import kumihimo

    sections = re.split(r"^## ", (ROOT / "docs/formats.md").read_text(encoding="utf-8"), flags=re.M)
    titles = {"json": "JSON", "msgpack": "MessagePack", "tagged": "Tagged", "cbor": "CBOR"}
    for row in kumihimo.formats():
        section = "".join(text for text in sections if text.split("\n", 1)[0].startswith(titles[row["name"]]))
        named = set(re.findall(r"`(\w+)`", section))
        known = {*row["read_dialects"], *row["write_dialects"]}
        assert known <= named, f"{row['name']}: {sorted(known - named)} not in docs/formats.md"
        assert {name for name in named if name.endswith("_read") and not name.startswith("kumihimo_")} <= known, row["name"]


def test_nothing_names_a_machine() -> None:
    named = []
    for path in tracked():
        if path == Path(__file__).resolve() or path.suffix not in {".hpp", ".cpp", ".h", ".py", ".rb", ".pm", ".pl", ".t", ".PL", ".sh", ".yml", ".gemspec", ".md", ".toml", ".txt", ".cmake", ""}:
            continue
        text = path.read_text(encoding="utf-8", errors="replace")
        named += [f"{path.relative_to(ROOT)}: {hit}" for hit in re.findall(r"(?<![\w.])/(?:work|root|farm|tmp/\w)[\w/.-]*", text)]
    assert not named
