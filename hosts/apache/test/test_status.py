"""The status page: VMs, memory, cache, breaches and requests of all children, for people and for programs."""

import http.client
import os
import re
import signal
import subprocess
import sys

import pytest

from server import MPMS

ON = MPMS
HANDLER = '<FilesMatch ".+\\.mrb$">\n  SetHandler mruby-script\n</FilesMatch>\n<Location "/mruby-status">\n  SetHandler mruby-status\n</Location>\nMrubyTimeout 200ms\nMrubyMemoryLimit 8M\n'


def lines(httpd) -> dict:
    answer = httpd.get("/mruby-status?auto")
    assert answer.status == 200 and answer.header("Content-Type").startswith("text/plain")
    return {key: int(value) for key, value in (line.split(": ") for line in answer.text.splitlines())}


@pytest.fixture
def httpd(make_httpd):
    made = make_httpd(workers=4, children=2)
    made.page("ok.mrb", "Apache.rputs 'ok'")
    made.page("raise.mrb", "raise 'x'")
    made.page("syntax.mrb", "x = (")
    made.page("loop.mrb", "while true\nend")
    made.page("bomb.mrb", "a = 'x' * 1000\na += a while true")
    made.page("secret.mrb", "Apache.rputs 'ok'", 0o000)
    return made.start(HANDLER)


def test_counts(httpd):
    before = lines(httpd)
    assert before["Runs"] == 0 and before["Children"] >= 1
    for name, times in (("ok", 7), ("raise", 3), ("syntax", 4), ("loop", 2), ("bomb", 2)):
        for _ in range(times):
            httpd.get(f"/{name}.mrb")
    after = lines(httpd)
    assert after["Runs"] == 18
    assert (after["Raised"], after["SyntaxErrors"], after["Expired"], after["Exhausted"]) == (3, 4, 2, 2)
    assert after["VMs"] >= 1 and after["MemoryBytes"] >= after["ImageBytes"] > 0 and after["Scripts"] >= 4


def test_json_says_the_same(httpd):
    for _ in range(5):
        httpd.get("/ok.mrb")
    answer = httpd.get("/mruby-status?json")
    assert answer.header("Content-Type").startswith("application/json")
    told, by_lines = answer.json(), lines(httpd)
    assert {key: value for key, value in told.items() if key not in ("Children", "Uptime")} == {key: value for key, value in by_lines.items() if key not in ("Children", "Uptime")}
    assert {child["Pid"] for child in told["Children"]} <= set(httpd.pids())
    assert sum(child["Runs"] for child in told["Children"]) == told["Runs"] == 5


def test_page(httpd):
    answer = httpd.get("/mruby-status")
    assert answer.status == 200 and answer.header("Content-Type").startswith("text/html")
    assert "<!DOCTYPE html>" in answer.text and "runs that failed" in answer.text
    assert httpd.post("/mruby-status", "x").status == 405


def test_page_s_columns_are_the_lines(httpd):
    """Each has a label, and the programs' name of it as its title; the last row is of all children."""
    for name in ("ok", "raise", "syntax", "raise"):
        httpd.get(f"/{name}.mrb")
    page, told = httpd.get("/mruby-status").text, lines(httpd)
    groups, columns, *children, total = re.findall("<tr>(.*?)</tr>", page)
    names, labels = zip(*re.findall('<th title="(.*?)">(.+?)</th>', columns))
    assert names[:2] == ("Pid", "Uptime") and {*names[2:]} == {*told} - {"Uptime", "Restarts", "Children", "Died"}
    assert len({*labels}) == len(labels) == sum(map(int, re.findall('colspan="(\\d+)"', groups)))
    assert all(len(re.findall("<t[hd]>", row)) == len(names) for row in (*children, total))
    assert len(children) == told["Children"]
    assert [int(n) for n in re.findall("<td>(.*?)</td>", total)][1:] == [told[name] for name in names[2:]]


def test_counts_survive_a_restart(httpd):
    for _ in range(6):
        httpd.get("/raise.mrb")
    httpd.restart()
    after = lines(httpd)
    assert after["Raised"] == 6 and after["Restarts"] >= 1


def test_memory_comes_down(httpd):
    """A VM that was large once is told as it is now."""
    for _ in range(8):
        httpd.get("/bomb.mrb")
    for _ in range(16):
        httpd.get("/ok.mrb")
    after = lines(httpd)
    assert after["MemoryBytes"] < after["VMs"] * 4_000_000


# One line of OpenMetrics 1.0: https://github.com/prometheus/OpenMetrics/blob/main/specification/OpenMetrics.md
META = re.compile(r"# (TYPE|UNIT|HELP) (mruby_[a-z_]+) (.+)")
SAMPLE = re.compile(r'(mruby_[a-z_]+)(\{cause="[a-z_]+"\})? (\d+)')


def metrics(httpd) -> dict:
    """Each sample with its labels. The order of lines and names is part of the format."""
    answer = httpd.get("/mruby-status?metrics")
    assert (answer.status, answer.header("Content-Type")) == (200, "application/openmetrics-text; version=1.0.0; charset=utf-8")
    assert answer.text.endswith("\n# EOF\n") and answer.text.count("# EOF") == 1 and "\r" not in answer.text
    samples, families, family, kind = {}, [], "", ""
    for line in answer.text.removesuffix("# EOF\n").splitlines():
        if meta := META.fullmatch(line):
            what, name, value = meta.groups()
            if name != family:
                assert what == "TYPE" and name not in families, "a family begins with its type, and is in one piece"
                family, kind = name, value
                families.append(name)
            if what == "UNIT":
                assert name.endswith("_" + value)
            continue
        name, labels, value = SAMPLE.fullmatch(line).groups()
        assert name == {"counter": family + "_total", "gauge": family}[kind] and name + (labels or "") not in samples
        samples[name + (labels or "")] = int(value)
    assert {name.removesuffix("_total").split("{")[0].removesuffix("_total") for name in samples} == {*families}
    return samples


CAUSES = {"Raised": "exception", "SyntaxErrors": "syntax_error", "Unreadable": "unreadable_file", "Expired": "time", "Exhausted": "size", "Crashed": "crash", "Unmade": "no_vm"}
METRICS = {key: f'failed_runs_total{{cause="{cause}"}}' for key, cause in CAUSES.items()} | {
    "Restarts": "restarts_total", "Children": "children", "Died": "children_died_total", "Runs": "runs_total", "Compiled": "compiled_scripts_total",
    "VMs": "vms", "ImageBytes": "image_bytes", "MemoryBytes": "memory_bytes", "Scripts": "scripts",
}  # fmt: skip


def test_metrics_are_the_lines(httpd):
    for name, times in (("ok", 3), ("raise", 2), ("syntax", 1), ("loop", 1)):
        for _ in range(times):
            httpd.get(f"/{name}.mrb")
    samples, told = metrics(httpd), lines(httpd)
    told.pop("Uptime")
    assert samples["mruby_start_time_seconds"] > 1_600_000_000
    assert {key: samples["mruby_" + metric] for key, metric in METRICS.items()} == {key: told[key] for key in METRICS}
    assert len(samples) == len(told) + 1, "each line has its metric"


def test_metrics_as_prometheus_reads_them(httpd):
    parser = pytest.importorskip("prometheus_client.openmetrics.parser", reason="not proven: PyPI's prometheus_client, which reads OpenMetrics, is not here")
    httpd.get("/raise.mrb")
    assert httpd.get("/mruby-status?metrics=").header("Content-Type").startswith("application/openmetrics-text")
    families = {family.name: family for family in parser.text_string_to_metric_families(httpd.get("/mruby-status?metrics").text)}
    assert families["mruby_memory_bytes"].unit == "bytes" and families["mruby_memory_bytes"].type == "gauge"
    assert families["mruby_runs"].type == "counter" and [sample.value for sample in families["mruby_runs"].samples] == [1]
    causes = {sample.labels["cause"]: sample.value for sample in families["mruby_failed_runs"].samples}
    assert causes == {cause: cause == "exception" for cause in CAUSES.values()}
    assert all(family.documentation for family in families.values())


def test_children_that_died(httpd):
    """By a signal; a graceful restart and a child that has served enough end theirs in order."""
    httpd.get("/ok.mrb")
    httpd.restart()
    assert lines(httpd)["Died"] == metrics(httpd)["mruby_children_died_total"] == 0
    httpd.deaths_expected = True

    def died() -> int:
        try:
            return lines(httpd)["Died"]
        except (OSError, http.client.HTTPException):  # the victim had taken the connection
            return -1

    for n, number in enumerate((signal.SIGKILL, signal.SIGSEGV, signal.SIGABRT), 1):
        victim = httpd.pids()[0]
        os.kill(victim, number)
        httpd.until(lambda: died() == n)  # noqa: B023
        httpd.until(lambda: victim not in httpd.pids() and len(httpd.pids()) >= 1)  # noqa: B023
    httpd.restart()
    assert lines(httpd)["Died"] == metrics(httpd)["mruby_children_died_total"] == httpd.get("/mruby-status?json").json()["Died"] == 3
    assert "Children that died: 3." in httpd.get("/mruby-status").text


# clone3 with a number of one's own choice, which is for root alone; the process lasts until its parent's input ends.
TAKE_NUMBER = """
import ctypes, os, signal, struct, sys
number = (ctypes.c_int * 1)(int(sys.argv[1]))
arguments = struct.pack("=11Q", 0, 0, 0, 0, signal.SIGCHLD, 0, 0, 0, ctypes.addressof(number), 1, 0)
made = ctypes.CDLL(None, use_errno=True).syscall(435, ctypes.create_string_buffer(arguments), ctypes.c_size_t(len(arguments)))
if made:
    print(made, flush=True)
sys.stdin.read()
os._exit(0)
"""


@pytest.mark.on(["prefork"])
def test_a_number_used_again_is_no_child(make_httpd):
    """A child is gone, and another process has its number."""
    httpd = make_httpd(workers=4)
    httpd.start(HANDLER)
    httpd.until(lambda: lines(httpd)["Children"] == 4)
    gone = httpd.pids()
    httpd.mpm_conf = httpd.mpm_conf.replace("StartServers 4", "StartServers 1").replace("MaxRequestWorkers 4", "MaxRequestWorkers 1")
    httpd.write("conf/httpd.conf", httpd.configuration(httpd.conf))
    httpd.restart(graceful=False)
    assert lines(httpd)["Children"] == 1
    others = [subprocess.Popen([sys.executable, "-c", TAKE_NUMBER, str(pid)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for pid in gone]
    taken = [int(other.stdout.readline()) for other in others]
    told = lines(httpd)["Children"]
    for other in others:
        other.communicate()
    if set(taken) == {-1}:
        pytest.skip("nobody may choose a process's number here")
    assert set(taken) & set(gone) and told == 1
