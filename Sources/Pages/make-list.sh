#!/usr/bin/env bash
# Writes pages.c anew: run it after a file came, went or was renamed in this folder (not after mere changes).
set -euo pipefail
cd "$(dirname "$0")"
name() { printf '%s' "$1" | tr -c 'a-zA-Z0-9' '_'; }
files=$(find . -type f \( -name '*.html' -o -name '*.css' -o -name '*.js' -o -name '*.svg' -o -name '*.webmanifest' \
    -o -name '*.png' \) -printf '%P\n' | LC_ALL=C sort)
{
    printf '// Made by make-list.sh. The bytes come from the files themselves at build time (C23, 6.10.3).\n'
    printf '#include "pages.h"\n\n#pragma clang diagnostic ignored "-Wc23-extensions"\n\n'
    for file in $files; do
        printf 'static const unsigned char %s[] = {\n#embed "%s"\n};\n' "$(name "$file")" "$file"
    done
    printf '\nstatic const struct roomful_page pages[] = {\n'
    for file in $files; do printf '    {"%s", %s, sizeof %s},\n' "$file" "$(name "$file")" "$(name "$file")"; done
    printf '};\n\nconst struct roomful_page *const roomful_pages = pages;\nconst size_t roomful_page_count = sizeof pages / sizeof pages[0];\n'
} >pages.c
