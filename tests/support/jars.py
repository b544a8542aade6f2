# SPDX-License-Identifier: Apache-2.0
"""Java libraries that tests compare with, of Maven's central repository: build/tests/jars contains them.

    jar("org.netbeans.modules:org-netbeans-lib-profiler:RELEASE220")        the path; None where Maven cannot have it
"""

import fcntl
import shutil
import subprocess
import sys
from pathlib import Path

JARS = Path(__file__).resolve().parent.parent.parent / "build/tests/jars"


def jar(artifact):
    """ARTIFACT is group:name:version. The reason is on stderr where it is not to be had."""
    _, name, version = artifact.split(":")
    path = JARS / f"{name}-{version}.jar"
    JARS.mkdir(parents=True, exist_ok=True)
    with (JARS / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.exists() and shutil.which("mvn"):
            done = subprocess.run(["mvn", "-q", "-B", "dependency:copy", f"-Dartifact={artifact}",
                                   f"-DoutputDirectory={JARS}"], cwd=JARS, stdin=subprocess.DEVNULL,
                                  capture_output=True, text=True, timeout=200, check=False)
            if done.returncode:
                path.unlink(missing_ok=True)
                print(done.stdout[-2000:], file=sys.stderr)
    return path if path.exists() else None
