"""`roomful host --config`: what a file may say, and what is said of one that is wrong."""
import json
import os
import re
import subprocess

import pytest
from conftest import PROGRAM
from waiting import until

TWO = """\
state = "kept"

[[room]]
name = "Hall"
seats = 3
port = 7001
team = ["red=1,2:all:500ms"]
qr = false

[[room]]
name = "Kitchen"
policy = "open"
"""


def test_a_file_describes_rooms(roomful, folder):
    (folder / "rooms.toml").write_text(TWO)
    code, out, err = roomful("config", "check", folder / "rooms.toml", "--json")
    assert (code, err) == (0, "")
    assert json.loads(out)["rooms"] == [
        {"name": "Hall", "seats": 3, "policy": "code", "port": 7001, "line": 3},
        {"name": "Kitchen", "seats": 4, "policy": "open", "port": 0, "line": 10},
    ]


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ('seats = "x"', 1, "'x' is invalid for 'seats'"),
        ("\nseets = 3", 2, "did you mean seats?"),
        ('policy = "opn"', 1, "'code', 'open' or 'ask'"),
        ("name = 'a'\nport = 70000", 2, "port"),
        ('idle = "soon"', 1, "1s or 500ms"),
        ("seats = [1]", 1, "one text or number"),
        ("qr = 1", 1, "true or false"),
        ("policy = 'open'\nseats = ]", 2, "expected value"),
        ("seats = -1", 1, "seats"),
        ("seats = 10001", 1, "seats"),
        ("name = ''", 1, "name"),
        ("[room]\nname = 'x'", 1, "two pairs of brackets"),
        ("[[room]]\nname = 'a'\nport = 8\n[[room]]\nname = 'b'\nport = 8", 6, "line 1 has port 8 too"),
        ("[[room]]\nname = 'a'\n[[room]]\nname = 'a'", 4, "line 1 is called"),
        ("[[room]]\nname = 'a'\nport = 8001\n[[room]]\nname = 'b'\nhttp = 8001", 6, "line 1 has port 8001 too"),
        ("[[room]]\nname = 'a'\nhttp = 8001\n[[room]]\nname = 'b'\nhttp = 8001", 6, "line 1 has HTTP port 8001 too"),
        ("name = 'a'\nport = 8001\nlegacy = 8001", 3, "the same room has port 8001 too"),
        ("[[room]]\nname = 'a'\ncode-file = 't'\n[[room]]\nname = 'b'\ncode-file = './t'", 6, "its ticket to the same file"),
        ("code-file = 't'\n[[room]]\nname = 'a'\n[[room]]\nname = 'b'", 1, "line 2 writes its ticket to the same file"),
        # It would open once: what is there already is not recorded over.
        ("\nrecord = 'e.mcap'", 2, 'a folder, with a slash at its end, such as "evenings/"'),
        ("record = 'rooms.toml'\n[[room]]\nname = 'a'\n[[room]]\nname = 'b'", 1, "with a slash at its end"),
        # That would be the file's own folder, or the usual one.
        ("\nrecord = ''", 2, "Missing value for 'record'"),
        ("state = ''", 1, "Missing value for 'state'"),
        ("code-file = ''", 1, "Missing value for 'code-file'"),
        ("name = 'a'\n[[room]]\n[[room]]", 1, "a name of its own"),
        ("cert = 'gone.pem'\nkey = 'gone.key'", 1, "there is no"),
        ("cert = 'rooms.toml'", 1, "needs key"),
        ("text = '''\nseats = 3\n'''\nseats = 'x'", 1, "there is no key text"),
        ("contest = 'jump, hop'", 1, "no gesture is called hop;"),
        ("\ntie = 'replay'", 2, "tie goes with a contest"),
        ("\nlow-pass = 2", 2, "low-pass is 0.01 (very smooth) to 1 (raw), not 2"),
        ("\nseed = 7", 2, "seed goes with a contest"),
        ("\ncontest-window = '1s'", 2, "contest-window goes with a contest"),
        ("\nfusion = 'quorum:2/3:400ms'", 2, "fusion goes with mode collaborative"),
        ("\nallow-origin = ['http://localhost:5173/', 'localhost:5174']", 2, 'not "localhost:5174"'),
        ("\nallow-origin = 'https://a.example/page'", 2, 'not "https://a.example/page"'),
        ("config = 'other.toml'", 1, "there is no key config"),
        ('"\\u001b[2J" = 1', 1, "there is no key [2J"),
        ("bad = 1", 1, "there is no key bad; roomful config print lists them all"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(roomful, folder, text, line, words):
    (folder / "rooms.toml").write_text(text)
    code, out, err = roomful("config", "check", folder / "rooms.toml")
    assert (code, out) == (2, "")
    assert err.startswith(f"roomful: {folder}/rooms.toml:{line}: "), err
    assert words in err and "\x1b" not in err


def test_what_needs_another_key_is_taken_beside_it(roomful, folder):
    text = 'contest = "jump, shake"\ntie = "draw"\nseed = 7\ncontest-pause = "2s"\n'
    text += 'mode = "collaborative"\nfusion = "all:500ms, mean"\n'
    text += "low-pass = 0.5\n"
    (folder / "rooms.toml").write_text(text + 'allow-origin = ["http://localhost:5173/", "https://[::1]:8", "HTTP://a"]\n')
    code, _, err = roomful("config", "check", folder / "rooms.toml")
    assert (code, err) == (0, "")


def test_what_two_rooms_can_share_is_taken(roomful, folder):
    """A folder of recordings; and a port of which one hears TCP and the other UDP."""
    text = 'record = "evenings/"\n[[room]]\nname = "a"\nhttp = 8001\n[[room]]\nname = "b"\nlegacy = 8001\n'
    (folder / "rooms.toml").write_text(text)
    code, _, err = roomful("config", "check", folder / "rooms.toml")
    assert (code, err) == (0, "")


def test_a_folder_of_recordings_that_is_away_is_a_folder(started, roomful, folder):
    """A stick that is not mounted when the machine starts: without a slash its folder was a file as long as it was away."""
    (folder / "rooms.toml").write_text('name = "Hall"\ndiscovery = "none"\nhttp = "off"\nrecord = "mnt/evenings"\n')
    (folder / "mnt/evenings").mkdir(parents=True)
    assert roomful("config", "check", folder / "rooms.toml")[0] == 0
    (folder / "mnt/evenings").rmdir()
    code, _, err = roomful("config", "check", folder / "rooms.toml")
    assert (code, err) == (0, "")
    started("host", "--config", folder / "rooms.toml", "--json")
    until(lambda: list((folder / "mnt/evenings").glob("Hall-*.mcap")))


@pytest.fixture
def certificates(folder):
    """A certificate with its key, another key, and one that everybody may read."""
    made = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj",
            "/CN=a.example", "-addext", "subjectAltName=DNS:a.example"]
    for cert, key in (("cert.pem", "key.pem"), ("unused.pem", "other.pem")):
        subprocess.run([*made, "-keyout", folder / key, "-out", folder / cert], check=True, capture_output=True)
        (folder / key).chmod(0o600)
    (folder / "open.pem").write_bytes((folder / "key.pem").read_bytes())
    (folder / "open.pem").chmod(0o644)


def test_what_would_end_a_host_is_said_by_the_check(roomful, folder, certificates):
    (folder / "text").write_text("no PEM")
    (folder / "folder").mkdir()
    (folder / "site.key").write_text("ab" * 32)
    (folder / "site.key").chmod(0o644)
    for text, line, words in [
        ("cert = 'cert.pem'\nkey = 'other.pem'", 1, "is not that of the certificate in"),
        ("cert = 'cert.pem'\nkey = 'open.pem'", 2, "every user of this machine may open it"),
        ("cert = 'text'\nkey = 'key.pem'", 1, "PEM"),
        ("site = 'nats://127.0.0.1:1'\nsite-key = 'site.key'", 2, "run: chmod 600"),
        ("\ncode-file = 'folder'", 2, "is no file that can be replaced"),
        ("\ncode-file = 'nowhere/ticket'", 2, "No such file or directory"),
        ("\nrecord = 'text/evenings/'", 2, "/text is a file"),
        ("\nmetrics = '203.0.113.9:9464'", 2, "metrics cannot be served at 203.0.113.9:9464"),
    ]:
        (folder / "rooms.toml").write_text(text)
        code, out, err = roomful("config", "check", folder / "rooms.toml")
        assert (code, out) == (2, ""), text
        assert err.startswith(f"roomful: {folder}/rooms.toml:{line}: ") and words in err, err


def test_what_may_be_otherwise_for_a_service_is_said_and_taken(roomful, folder):
    """systemd makes a service's folder below /run as it starts it."""
    (folder / "rooms.toml").write_text("\ncode-file = '/run/roomful-of-a-service/ticket'")
    code, out, err = roomful("config", "check", folder / "rooms.toml")
    assert code == 0 and "the file can be taken" in out
    assert err == (f"roomful: {folder}/rooms.toml:2: code-file: as this user, now, /run/roomful-of-a-service cannot be opened: "
                   "No such file or directory\n")


def test_another_users_folder_is_said_and_taken(folder):
    (folder / "theirs").mkdir(mode=0)
    (folder / "rooms.toml").write_text("code-file = 'theirs/ticket'")
    # Root may open every folder, but for one that has given up its capabilities.
    humbly = ["setpriv", "--bounding-set=-all", "--inh-caps=-all"] if os.geteuid() == 0 else []
    done = subprocess.run(
        [*humbly, os.path.abspath(PROGRAM), "config", "check", folder / "rooms.toml"], capture_output=True, text=True,
        check=False)
    (folder / "theirs").chmod(0o700)
    assert done.returncode == 0 and "theirs cannot be opened: Permission denied" in done.stderr, done


def test_a_check_makes_nothing(roomful, folder, certificates):
    """Of what a host would make, and of what it would use."""
    text = "state = 'kept'\ncode-file = 'ticket'\nrecord = 'evenings/'\npseudonyms = 'study.key'\nmetrics = '127.0.0.1:0'\n"
    (folder / "rooms.toml").write_text(text + "cert = 'cert.pem'\nkey = 'key.pem'\n")
    before = sorted(folder.iterdir())
    code, _, err = roomful("config", "check", folder / "rooms.toml")
    assert (code, err) == (0, "") and sorted(folder.iterdir()) == before


def test_only_files_are_read(roomful, folder):
    os.mkfifo(folder / "pipe")
    for path in (folder / "pipe", folder, folder / "gone"):
        code, _, err = roomful("config", "check", path)
        assert code == 2 and str(path) in err
    (folder / "long").write_text("#" * 300_000)
    assert "256 KiB" in roomful("config", "check", folder / "long")[2]


def test_the_example_is_whole_and_can_be_taken(roomful, folder):
    """Every flag of `roomful host` is a key of the example, with its sentence; the example as printed is good."""
    code, example, _ = roomful("config", "print")
    assert code == 0
    # What is printed as usual is usual: a key that is left as it stands means nothing else.
    for text in (example, re.sub(r"^#([a-z-]+ = )", r"\1", example, flags=re.MULTILINE)):
        (folder / "rooms.toml").write_text(text)
        code, _, err = roomful("config", "check", folder / "rooms.toml")
        assert (code, err) == (0, "")
    assert "\n#record =\n" in example and "#open-loopback = false" in example
    command = json.loads(roomful("--experimental-dump-help")[1])["command"]
    host = next(each for each in command["subcommands"] if each["commandName"] == "host")
    flags = {
        argument["preferredName"]["name"]
        for argument in host["arguments"]
        if argument["shouldDisplay"] and argument["kind"] != "positional" and argument["preferredName"]["kind"] == "long"
    }
    assert "jump,shake" in example and "#low-pass = 0.1\n" in example
    keys = set(re.findall(r"^#([a-z-]+) =", example, re.MULTILINE))
    opposites = {flag for flag in flags if flag.removeprefix("no-") != flag and flag.removeprefix("no-") in flags}
    assert keys == flags - opposites - {"config", "json", "help", "version", "verbose"}


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (["--seats", "3"], "write seats = 3 into"),
        (["Foo", "--no-qr"], 'write name = "Foo", qr = false into'),
        (["-v"], "-v is no key of it: leave it out"),
        (["--verbose"], "--verbose is no key of it: leave it out"),
    ],
)
def test_flags_beside_a_file_are_refused(roomful, folder, flags, words):
    """With words that the file takes, where it takes any."""
    (folder / "rooms.toml").write_text(TWO)
    code, _, err = roomful("host", "--config", folder / "rooms.toml", *flags)
    assert code == 2 and words in err, err


def test_a_flag_that_can_be_turned_off_is_one_key(roomful, folder):
    """`qr = false` meant nothing once, as the parser describes --qr and --no-qr as two flags."""
    _, example, _ = roomful("config", "print")
    assert "#qr = true" in example and "no-qr" not in example
    (folder / "rooms.toml").write_text("no-qr = true")
    code, _, err = roomful("config", "check", folder / "rooms.toml")
    assert code == 2 and "there is no key no-qr" in err


def test_motion_is_low_passed_as_the_host_was_told(host, plays):
    room = host("Hall", "--low-pass", "0.5")
    plays("Hall", "Blue")
    heard = room.listen({"task": "events", "motion": True})
    assert next(event for event in heard if event["type"] == "motion")["lowPassFactor"] == 0.5
