# SPDX-License-Identifier: MIT
"""A private Slurm cluster on this machine: slurmctld and two slurmd with one processor each.

It needs no root, munge or cgroups, and leaves nothing behind: all files are in one folder, and every process that it
started is killed by its pid.
"""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
from contextlib import suppress
from pathlib import Path

from jobs import wait_for

NODES = "one", "two"
PROGRAMS = "slurmctld", "slurmd", "sbatch", "squeue", "sinfo", "scancel", "scontrol"


def missing() -> list[str]:
    """The programs of Slurm that are not installed."""
    return [name for name in PROGRAMS if find(name) is None]


def find(name: str) -> str | None:
    return shutil.which(name, path=os.environ.get("PATH", os.defpath) + ":/usr/sbin")


class Cluster:
    """Starts it; `close` ends it. Programs of Slurm find it by `environment`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = {**os.environ, "SLURM_CONF": str(folder / "slurm.conf")}
        self._daemons: dict[str, subprocess.Popen[bytes]] = {}
        try:
            self._start_all()
        except BaseException:
            self.close()
            print(self.log())
            raise

    def kill_node(self, name: str) -> None:
        """Kills a node as a failure of its power would: its slurmd, then its slurmstepd, then their tasks."""
        self._daemons[name].kill()
        self._daemons.pop(name).wait()
        tasks = self.tasks(name)
        parents = {parent(task) for task in tasks}
        for process in [*(process for process in parents if name_of(process) == "slurmstepd"), *tasks]:
            os.kill(process, signal.SIGKILL)

    def tasks(self, name: str) -> list[int]:
        """The processes of the jobs on a node."""
        return [process for process, text in self._processes() if f"\0SLURMD_NODENAME={name}\0" in text]

    def run(self, program: str, *words: object, folder: Path | None = None) -> str:
        """The output of a Slurm program."""
        command = [str(find(program)), *map(str, words)]
        found = subprocess.run(
            command, env=self.environment, cwd=folder, text=True, capture_output=True, check=False, timeout=60
        )
        assert found.returncode == 0, f"{command}: {found.stderr}"
        return found.stdout

    def close(self) -> None:
        """Ends every process that belongs to it."""
        for daemon in self._daemons.values():
            daemon.terminate()
        for daemon in self._daemons.values():
            try:
                daemon.wait(timeout=10)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()
        for process, _ in self._processes():
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)

    def log(self) -> str:
        """The daemons' logs."""
        return "\n".join(path.read_text(errors="replace") for path in sorted(self.folder.glob("*.log")))

    def _start_all(self) -> None:
        with Ports(1 + len(NODES)) as ports:
            (self.folder / "slurm.conf").write_text(self._configuration(ports), encoding="utf-8")
        (self.folder / "state").mkdir()
        self._start("slurmctld", "slurmctld", "-D", "-i")
        wait_for(lambda: listens(ports[0]))
        for node in NODES:
            (self.folder / node).mkdir()
            self._start(node, "slurmd", "-D", "-N", node)
        idle = ["idle"] * len(NODES)
        wait_for(lambda: self.run("sinfo", "--noheader", "--Node", "--format=%t").split() == idle, every=0.2)

    def _start(self, name: str, program: str, *words: str) -> None:
        with (self.folder / f"{name}.log").open("ab") as log:
            self._daemons[name] = subprocess.Popen(
                ["setpriv", "--pdeathsig=KILL", str(find(program)), *words],  # in case the test itself is killed
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def _processes(self) -> list[tuple[int, str]]:
        """Every process started for it, except the test itself, with its environment."""
        mine = f"\0SLURM_CONF={self.folder}/slurm.conf\0"
        found = []
        for path in Path("/proc").glob("[0-9]*/environ"):
            with suppress(OSError):  # it has ended, or is another user's
                text = "\0" + path.read_text(encoding="utf-8", errors="replace")
                if mine in text and path.parent.name != str(os.getpid()):
                    found.append((int(path.parent.name), text))
        return found

    def _configuration(self, ports: list[int]) -> str:
        host, user = socket.gethostname(), pwd.getpwuid(os.getuid()).pw_name
        lines = [
            "ClusterName=carom",
            f"SlurmctldHost={host}(127.0.0.1)",
            f"SlurmctldPort={ports[0]}",
            f"SlurmUser={user}",
            f"SlurmdUser={user}",
            "AuthType=auth/none",
            "CredType=cred/none",
            "AuthInfo=cred_expire=5",  # seconds between the end of a job and its next attempt
            "ProctrackType=proctrack/pgid",
            "TaskPlugin=task/none",
            "JobAcctGatherType=jobacct_gather/none",
            "MpiDefault=none",
            "SelectType=select/cons_tres",
            "SchedulerType=sched/builtin",
            "SchedulerParameters=sched_interval=1",
            "SlurmdTimeout=10",  # seconds of silence after which a node is down
            "MessageTimeout=5",
            "KillWait=1",
            "ReturnToService=2",
            f"StateSaveLocation={self.folder}/state",
            f"SlurmctldPidFile={self.folder}/slurmctld.pid",
            f"SlurmdSpoolDir={self.folder}/%n",
            f"SlurmdPidFile={self.folder}/%n.pid",
            "PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE",
        ]
        for node, port in zip(NODES, ports[1:], strict=True):
            lines.append(f"NodeName={node} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs=1")
        return "\n".join(lines) + "\n"


class Ports:
    """Free port numbers, reserved until the block ends."""

    def __init__(self, count: int) -> None:
        self._sockets = [socket.socket() for _ in range(count)]

    def __enter__(self) -> list[int]:
        for held in self._sockets:
            held.bind(("127.0.0.1", 0))
        return [int(held.getsockname()[1]) for held in self._sockets]

    def __exit__(self, *_: object) -> None:
        for held in self._sockets:
            held.close()


def listens(port: int) -> bool:
    """Does a program listen there?"""
    with suppress(ConnectionRefusedError), socket.create_connection(("127.0.0.1", port)):
        return True
    return False


def parent(process: int) -> int:
    """The process that has started it."""
    text = Path(f"/proc/{process}/status").read_text(encoding="utf-8")
    return int(text.partition("PPid:")[2].split()[0])


def name_of(process: int) -> str:
    """The name of its program."""
    return Path(f"/proc/{process}/comm").read_text(encoding="utf-8").strip()
