#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`bench/bot_of`: builds the program of a commit once, whatever the checkout contains, and reports errors. Uses a small
repository with a program that prints a different word in each commit.
"""
import pathlib
import shutil
import subprocess
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).parents[2] / "bench/bot_of"
MESON = """project('small', 'c')
if get_option('device').enabled() or get_option('tests').enabled()
  error('not without what bots do not need')
endif
subdir('tools')
"""
OPTIONS = "".join(f"option('{name}', type: 'feature', value: 'enabled')\n" for name in ("device", "tests"))


class BotOf(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.folder.name)
        self.git("init", "--quiet")
        self.write("bench/bot_of", SCRIPT.read_text()).chmod(0o755)
        self.write("meson.build", MESON)
        self.write("meson_options.txt", OPTIONS)
        self.write("tools/meson.build", "executable('carom', 'main.c')\n")

    def tearDown(self):
        self.folder.cleanup()

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        return path

    def git(self, *words):
        name = ["-c", "user.name=test", "-c", "user.email=test@localhost"]
        return subprocess.run(["git", "-C", self.root, *name, *words], check=True, text=True,
                              stdout=subprocess.PIPE).stdout.strip()

    def commit(self, main):
        self.write("tools/main.c", main)
        self.git("add", ".")
        self.git("commit", "--quiet", "--message", "one more")
        return self.git("rev-parse", "HEAD")

    def saying(self, word):
        return self.commit(f'#include <stdio.h>\nint main(void)\n{{\n    return puts("{word}") < 0;\n}}\n')

    def run_script(self, *words, **options):
        return subprocess.run([self.root / "bench/bot_of", *words], text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, **options)

    def program(self, commit):
        done = self.run_script(commit)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.strip()

    def words_of(self, commit):
        return subprocess.run([self.program(commit)], check=True, text=True, stdout=subprocess.PIPE).stdout.strip()

    def test_programs(self):
        old, new = self.saying("old"), self.saying("new")
        self.write("tools/main.c", "what is not committed does not count")
        self.assertEqual(self.words_of(old), "old")
        self.assertEqual(self.words_of("HEAD"), "new")
        self.assertEqual(self.program(old[:9]), self.program(old))
        self.assertEqual(sorted(path.name for path in (self.root / "build-commits").iterdir()), sorted([old, new]))

        # A built program is not built again: there is no compiler any more.
        bare = {"PATH": self.tools_without("meson", "ninja")}
        again = self.run_script(new, env=bare)
        self.assertEqual((again.returncode, again.stderr), (0, ""))
        self.assertEqual(again.stdout.strip(), self.program(new))

    def tools_without(self, *missing):
        """A folder of links to the script's tools, except the missing ones."""
        folder = self.root / "tools-of-test"
        folder.mkdir()
        for name in ("bash", "env", "dirname", "git", "mkdir", "mktemp", "rm", "tar", "grep", "uname", "tail", "mv"):
            where = shutil.which(name)
            if name not in missing and where is not None:
                (folder / name).symlink_to(where)
        return str(folder)

    def test_does_not_build(self):
        bad = self.commit("int main(void)\n{\n    return nothing;\n}\n")
        done = self.run_script(bad)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("nothing", done.stderr)
        self.assertIn(f"the commit {bad} does not build", done.stderr)
        self.assertEqual(list((self.root / "build-commits").iterdir()), [])

    def test_refused(self):
        self.saying("word")
        for words, problem in (((), "usage"), (("HEAD", "HEAD"), "usage"), (("--help",), "usage"),
                               (("no-such-branch",), "no commit 'no-such-branch'")):
            done = self.run_script(*words)
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertIn(problem, done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
