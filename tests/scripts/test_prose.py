#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`scripts/check_prose`: sees what its list names in prose of every kind of file, and does not read code.

usage: test_prose.py [unittest options]
"""
import importlib.machinery
import importlib.util
import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
PROGRAM = Path(__file__).resolve().parents[2] / "scripts" / "check_prose"
loader = importlib.machinery.SourceFileLoader("check_prose", str(PROGRAM))
prose = importlib.util.module_from_spec(importlib.util.spec_from_loader("check_prose", loader))
loader.exec_module(prose)
ROWS = prose.patterns(prose.PATTERNS.read_text(encoding="utf-8"))

# One bad sentence for every row of the list, in its order; then sentences that must pass.
BAD = [
    "The table is written anew.", "Nobody reads it.", "It has a folder of its own.", "The game goes on.",
    "The function is asked for a number.", "The reason stands in the log.", "It is installed beside the command.",
    "It stops after so many rounds.", "Who wants more calls it twice.", "An index that there is not is refused.",
    "It ought to be 0.", "A bad row is let through.", "A copy is taken for the original.", "It gives back the rows.",
    "It takes the greatest pause of late.", "The checksum is put right.", "All are drawn in one go.",
    "A branch that it cannot foretell.", "The licence wants to be read.", "Unfinished ones count for nothing.",
]
GOOD = [
    "Each of its own pods has a name.", "So many bodies meet that the tick takes long.",
    "The two cannot be told apart.", "NULL stands for zeros.", "Who plays?", "The player who acts is first.",
    "It says that there is no game.",
]


def found(name, text):
    return [line for line, _, _ in prose.findings(Path(name), text, ROWS)]


class List(unittest.TestCase):
    def test_rows(self):
        self.assertLessEqual(len(ROWS), prose.MOST_PATTERNS)
        self.assertTrue(all(instead for _, instead in ROWS))

    def test_each_row_sees_its_sentence(self):
        self.assertEqual(len(BAD), len(ROWS))
        for sentence, (pattern, _) in zip(BAD, ROWS):
            self.assertTrue(pattern.search(sentence), sentence)
            self.assertEqual(found("page.md", sentence), [1], sentence)

    def test_good_sentences(self):
        for sentence in GOOD:
            self.assertEqual(found("page.md", sentence), [], sentence)


class Files(unittest.TestCase):
    def test_pages(self):
        text = "```c\nnobody(); /* anew */\n```\n`nobody` and <!-- anew -->\n\n    nobody anew\n\nIt starts\nanew.\n"
        self.assertEqual(found("page.md", text), [9])

    def test_c(self):
        text = ('/* SPDX\n * It starts\n * anew. */\nint nobody = 0; // "nobody" --beside\n'
                'f("anew"); // nobody\nc = \'"\'; /* anew */\n')
        for name in ("a.c", "a.h", "a.cc", "a.js"):
            self.assertEqual(found(name, text), [3, 5, 6], name)

    def test_a_phrase_in_two_lines(self):
        self.assertEqual(found("a.h", "/* The game goes\n * on. */\n"), [1])
        self.assertEqual(found("a.c", "/* The game goes */\nint x; /* on */\n"), [])

    def test_python(self):
        text = ('"""A module,\nanew."""\nnobody = "anew"  # nobody\n\n\ndef f():\n    """Anew."""\n'
                '    return """anew"""\n')
        self.assertEqual(found("a.py", text), [2, 3, 7])
        self.assertEqual(found("program", "#!/usr/bin/env python3\n" + text), [3, 4, 8])

    def test_shell(self):
        text = "#!/bin/sh\n# Anew.\necho '# anew' \"# nobody\" a#nobody # anew\nnobody=${x#anew}\n"
        self.assertEqual(found("program", text), [2, 3])
        self.assertEqual(found("meson.build", "a = 'anew' # anew\nnobody = 1\n"), [1])

    def test_what_is_no_prose(self):
        self.assertEqual(found("data.json", "nobody anew"), [])
        self.assertEqual(found("data.csv", "nobody anew"), [])


if __name__ == "__main__":
    unittest.main()
