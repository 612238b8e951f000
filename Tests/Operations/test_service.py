"""`roomful service`: what makes a machine host a room by itself, written below a folder instead of /."""
import re
import shutil
import subprocess
from pathlib import Path

import pytest

UNIT = "etc/systemd/system/roomful@.service"


@pytest.fixture
def install(roomful, folder):
    return lambda *words: roomful("service", "install", "--root", folder / "machine", *words)


def test_a_room_is_written_down_and_its_undoing_told(install, roomful, folder):
    code, out, err = install("Living Room", "--play", "keepcalm", "--seats=8", "--allow-origin", "http://a", "--allow-origin=http://b", "--no-qr")
    assert (code, err) == (0, "")
    file = folder / "machine/etc/roomful/living-room.toml"
    assert "undo:      systemctl disable --now roomful@living-room; rm /etc/roomful/living-room.toml" in out
    assert file.read_text().splitlines()[1:] == [
        'name = "Living Room"', 'play = "keepcalm"', "seats = 8", 'allow-origin = ["http://a", "http://b"]', "qr = false"]
    # What it wrote, the program itself takes.
    code, out, err = roomful("config", "check", file)
    assert (code, err) == (0, "") and '"Living Room", 8 seats' in out


def test_its_unit_is_one_that_systemd_takes(install, folder):
    if not shutil.which("systemd-analyze"):
        pytest.fail("systemd-analyze is missing; on Debian: apt-get install systemd")
    assert install("Hall")[0] == 0
    unit = folder / "machine" / UNIT
    assert unit.read_text().count("ExecStart=/usr/bin/roomful host --config") == 1
    done = subprocess.run(
        ["systemd-analyze", "security", "--offline=true", "--threshold=30", unit], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-200:]


def test_it_runs_as_a_user_whom_the_bus_knows_and_says_what_is_wrong(install, roomful, folder):
    """What systemd itself makes of it: Scripts/try-service.py."""
    assert install("Hall")[0] == 0
    user = folder / "machine/etc/sysusers.d/roomful.conf"
    assert user.read_text() == roomful("service", "unit", "--user")[1] and user.read_text().startswith("u roomful -")
    unit = dict(line.split("=", 1) for line in (folder / "machine" / UNIT).read_text().splitlines() if "=" in line)
    assert (unit["User"], unit["StandardError"], unit["RuntimeDirectoryMode"]) == ("roomful", "journal", "0700")
    # Another room finds both there.
    code, out, _ = install("Annex")
    assert code == 0 and "sysusers.d" not in out and "systemd/system" not in out


def test_a_crash_leaves_no_keys_and_no_motion_on_a_disk(opened, roomful):
    limits = Path(f"/proc/{opened('Hall').pid}/limits").read_text()
    assert re.search("^Max core file size +0 +0 ", limits, re.MULTILINE), limits
    assert "\nLimitCORE=0\n" in roomful("service", "unit")[1]


def test_it_says_what_leaves_it_closed(roomful):
    """systemd starts nothing again that ended in order, as it does by SIGTERM: who reads the unit must not count on that."""
    before, _, after = roomful("service", "unit")[1].partition("\nRestart=on-failure\n")
    said = " ".join(line[2:] for line in before.splitlines()[-2:])
    assert after and "SIGTERM or SIGINT" in said and "roomful stop" in said


def test_a_room_that_has_a_service_is_left_as_it_is(install, folder):
    assert install("Hall", "--seats", "3")[0] == 0
    code, _, err = install("Hall", "--seats", "5")
    assert code == 2 and "there is /etc/roomful/hall.toml already" in err
    assert "seats = 3" in (folder / "machine/etc/roomful/hall.toml").read_text()


@pytest.mark.parametrize("where", ["etc", "etc/roomful", "etc/systemd/system"])
def test_a_link_in_an_image_leads_nothing_out_of_it(install, folder, where):
    """To the image's own machine such a link means a place in the image; to this one, its own files."""
    outside, link = folder / "outside", folder / "machine" / where
    outside.mkdir()
    link.parent.mkdir(parents=True)
    for target in (outside, "../" * where.count("/") + "../outside"):
        link.symlink_to(target)
        code, _, err = install("Hall")
        assert code == 2 and f"{link} is a link that leads out of {folder}/machine" in err, err
        assert not list(outside.rglob("*"))
        link.unlink()
    # One that stays within the image is as good as a folder.
    (folder / "machine/kept").mkdir()
    link.symlink_to("../" * where.count("/") + "kept")
    code, out, err = install("Hall")
    assert (code, err) == (0, "") and (folder / "machine/etc/roomful/hall.toml").exists()
    assert list((folder / "machine/kept").rglob("*"))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "say the room's name"),
        (["Hall", "--seats", "0"], "a room has 1 to 10000 seats"),
        (["Hall", "--seets", "3"], "did you mean --seats?"),
        (["Hall", "--seats"], "--seats needs a value"),
        (["Hall", "--config", "x.toml"], "--config cannot stand in a file"),
        (["Hall", "--record", "/var/lib/private/roomful/hall/evening.mcap"], "a folder, with a slash at its end"),
        (["Living", "Room", "--play", "duel"], 'a room has one name, not "Living" and "Room"'),
        (["Hall", "--record="], "--record= needs a value"),
        (["Hall", "--gestures", "/home/me/g.toml"], "a service cannot read /home/me/g.toml"),
        (["قاعة"], "say the service's own name with --as"),
        (["Hall", "--as", "../x"], "say the service's own name with --as"),
        (["a\nb"], "name"),
    ],
)
def test_what_cannot_be_a_service_writes_nothing(install, folder, words, said):
    code, out, err = install(*words)
    assert code == 2 and out == "" and said in err, err
    assert not (folder / "machine").exists()


def test_a_name_in_any_script_and_any_text_comes_through(install, roomful, folder):
    code, _, err = install('قاعة "الألعاب"', "--as", "games", "--game", "a-b")
    assert (code, err) == (0, "")
    code, out, _ = roomful("config", "check", folder / "machine/etc/roomful/games.toml")
    assert code == 0 and 'قاعة "الألعاب"' in out


@pytest.mark.parametrize("name", ["007", "+5", "42"])
def test_a_room_may_be_called_as_a_number_is_written(install, roomful, folder, name):
    assert install(name, "--as", "room", "--seats", "03")[0] == 0
    code, out, _ = roomful("config", "check", folder / "machine/etc/roomful/room.toml")
    assert code == 0 and f'"{name}", 3 seats' in out, out


def test_a_brokers_password_is_written_into_no_file_that_all_may_read(install, folder):
    for site in ("nats://hall:s3cret@broker:4222", "hall:s3cret@broker:4222"):
        code, out, err = install("Hall", "--site", site)
        assert code == 2 and "--site-credentials FILE" in err and "s3cret" not in out + err, (code, out, err)
    assert not (folder / "machine/etc/roomful/hall.toml").exists()
