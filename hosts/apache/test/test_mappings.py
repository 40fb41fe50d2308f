"""What a child's VMs take of the system's mappings (vm.max_map_count) is bounded, whatever scripts write to, counted and shown."""

import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

STATUS = '<Location "/status">\nSetHandler mruby-status\n</Location>\n'
HANDLER = '<FilesMatch ".+\\.mrb$">\nSetHandler mruby-script\n</FilesMatch>\n' + STATUS
MOST_OF_VM = 21  # hosts/mruby/vm/arena.hpp: most_mappings
SCATTERED = "T.each { |s| s.setbyte(0, 65) }\nputs T.size"
TABLE = "T = (0...300).map { 'x' * 5000 }\n"


def of_vms(pid: int) -> list[int]:
    """For each VM of the process the mappings of its addresses, as the system counts: those before the rest that no run has come to, which is
    about as large as what a run may be granted at most and larger than anything else that nobody may read. The copies of its pages often lie
    before them, and at times a thread's stack."""
    found, stretch, last = [], 0, 0
    for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
        addresses, rights, _, _, inode, *name = line.split()
        begin, end = (int(address, 16) for address in addresses.split("-"))
        if begin != last or inode != "0" or name:
            stretch = 0
        last = end
        if rights != "---p":
            stretch += inode == "0" and not name
        elif end - begin > 800 << 20:
            found.append(stretch + 1)
            stretch = 0
        else:
            stretch = 0
    return found


def held(server) -> tuple[int, int, list[int]]:
    """VMs, mappings as the module counts them, and as the system does for each VM."""
    lines = dict(line.split(": ", 1) for line in server.get("/status?auto").text.splitlines())
    return int(lines["VMs"]), int(lines["Mappings"]), [n for pid in server.pids() for n in of_vms(pid)]


def check(server, least: int) -> int:
    vms, counted, each = held(server)
    assert len(each) == vms >= least, f"{len(each)} VMs in /proc, {vms} on the status page"
    assert max(each) <= MOST_OF_VM + 1 and counted <= vms * MOST_OF_VM
    assert sum(each) <= counted + vms, f"{sum(each)} mappings of VMs, {counted} counted"
    return vms


def ask(server, paths: list[str], at_once: int) -> None:
    def one(path: str) -> tuple[str, int, str]:
        answer = server.get(path)
        return path, answer.status, answer.text

    with ThreadPoolExecutor(at_once) as pool:
        for path, status, text in pool.map(one, paths):
            assert (status, text.strip()) == (200, "300"), f"{path}: {status} {text[:200]}"


@pytest.mark.skipif(not os.access("/proc/self/maps", os.R_OK), reason="mappings are counted in /proc")
def test_scattered_writes(make_httpd):
    """A VM whose image fell into as many pieces as the script writes objects took 170 of them."""
    threads, places = int(os.environ.get("KUMIHIMO_THREADS", "16")), 4
    server = make_httpd(workers=threads, children=1)
    conf = HANDLER
    for i in range(places):
        server.script(f"init{i}.rb", TABLE)
        server.page(f"{i}/scattered.mrb", SCATTERED)
        conf += f'<Location "/{i}/">\nMrubyInit scripts/init{i}.rb\n</Location>\n'
    server.start(conf)
    server.get("/0/scattered.mrb")
    check(server, 1)
    # httpd gives a request to whichever thread is free: on a busy machine few threads may serve many rounds.
    patience = time.monotonic() + 120
    vms = 0
    while vms <= threads and time.monotonic() < patience:
        ask(server, [f"/{n % places}/scattered.mrb" for n in range(threads * places * 4)], threads)
        vms = check(server, 1)
    assert vms > threads, f"{vms} VMs: the load did not reach the threads"


@pytest.mark.skipif(not os.access("/proc/self/maps", os.R_OK), reason="mappings are counted in /proc")
def test_many_profiles(make_httpd):
    """A thread keeps 32 VMs; each has few mappings, be its scripts what they may."""
    places, threads = 30, 8
    server = make_httpd(workers=threads, children=1)
    scripts = [SCATTERED, "puts 300", "class String; def shout; upcase; end; end\n$a = 'a'.shout\nputs T.size",
               "class Array; def size; 300; end; end\nputs T.size", "puts JSON.parse(JSON.generate(T)).size"]
    conf = HANDLER
    for i in range(places):
        server.script(f"init{i}.rb", TABLE.replace("5000", "500"))
        server.page(f"{i}/a.mrb", scripts[i % len(scripts)])
        conf += f'<Location "/{i}/">\nMrubyInit scripts/init{i}.rb\n</Location>\n'
    server.start(conf)
    for _ in range(3):
        ask(server, [f"/{n % places}/a.mrb" for n in range(places * threads)], threads)
    assert check(server, places) <= places * threads
