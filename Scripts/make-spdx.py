#!/usr/bin/env python3
"""Lists what is inside the program, with versions and licences, as SPDX 2.3 (JSON).

usage: make-spdx.py VERSION BUILD-FOLDER

BUILD-FOLDER holds the checkouts that the program was built from; versions come from Package.resolved beside
Package.swift. With --texts it prints the licences' and notices' own words instead, for a package's copyright file.
"""
import argparse
import json
import os
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent

# What a package carries inside that is not its author's own, and is compiled into the program.
CARRIED = {
    "swift-nio-ssl": [("boringssl", "ISC AND OpenSSL AND Apache-2.0", "https://boringssl.googlesource.com/boringssl")],
    "swift-crypto": [
        ("boringssl", "ISC AND OpenSSL AND Apache-2.0", "https://boringssl.googlesource.com/boringssl"),
        ("xkcp", "CC0-1.0", "https://github.com/XKCP/XKCP"),
    ],
    "swift-nio": [("llhttp", "MIT", "https://github.com/nodejs/llhttp")],
    "tomlkit": [("tomlplusplus", "MIT", "https://github.com/marzer/tomlplusplus")],
}
# What the static runtime of the toolchain brings along.
RUNTIME = [
    ("swift-runtime", "Apache-2.0 WITH Swift-exception", "https://github.com/swiftlang/swift"),
    ("swift-foundation", "Apache-2.0 WITH Swift-exception", "https://github.com/swiftlang/swift-foundation"),
    ("swift-corelibs-libdispatch", "Apache-2.0 WITH Swift-exception", "https://github.com/swiftlang/swift-corelibs-libdispatch"),
    ("icu", "Unicode-3.0", "https://github.com/swiftlang/swift-foundation-icu"),
]


def licence(text: str) -> str:
    """The SPDX identifier of a licence's text; NOASSERTION for one that this script does not know."""
    if "Apache License" in text[:400]:
        return "Apache-2.0 WITH Swift-exception" if "Runtime Library Exception" in text else "Apache-2.0"
    if "Permission is hereby granted, free of charge" in text:
        return "MIT"
    return "NOASSERTION"


def licence_file(folder: Path) -> Path:
    found = sorted(folder.glob("LICENSE*"))
    if not found:
        raise SystemExit(f"make-spdx.py: {folder} has no LICENSE")
    return found[0]


def linked(build: Path) -> list[tuple[str, dict, Path]]:
    """Name, state and folder of each package."""
    pins = json.loads((HERE / "Package.resolved").read_text())["pins"]
    folders = {each.name.lower(): each for each in (build / "checkouts").iterdir()}
    result = []
    for pin in pins:
        name = pin["location"].rstrip("/").removesuffix(".git").rsplit("/", 1)[1]
        folder = folders.get(name.lower())
        if folder is None:
            raise SystemExit(f"make-spdx.py: {build} holds no checkout of {name}; build first")
        result.append((pin["identity"], pin, folder))
    return result


def package(identifier: str, name: str, version: str, licence: str, location: str) -> dict:
    return {
        "SPDXID": f"SPDXRef-{identifier}", "name": name, "versionInfo": version, "downloadLocation": location,
        "filesAnalyzed": False, "licenseConcluded": licence, "licenseDeclared": licence, "copyrightText": "NOASSERTION",
    }


def document(version: str, build: Path) -> dict:
    epoch = int(os.environ.get("SOURCE_DATE_EPOCH", time.time()))
    packages = [package("roomful", "roomful", version, "MIT", "NOASSERTION")]
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-roomful")]
    for identity, pin, folder in linked(build):
        state = pin["state"]
        name = identity.replace("_", "-")
        packages.append(
            package(
                name, identity, state.get("version", state["revision"]), licence(licence_file(folder).read_text()),
                f"git+{pin['location']}@{state['revision']}"))
        relations.append(("SPDXRef-roomful", "STATIC_LINK", f"SPDXRef-{name}"))
        for part, terms, location in CARRIED.get(identity, []):
            packages.append(package(f"{name}-{part}", part, "NOASSERTION", terms, location))
            relations.append((f"SPDXRef-{name}", "CONTAINS", f"SPDXRef-{name}-{part}"))
    for name, terms, location in RUNTIME:
        packages.append(package(name, name, "NOASSERTION", terms, location))
        relations.append(("SPDXRef-roomful", "STATIC_LINK", f"SPDXRef-{name}"))
    return {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"roomful-{version}",
        "documentNamespace": f"https://spdx.org/spdxdocs/roomful-{version}-{epoch}",
        "creationInfo": {
            "created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(epoch)), "creators": ["Tool: make-spdx.py"],
        },
        "packages": packages,
        "relationships": [
            {"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other} for one, kind, other in relations
        ],
    }


def texts(build: Path) -> str:
    """Each text once, under the names of those that it is for."""
    by_text: dict[str, list[str]] = {(HERE / "LICENSE").read_text(): ["roomful"]}
    for identity, _, folder in linked(build):
        by_text.setdefault(licence_file(folder).read_text(), []).append(identity)
        for notice in sorted(folder.glob("NOTICE*")):
            by_text.setdefault(notice.read_text(), []).append(f"{identity} ({notice.name})")
    rule = "=" * 100
    return "\n".join(f"{rule}\n{', '.join(names)}\n{rule}\n\n{text.strip()}\n" for text, names in by_text.items())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("version")
    parser.add_argument("build", type=Path)
    parser.add_argument("--texts", action="store_true")
    arguments = parser.parse_args()
    if arguments.texts:
        print(texts(arguments.build), end="")
    else:
        print(json.dumps(document(arguments.version, arguments.build), indent=2, ensure_ascii=False))


if __name__ == "__main__":
    main()
