# SPDX-License-Identifier: Apache-2.0
"""packaging/kubernetes: the files follow Kubernetes' own schemas, and the commands in them do it here."""

import json
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest
from packages import environment

ROOT = Path(__file__).resolve().parent.parent.parent
FILES = ROOT / "packaging/kubernetes"
ALONE = ROOT / "build/cross/x86_64-linux-musl/profrender"
USER = 10001
ROOT_OF_A_PROCESS = "root"


@pytest.fixture(scope="module")
def tools():
    return environment("kubernetes") or pytest.skip("kubernetes-validate could not be installed")


def parsed(tools, path):
    script = "import json, sys, yaml; json.dump(yaml.safe_load(open(sys.argv[1])), sys.stdout)"
    return json.loads(subprocess.check_output([tools / "python", "-c", script, path]))


def judged(tools, path, version="1.37"):
    """(exit status, output) of a strict validation."""
    done = subprocess.run([tools / "kubernetes-validate", "-k", version, "--strict", path], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout


@pytest.mark.parametrize("version", ["1.33", "1.35", "1.37"])
def test_the_job_follows_the_schema(version, tools):
    status, said = judged(tools, FILES / "job.yaml", version)
    assert status == 0, said


def test_a_word_that_kubernetes_does_not_know_would_be_found(tools, tmp_path):
    wrong = (FILES / "job.yaml").read_text(encoding="utf-8").replace("restartPolicy: Always", "restartsPolicy: Always")
    (tmp_path / "job.yaml").write_text(wrong, encoding="utf-8")
    assert judged(tools, tmp_path / "job.yaml")[0] != 0


def test_what_kubectl_debug_adds_follows_the_schema(tools, tmp_path):
    custom = parsed(tools, FILES / "debug.yaml")
    added = {"name": "look", "image": "profrender", "targetContainerName": "app", **custom}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "app"},
           "spec": {"containers": [{"name": "app", "image": "app"}], "ephemeralContainers": [added]}}
    (tmp_path / "pod.json").write_text(json.dumps(pod), encoding="utf-8")
    status, said = judged(tools, tmp_path / "pod.json")
    assert status == 0, said
    assert custom["securityContext"]["runAsUser"] == USER


@pytest.fixture
def job(tools, program, tmp_path):
    """(command of the job, command of the sidecar), with folders of this machine for the volumes."""
    def here(words):
        for name in ("runs", "cards"):
            words = [word.replace(f"/{name}", str(tmp_path / name)) for word in words]
        return [word.replace("/opt/profrender/profrender", str(program.path)) for word in words]
    spec = parsed(tools, FILES / "job.yaml")["spec"]["template"]["spec"]
    for name in ("runs", "cards"):
        (tmp_path / name).mkdir()
    (container,), (sidecar,) = spec["containers"], spec["initContainers"]
    assert sidecar["restartPolicy"] == "Always"
    return here(container["command"] + container["args"]), here(sidecar["command"] + sidecar["args"])


def test_the_sidecar_makes_the_card_of_a_job_that_was_killed_with_its_recorder(job, tmp_path):
    recorded, watching = job
    (tmp_path / "job.py").write_text("import time\nheld = bytearray(20 << 20)\nopen('ready', 'w')\ntime.sleep(600)\n")
    sidecar = subprocess.Popen(watching)
    container = subprocess.Popen(recorded, cwd=tmp_path, start_new_session=True)
    end = time.monotonic() + 60
    while not (tmp_path / "ready").exists() and time.monotonic() < end:
        time.sleep(0.1)
    time.sleep(2)
    os.killpg(container.pid, signal.SIGKILL)  # the kernel ends all of a container that has no memory left
    container.wait()
    sidecar.terminate()
    assert sidecar.wait(60) == 0
    (card,) = [path for path in (tmp_path / "cards").rglob("*.html") if path.name != "index.html"]
    text = card.read_text(encoding="utf-8")
    assert "nightly" in text and "RSS" in text


def test_an_ephemeral_container_reads_a_capture_of_the_pod(tmp_path):
    """Two roots that share processes: that is what `kubectl debug --target` makes."""
    if os.geteuid():
        pytest.skip("only root may change the root")
    app, look = tmp_path / "app", tmp_path / "look"
    for root in (app, look):
        (root / "proc").mkdir(parents=True)
        shutil.copy(ALONE, root / "profrender")
    (app / "tmp").mkdir()
    shutil.copy(ROOT / "samples/daily-sales.bin", app / "tmp/capture.bin")
    tmp_path.chmod(0o755)
    pod = subprocess.Popen(["chroot", f"--userspec={USER}:{USER}", app, "/profrender", "info", "-"],
                           stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(0.5)
    try:
        for user, status in ((USER, 0), (USER + 1, 3)):
            script = (f"mount --bind /proc {look}/proc && exec chroot --userspec={user}:{user} {look} /profrender card "
                      f"/proc/{pod.pid}/{ROOT_OF_A_PROCESS}/tmp/capture.bin -o -")
            done = subprocess.run(["unshare", "-m", "sh", "-c", script], capture_output=True)
            assert done.returncode == status, done.stderr
            assert done.stdout.startswith(b"<!doctype html>") == (status == 0)
    finally:
        pod.kill()
        pod.wait()
