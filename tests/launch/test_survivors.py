# SPDX-License-Identifier: BSD-3-Clause
"""Who needs a dead process gets an error that names it, within seconds.

Under a launcher that does not end the job, some ranks of one or two nodes are killed;
each of the others must see its calls fail, be told so as a tool, say who has died, and
end by itself.
MPIEXEC and SURVIVORS name the launcher and the program, SLOW_YIELD a library that makes
yields as long as on a machine with many busy programs.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import unittest

MPIEXEC = os.environ["MPIEXEC"]
SURVIVORS = os.environ["SURVIVORS"]
BOUND = 20.0  # seconds until a call fails, on a machine that does much else
RANKS = 4

# Speaks to the launcher as Oriel's processes do, and dies when it has told where its
# network is: where rank 0 is, but for the ports, 1.
DIES_EARLY = """
import os, signal, socket

def ask(line):
    wire.sendall(line.encode() + b"\\n")
    return wire.recv(2000).decode()

wire = socket.socket(fileno=int(os.environ["PMI_FD"]))
ask("cmd=init pmi_version=1 pmi_subversion=1")
ask("cmd=barrier_in")
descriptor = ask("cmd=get key=oriel-node-0").split("value=")[1].split()[0]
segment, secret, port, address = descriptor.split(",")
address = address[:-28] + "0001" + address[-24:]
ask(f"cmd=put key=oriel-node-1 value={segment},{secret},1,{address}")
ask("cmd=barrier_in")
os.kill(os.getpid(), signal.SIGKILL)
"""


class Survivors(unittest.TestCase):
    def fails(
        self, call: str, dead: set[int], nodes: int = 2, preloaded: str = ""
    ) -> None:
        what = [MPIEXEC, "--keep-job", "-n", str(RANKS)]
        what += ["-env", "LD_PRELOAD", preloaded] if preloaded else []
        what += ["-env", "ORIEL_FAKE_NODES", str(nodes)]
        what += [SURVIVORS, call, *map(str, sorted(dead))]
        run = subprocess.run(what, capture_output=True, text=True, timeout=60)
        self.assertEqual(run.returncode, 137, run)
        survivors = set()
        for line in run.stdout.splitlines():
            said = re.fullmatch(
                r"rank (\d) after ([\d.]+) s, told (\d) times of (\d): (.*)", line
            )
            assert said, line
            survivors.add(int(said[1]))
            self.assertLess(float(said[2]), BOUND, line)
            self.assertIn("MPI_ERR_PROC_ABORTED", said[5], line)
            if "has died" in said[5]:  # not: the connection has been lost
                self.assertEqual(int(said[3]), 1, line)
                self.assertIn(int(said[4]), dead, line)
            named = re.search(r"rank (\d)", said[5])
            assert named, line
            self.assertIn(int(named[1]), dead, line)
        self.assertEqual(survivors, set(range(RANKS)) - dead, run)

    def test_messages(self) -> None:
        self.fails("receive", {3})
        self.fails("receive", {1}, nodes=1)
        self.fails("receive_any", {2}, nodes=1)
        self.fails("send", {2, 3})
        self.fails("send_next", {2})

    def test_messages_that_nobody_waits_for(self) -> None:
        self.fails("send_short", {2, 3})
        self.fails("send_short", {1}, nodes=1)
        self.fails("start_short", {2, 3})
        self.fails("start_short", {1}, nodes=1)

    def test_looks_in_vain(self) -> None:
        self.fails("test", {3})
        self.fails("test", {0}, nodes=1)
        self.fails("probe", {1})
        self.fails("test_exposed", {2}, nodes=1)

    def test_collective_calls(self) -> None:
        self.fails("barrier", {0})
        self.fails("fence", {3}, nodes=1)
        self.fails("window", {2, 3})
        self.fails("allreduce", {1})
        self.fails("ibarrier", {2}, nodes=1)
        self.fails("free", {1})
        self.fails("finalize", {3})

    def test_waits_whose_yields_take_long(self) -> None:
        for call, dead in ("barrier", 0), ("fence", 3), ("lock", 1):
            self.fails(call, {dead}, nodes=1, preloaded=os.environ["SLOW_YIELD"])

    def test_locks(self) -> None:
        self.fails("lock", {3})  # held from another node than the target's
        self.fails("lock", {1})  # waited for from another node
        self.fails("lock", {0}, nodes=1)
        self.fails("lock_shared", {2})
        self.fails("lock_shared", {1}, nodes=1)
        self.fails("lock_all", {3})
        self.fails("lock_all", {2}, nodes=1)

    def test_accesses(self) -> None:
        self.fails("put", {3}, nodes=4)
        self.fails("accumulate", {2, 3})
        self.fails("rget", {0}, nodes=4)
        self.fails("fetch", {1}, nodes=4)

    def test_active_target(self) -> None:
        self.fails("start", {3})
        self.fails("start", {0}, nodes=1)
        self.fails("wait", {1})
        self.fails("wait", {3}, nodes=1)

    def test_leader_that_dies_before_anybody_watches_it(self) -> None:
        other = (sys.executable, "-c", DIES_EARLY)
        what = [MPIEXEC, "--keep-job", "-env", "ORIEL_FAKE_NODES", "2"]
        what += ["-env", "ORIEL_PROVIDER", "tcp"]
        what += ["-n", "1", SURVIVORS, "barrier", "1", ":", "-n", "1", *other]
        run = subprocess.run(what, capture_output=True, text=True, timeout=60)
        self.assertEqual(run.returncode, 137, run)
        said = r"rank 1 \(at [\d.]+, out of reach\) has died"
        self.assertRegex(run.stdout + run.stderr, said)


if __name__ == "__main__":
    unittest.main()
