"""What the README of the vectors says of hosts is so."""
import pathlib
import sys

TOP = pathlib.Path(__file__).resolve().parents[2]
VECTORS = TOP / "tests" / "vectors"
sys.path.insert(0, str(VECTORS))
import held  # noqa: E402


def test_what_hosts_hold_is_what_held_py_writes():
    assert {path.name for path in (VECTORS / "held").iterdir()} == set(held.HOSTS)
    for host in held.HOSTS:
        assert (VECTORS / "held" / host).read_text() == held.held(host), f"run tests/vectors/held.py: held/{host} is another"


def test_every_runner_reads_its_file_and_is_in_the_readme():
    readme = (VECTORS / "README.md").read_text()
    runners = {"python": "test/vectors_test.py", "ruby": "test/vectors_test.rb", "perl": "t/vectors.t", "mruby": "test/vectors_test.cpp"}
    assert {host.split("-")[0] for host in held.HOSTS} == set(runners)
    for host, runner in runners.items():
        assert f"| `hosts/{host}` | `{runner}`" in readme
    # The README calls Perl's the shortest.
    sizes = {host: len((TOP / "hosts" / host / runner).read_text().splitlines()) for host, runner in runners.items()}
    assert min(sizes, key=sizes.get) == "perl", sizes
