"""The gate of the README, run as printed: its shell commands, then the steps of its workflow.

usage: readme_gate_test.py ATTNROOF README.md

In place of the shipped `ci` stands a config that takes a moment on the CPU and forgives any time: what
is tried is that the commands fit together, not the machine.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import textwrap

CONFIG = """{"kernels": ["fused"], "axes": {"seq_len": 128, "head_dim": 64}, "timing": {"max_seconds": 0.01},
"counters": "off",
"gate": {"limits": [{"cases": "*", "percent": 4, "seconds": 1}], "required": ["forward/fused/*"]}}"""

WRAPPER = """#!/bin/bash
[ "$1" != sweep ] || set -- "$@" --no-ceilings
for word; do [ "$word" = ci ] && word=tiny.json; words+=("$word"); done
exec "{}" "${{words[@]}}"
"""


def shell_blocks(section):
    return [textwrap.dedent(block) for block in re.findall(r"(?:^    .*\n)+", section, re.M)]


def workflow_steps(section):
    """name -> command of each step with one, by indentation: a YAML library is not needed for that."""
    text = re.search(r"```yaml\n(.*?)```", section, re.S).group(1)
    return dict(re.findall(r"- name: (\w+)\n(?: +if: .*\n)? +run: (.*)\n", text))


def main():
    attnroof, readme = (pathlib.Path(arg).resolve() for arg in sys.argv[1:])
    section = readme.read_text().split("## A gate for CI\n")[1].split("\nEvery case of either report")[0]
    baseline, gate = shell_blocks(section.split("```yaml")[0])
    steps = workflow_steps(section)
    assert list(steps) == ["build", "sweep", "gate", "summary"], steps

    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "tiny.json").write_text(CONFIG)
        (folder / "bin").mkdir()
        (folder / "bin/attnroof").write_text(WRAPPER.format(attnroof))
        (folder / "bin/attnroof").chmod(0o755)
        (folder / "dev").write_text('#!/bin/sh\n[ "$1" = build ]\n')
        (folder / "dev").chmod(0o755)
        environment = dict(os.environ, PATH=f"{folder}/bin:{os.environ['PATH']}",
                           GITHUB_PATH=str(folder / "path"), GITHUB_STEP_SUMMARY=str(folder / "summary"))

        def run(command):
            done = subprocess.run(["bash", "-ec", command], cwd=folder, env=environment, text=True, capture_output=True)
            assert done.returncode == 0, f"{command}: exit code {done.returncode}\n{done.stdout}{done.stderr}"

        run(baseline)
        before = (folder / "baseline1.json").read_bytes()
        run(gate)
        for name in ("gate.md", "gate.xml"):
            assert (folder / name).stat().st_size > 0, name
            (folder / name).unlink()
        for name, command in steps.items():
            run(command)
        assert (folder / "path").read_text().strip().endswith("build/release")
        assert "1 same" in (folder / "summary").read_text(), (folder / "summary").read_text()
        assert (folder / "gate.xml").stat().st_size > 0
        assert (folder / "baseline1.json").read_bytes() == before
    print("the gate of the README runs as printed")


if __name__ == "__main__":
    main()
