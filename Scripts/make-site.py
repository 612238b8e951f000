#!/usr/bin/env python3
"""Makes the documentation as static pages, in .build/site: the API by DocC, and the guides of Documentation/.

    make-site.py [FOLDER]     into another folder

Needs a debug build, or that in ROOMFUL_BUILT, and `docc`, which comes with the toolchain. The pages load nothing from
elsewhere; they want a server, though, and JavaScript: python3 -m http.server --directory .build/site
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from symbol_graphs import ROOT, SOURCES, Build

# The modules that are products, by catalogue; what `import Roomful` hands on is shown as Roomful's.
MODULES = ["Roomful", "SessionCoordinator", "ControllerSession", "InputMerge", "RoomEngine", "WireProtocol"]
DOCUMENTS = ROOT / "Documentation"
# In the order of the page that lists them; each document there is one, and each schema is served as it is.
GUIDES = [
    "RUNNING", "GESTURES", "RECORDING", "WEB", "SITE", "WIRE-FORMAT", "MULTIPEER", "SECURITY", "PRIVACY", "FAULTS",
    "PERFORMANCE", "DESIGN", "GLOSSARY"]
SCHEMAS = sorted(DOCUMENTS.glob("*.schema.json"))


def reexported() -> list[str]:
    exports = (SOURCES / "Roomful" / "Exports.swift").read_text()
    # Whole modules: of what is handed on by itself, its module shows the pages.
    return re.findall(r"^@_exported public import (\w+)$", exports, re.MULTILINE)


DEAD_LINKS: list[str] = []


def convert(*arguments: str) -> None:
    said = subprocess.run(["docc", "convert", *arguments], capture_output=True, text=True)
    if said.returncode:
        sys.exit(f"docc: {said.stderr[-2_000:]}")
    said = (said.stdout + said.stderr).splitlines()
    # Each warning stands before the line that says where.
    DEAD_LINKS.extend(f"{where.strip()} {what}" for what, where in zip(said, said[1:]) if "doesn't exist at" in what)


def archive(build: Build, module: str, work: pathlib.Path) -> pathlib.Path:
    graphs = work / f"{module}.graphs"
    graphs.mkdir()
    options = ["-experimental-allowed-reexported-modules=" + ",".join(reexported())] if module == "Roomful" else []
    build.extract(module, graphs, *options)
    catalogue = SOURCES / module / f"{module}.docc"
    target = work / f"{module}.doccarchive"
    convert(
        *([str(catalogue)] if catalogue.exists() else []), "--additional-symbol-graph-dir", str(graphs),
        "--fallback-display-name", module, "--fallback-bundle-identifier", f"roomful.{module}",
        "--output-dir", str(target))
    return target


def guide(name: str) -> str:
    """A document as DocC reads it: its links lead to the other guides, and to where the files are."""
    def follow(link: re.Match) -> str:
        words, target = link.group(1), link.group(2)
        file = target.partition("#")[0]
        if file.removesuffix(".md") in GUIDES:
            return f"[{words}](<doc:{file.removesuffix('.md')}>)"
        if DOCUMENTS / file in SCHEMAS:
            return f"[{words}](/{file})"
        return link.group(0) if target.startswith("http") else words
    text = re.sub(r"<!--.*?-->\n?", "", (DOCUMENTS / f"{name}.md").read_text(), flags=re.DOTALL)
    return re.sub(r"\[([^\]]+)\]\(([^)\s]+)\)", follow, text)


def guides(work: pathlib.Path) -> pathlib.Path:
    catalogue = work / "Guides.docc"
    catalogue.mkdir()
    for name in GUIDES:
        (catalogue / f"{name}.md").write_text(guide(name))
    links = "\n".join(f"- <doc:{name}>" for name in GUIDES)
    schemas = " and ".join(f"[{schema.name}](/{schema.name})" for schema in SCHEMAS)
    (catalogue / "Guides.md").write_text(
        "# Guides\n\n@Metadata {\n  @TechnologyRoot\n}\n\nHow to run rooms, make games, write controllers, and why it is "
        f"built as it is.\n\nWhat rooms and sites tell: {schemas}.\n\n## Topics\n\n{links}\n")
    target = work / "Guides.doccarchive"
    convert(
        str(catalogue), "--fallback-display-name", "Guides", "--fallback-bundle-identifier", "roomful.guides",
        "--output-dir", str(target))
    return target


def main() -> None:
    if left_out := {document.stem for document in DOCUMENTS.glob("*.md")} ^ set(GUIDES):
        sys.exit(f"GUIDES here and Documentation differ: {' '.join(sorted(left_out))}")
    site = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / ".build" / "site"
    build = Build()
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        archives = [guides(work)] + [archive(build, module, work) for module in MODULES]
        if DEAD_LINKS:
            sys.exit("links that lead nowhere:\n" + "\n".join(DEAD_LINKS))
        merged = work / "site"
        subprocess.run(
            ["docc", "merge", *map(str, archives), "--synthesized-landing-page-name", "Roomful",
             "--synthesized-landing-page-topics-style", "list", "--output-path", str(merged)], check=True)
        (merged / "index.html").write_text(
            '<!doctype html><meta charset="utf-8"><title>Roomful</title>'
            '<meta http-equiv="refresh" content="0; url=documentation/">'
            '<a href="documentation/">Documentation</a>\n')
        for page in merged.rglob("*.json"):
            # DocC gives keys no order: the same sources make the same bytes.
            page.write_text(json.dumps(json.loads(page.read_text()), sort_keys=True, ensure_ascii=False, separators=(",", ":")))
        for schema in SCHEMAS:
            shutil.copyfile(schema, merged / schema.name)
        shutil.rmtree(site, ignore_errors=True)
        shutil.move(merged, site)
    files = [f for f in site.rglob("*") if f.is_file()]
    print(f"{len(files):,} files, {sum(f.stat().st_size for f in files) / 1e6:.1f} MB: {site}")
    print(f"to read them: python3 -m http.server --directory {site}")


main()
