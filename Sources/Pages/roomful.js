// The module for games: see Documentation/WEB.md, section 5.
