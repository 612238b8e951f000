"""What Scripts/bench.py makes of its rounds, and what its page says of them."""
import os
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "Scripts"))
import bench  # noqa: E402
import bench_page  # noqa: E402
import bench_profile  # noqa: E402
import bench_programs  # noqa: E402


def cells(ours, beside=(), goal=None):
    row = bench_page.row(bench.figure("name", "ns", ours, beside), "what", "the other", goal)
    return [cell.strip() for cell in row.strip("|").split("|")]


def test_two_rounds_that_differ_are_marked_and_their_median_is_the_mean_of_both():
    _, ours, beside, ratio, rounds, _ = cells([100, 140], [100, 100])
    assert (ours, beside, rounds) == ("120 ns", "the other: 100 ns", "2 ⚠")
    assert ratio.startswith("1.20 (1.00 to 1.40)")


def test_rounds_that_agree_are_not_marked():
    assert cells([100, 105, 103])[4] == "3"
    assert cells([100, 101, 102, 103, 104, 400])[4] == "6"


def test_a_single_run_is_called_that_and_gives_no_ratio():
    _, _, _, ratio, rounds, wanted = cells([100], [50], ("ratio", "<=", 3))
    assert (ratio, rounds, wanted) == ("–", "one run", "–")


def test_of_what_none_may_be_thrown_away_the_worst_round_counts():
    row = cells([0, 0, 7], goal=("most", "<=", 0))
    assert row[1] == "7.00 ns"
    assert row[5].endswith("**missed**")
    assert cells([0, 0], goal=("most", "<=", 0))[5].endswith("met")
    assert cells([500, 499, 500], goal=("least", ">=", 500))[5] == "≥ 500: **missed**"
    assert cells([500, 500], goal=("least", ">=", 500))[5] == "≥ 500: met"


def test_a_pair_whose_books_do_not_add_up_is_left_out_and_named(monkeypatch):
    monkeypatch.setattr(bench, "NOTES", [])
    results = iter([1, bench.Unequal("3 lines differ"), 2])

    def play():
        result = next(results)
        if isinstance(result, Exception):
            raise result
        return result

    assert bench.rounds("a size", 3, play) == [1, 2]
    assert bench.NOTES == ["a size, pair 2 of 3 is left out: 3 lines differ"]
    assert "A size, pair 2 of 3 is left out: 3 lines differ." in bench_page.page({}, {}, bench.NOTES, [], 1)


def test_of_one_pair_nothing_is_said(monkeypatch):
    monkeypatch.setattr(bench, "NOTES", [])
    with pytest.raises(bench.Absent):
        bench.rounds("a size", 1, lambda: 1)


def test_pads_that_spoke_late_were_not_even():
    played = {"ns": 9000.0, "wakes": 2000.0, "sender": 40.0, "waited": 0.5, "differing": 0.0, "drops": 0.0, "late": 34.0}
    with pytest.raises(bench.Unequal, match="spoke late"):
        bench.exact(played, 30)
    with pytest.raises(bench.Unequal, match="do not say waited"):
        bench.exact({name: value for name, value in played.items() if name != "waited"}, 30)
    assert bench.exact({**played, "late": 2.0}, 30)["ns"] == 9000.0


def test_a_machine_that_others_used_meanwhile_is_called_busy():
    calm = [("live", 0.01), ("phones", 0.03)] * 10
    assert "**" not in bench_page.busy(calm)
    assert "**The machine was busy." in bench_page.busy([*calm, ("gather", 0.9)])
    assert "0.90 at worst (gather)" in bench_page.busy([*calm, ("gather", 0.9)])


def test_what_our_own_programs_use_is_no_load_of_others():
    others = bench.Others()
    before = others._ours()
    subprocess.run([sys.executable, "-c", "import time\nwhile time.process_time() < 0.5: pass"], check=True)
    assert others._ours() - before >= 0.4 * bench_programs.TICK


def test_every_figure_of_the_page_has_a_name_of_its_own():
    names = [name for _, rows in bench_page.LINES for name, *_ in rows]
    assert len(names) == len(set(names))


def test_a_host_of_phones_that_were_late_is_not_judged():
    cpu = bench.figure("phones-host-cpu-500x60", "% of a core", [47])
    for each, said in ((0.56, "not judged: phones were late"), (1.0, "≤ 60.0: met")):
        figures = {cpu["name"]: cpu, "phones-datagrams-500x60": bench.figure("", "datagrams a sample", [each])}
        assert said in bench_page.page(figures, {}, [], [], 1)


def test_of_the_heap_what_the_engine_asked_for_is_told_by_what_it_is_for_and_no_controllers():
    said = {
        "ftbl": ["malloc", "$s10InputMerge13RecognizerRowVx", "$s10RoomEngine0B0V7advance", "$s17ControllerSession0A4LinkV",
                 "$s18SessionCoordinator4PeerV4open_9continuesx", "$s10RoomEngine0B0V6handle"],
        "pps": [{"eb": 600, "fs": [0, 1, 2]}, {"eb": 9_000, "fs": [0, 3]}, {"eb": 300, "fs": [0, 4, 5]}, {"eb": 30, "fs": [0, 5]},
                {"eb": 0, "fs": [0, 2]}]}
    figures = {row["name"]: row["ours"] for row in bench_profile.held(said, 3)}
    assert {name: bytes_of for name, bytes_of in figures.items() if bytes_of != [0]} == {
        "heap-peer-recognizers, and what each remembers": [200], "heap-peer-the link: keys, replay window, ledger, budget": [100],
        "heap-peer-the rest": [10]}
    assert len(figures) == len(bench_profile.KEPT) + 1
    with pytest.raises(bench.Absent):
        bench_profile.held({"ftbl": ["malloc"], "pps": [{"eb": 5, "fs": [0]}]}, 3)


@pytest.fixture
def valgrind(tmp_path, monkeypatch):
    """One that leaves what dhat has seen, and then does as it is told."""
    def make(then):
        program = tmp_path / "valgrind"
        program.write_text(
            '#!/bin/sh\nfor word; do case $word in --dhat-out-file=*) echo "{}" > "${word#*=}";; esac; done\n' + then)
        program.chmod(0o755)
        monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    return make


def test_of_a_program_that_failed_no_heap_is_told(tmp_path, valgrind):
    valgrind("echo no room >&2; exit 3\n")
    with pytest.raises(bench.Absent, match="ended with 3: no room"):
        bench_profile.alive(tmp_path, "heap", ["hold"])
    assert bench_profile.alive(tmp_path, "heap", ["hold"], during=lambda program: program.wait(10)) == {}


def test_many_warnings_of_valgrinds_hold_nobody_up(tmp_path, valgrind):
    valgrind("yes warning | head -c 1000000 >&2\n")
    assert bench_profile.alive(tmp_path, "heap", ["host"], during=lambda program: program.wait(10)) == {}


def test_what_a_connection_keeps_is_whose_code_asked_for_it_last():
    said = {
        "ftbl": ["malloc", "CNIOBoringSSL_SSL_new", "$s6NIOSSL13NIOSSLHandlerC12handlerAdded", "$s7NIOPosix6Select",
                 "$s11ControlPort13Conversations", "$s7NIOCore10ByteBufferV8_StorageC", "$s10Foundation"],
        "pps": [{"eb": 7, "fs": [0, 1, 2, 3]}, {"eb": 16_000, "fs": [5, 2, 4, 3]}, {"eb": 300, "fs": [0, 5, 4, 3]},
                {"eb": 20, "fs": [0, 3]}, {"eb": 1, "fs": [0, 6]}]}
    assert [of for of in bench_profile.innermost(said).values()] == [16_000, 0, 7, 20, 300, 1]
