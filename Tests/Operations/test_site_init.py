"""`roomful site init`: a site's secrets, for their owner alone, and its broker's certificate."""
import os
import shlex
import stat
import subprocess
from pathlib import Path

from site_rooms import connected, problem


def test_what_site_init_writes_is_for_its_owner_alone(site, roomful):
    assert stat.S_IMODE((site.folder / "site").stat().st_mode) == 0o700
    for path in filter(Path.is_file, (site.folder / "site").iterdir()):
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0, path
    for role in ("host", "game", "operator", "reader"):
        secret = (site.folder / f"site/{role}.credentials").read_text().strip().split(":")[1]
        assert len(secret) == 32 and secret not in site.words and role in site.words
    code, _, err = roomful("site", "init", site.folder / "site")
    assert code == 2 and "a site already" in err
    assert roomful("site", "init", site.folder / "other", "--name", "A B")[0] == 2
    assert roomful("site", "init", site.folder / "other", "--listen", "nowhere")[0] == 2


def test_site_init_writes_no_secrets_where_others_may_write_and_its_words_are_a_shells(roomful, folder):
    """Whoever may write in the folder could put passwords there that they know."""
    place = folder / "it's a site"
    code, out, err = roomful("site", "init", place)
    assert (code, err) == (0, "")
    for line in (line for line in out.splitlines() if str(folder) in line):
        assert str(place) not in line and "it'\\''s a site" in line, line
    line = next(line for line in out.splitlines() if line.startswith("operator:"))
    assert f"{place}/operator.credentials" in shlex.split(line.removeprefix("operator:"))
    open_to_all = folder / "open"
    open_to_all.mkdir()
    open_to_all.chmod(0o777)
    code, _, err = roomful("site", "init", open_to_all)
    assert code == 1 and "open to other users" in err and not list(open_to_all.iterdir())
    link = folder / "link"
    link.symlink_to(open_to_all)
    assert roomful("site", "init", link)[0] == 1
    if os.geteuid() == 0:
        others = folder / "others"
        others.mkdir(mode=0o700)
        os.chown(others, 65534, 65534)
        code, _, err = roomful("site", "init", others)
        assert code == 1 and "belongs to another user" in err and not list(others.iterdir())


def test_with_a_certificate_nothing_crosses_in_the_clear(roomful, folder, brokers, host):
    place = folder / "broker"
    place.mkdir()
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj",
         "/CN=broker", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", place / "key.pem", "-out", place / "cert.pem"],
        check=True, capture_output=True)
    # What no broker would start with is refused before anything is written.
    for cert, key, words in (("key.pem", "cert.pem", "holds no certificate"), ("cert.pem", "gone.pem", "cannot read")):
        code, out, err = roomful("site", "init", place / "site", "--cert", place / cert, "--key", place / key)
        assert (code, out) == (2, "") and words in err and not (place / "site").exists(), err
    code, out, err = roomful("site", "init", place / "site", "--cert", place / "cert.pem", "--key", place / "key.pem")
    assert code == 0 and "tls://" in out, err
    broker = brokers(place / "site/nats-server.conf")
    given = ["--site-credentials", place / "site/host.credentials"]
    tls = broker.url.replace("nats://", "tls://")
    believed = host("Hall", "--site", tls, "--site-ca", place / "cert.pem", *given)
    connected(believed)
    doubted = host("Attic", "--site", tls, *given)
    assert "--site-ca" in problem(doubted)
    clear = host("Cellar", "--site", broker.url, *given)
    assert "tls://" in problem(clear)
