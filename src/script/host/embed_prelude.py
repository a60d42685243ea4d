"""embed_prelude.py OUT PART...: the parts of the prelude as one function, as C++ string literals."""
import sys

out, *parts = sys.argv[1:]
text = "(function (host) { 'use strict';\n"
for part in parts:
    with open(part, encoding="utf-8") as file:
        text += file.read()
text += "})"
with open(out, "w", encoding="utf-8") as file:
    for at in range(0, len(text), 8000):
        file.write('R"PRELUDE(' + text[at:at + 8000] + ')PRELUDE"\n')
