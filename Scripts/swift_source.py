"""Swift's lines without what compilers do not read, and what they import: for scripts that look into sources."""
import re

IMPORT = re.compile(r"\s*(?:\S+\s+)*?import (?:(?:struct|class|enum|protocol|func|var|let|typealias) )?(\w+)")
# Texts of one line and of several, and comments; whichever begins first hides the others in it.
HIDDEN = re.compile(r'"""(?:\\.|[^\\])*?"""|"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/', re.DOTALL)


def code(text: str) -> list[str]:
    """The lines without comments and without what strings say."""
    def empty(match: re.Match) -> str:
        quotes = '""' if match.group(0).startswith('"') else ""
        return quotes + "\n" * match.group(0).count("\n")
    return HIDDEN.sub(empty, text).splitlines()
