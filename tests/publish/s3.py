#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`profrender publish --to`: sites sent to a store that checks signatures, over a line that breaks, and by tools.

    python3 tests/publish/s3.py        needs build/profrender; moto is installed into build/tests/moto

moto checks signatures and rights once the first four calls, which make a user and a bucket, are through.
"""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent / "support"))
from packages import environment  # noqa: E402
from tally import Tally  # noqa: E402

PROGRAM = ROOT / os.environ.get("PROFRENDER", "build/profrender")
SAMPLES = ROOT / "samples"
LIMIT_S = 120
BUCKET, REGION = "reports", "eu-west-1"
# What must be encoded, what must not, and what some encode twice.
PREFIX = "a b/x:y+z=%41/ü"
# No keys of whoever runs this, neither from the environment nor from a home.
PLAIN = {**{name: value for name, value in os.environ.items() if not name.startswith("AWS_")},
         "AWS_SHARED_CREDENTIALS_FILE": os.devnull, "AWS_CONFIG_FILE": os.devnull}

SETUP = """
import boto3, json, sys
how = dict(endpoint_url=sys.argv[1], region_name=sys.argv[3], aws_access_key_id="x", aws_secret_access_key="x")
iam = boto3.client("iam", **how)
iam.create_user(UserName="u")
key = iam.create_access_key(UserName="u")["AccessKey"]
allow = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "s3:*", "Resource": "*"}]}
iam.put_user_policy(UserName="u", PolicyName="p", PolicyDocument=json.dumps(allow))
where = {"LocationConstraint": sys.argv[3]}
boto3.client("s3", **how).create_bucket(Bucket=sys.argv[2], CreateBucketConfiguration=where)
print(json.dumps([key["AccessKeyId"], key["SecretAccessKey"]]))
"""

LIST = """
import boto3, json, sys
s3 = boto3.client("s3", endpoint_url=sys.argv[1], region_name=sys.argv[3])
objects = {}
for page in s3.get_paginator("list_objects_v2").paginate(Bucket=sys.argv[2]):
    for item in page.get("Contents", []):
        got = s3.get_object(Bucket=sys.argv[2], Key=item["Key"])
        objects[item["Key"]] = [got["Body"].read().hex(), got["ContentType"], item["LastModified"].isoformat()]
print(json.dumps(objects))
"""


def wait_for(condition):
    end = time.monotonic() + LIMIT_S
    while not condition() and time.monotonic() < end:
        time.sleep(0.01)
    return condition()


class Store:
    """moto, as a user with a bucket sees it; it takes a free port and tells which."""

    def __init__(self, programs, folder):
        self.programs, self.log = programs, folder / "moto.log"

    def __enter__(self):
        with self.log.open("wb") as log:
            self.server = subprocess.Popen([self.programs / "moto_server", "-H", "127.0.0.1", "-p", "0"],
                                           env={**PLAIN, "INITIAL_NO_AUTH_ACTION_COUNT": "4", "PYTHONUNBUFFERED": "1"},
                                           stdout=log, stderr=log)
        told = wait_for(lambda: re.search(r"http://127\.0\.0\.1:(\d+)", self.log.read_text()))
        if not told:
            raise RuntimeError(f"moto does not start: {self.log.read_text()}")
        self.url, self.port = told[0], int(told[1])
        self.keys = dict(zip(("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"), self.ask(SETUP)))
        return self

    def __exit__(self, *_):
        self.server.kill()
        self.server.wait()

    def ask(self, script):
        done = subprocess.run([self.programs / "python", "-c", script, self.url, BUCKET, REGION], check=True,
                              capture_output=True, env={**PLAIN, **getattr(self, "keys", {})})
        return json.loads(done.stdout)

    def objects(self):
        """{key: (bytes, type, time)}"""
        return {key: (bytes.fromhex(body), kind, when) for key, (body, kind, when) in self.ask(LIST).items()}


class Line:
    """Between the program and the store: keeps the heads of requests, answers the first ones with errors, or cuts; lets
    so many files through, and the others wait."""

    def __init__(self, store, errors=0, cuts=0, files=1 << 30):
        self.store, self.errors, self.cuts, self.files, self.heads = store, errors, cuts, files, []
        self.lock, self.closed = threading.Lock(), threading.Event()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def fate(self, head):
        """What becomes of a request: "cut", "error", "wait" or "pass"."""
        with self.lock:
            self.heads.append(head)
            if self.cuts > 0:
                self.cuts -= 1
                return "cut"
            if self.errors > 0:
                self.errors -= 1
                return "error"
            self.files -= head.startswith("PUT")
            return "wait" if self.files < 0 else "pass"

    def serve(self, client):
        with client:
            request = client.recv(65536)
            fate = self.fate(request.split(b"\r\n\r\n")[0].decode("latin-1"))
            if fate == "error":
                client.sendall(b"HTTP/1.1 503 Slow Down\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            elif fate == "wait":
                self.closed.wait(LIMIT_S)
            elif fate == "pass":
                with socket.create_connection(("127.0.0.1", self.store.port)) as server:
                    server.sendall(request)
                    threading.Thread(target=self.copy, args=(client, server), daemon=True).start()
                    self.copy(server, client)

    @staticmethod
    def copy(source, target):
        try:
            while part := source.recv(65536):
                target.sendall(part)
        except OSError:
            pass

    def close(self):
        self.closed.set()
        self.listener.close()


def send(store, folder, *words, url=None, to=f"s3://{BUCKET}/{PREFIX}", **environment):
    command = [PROGRAM, "publish", folder / "runs", "-o", folder / "site", "--to", to]
    if to.startswith("s3:"):
        command += ["--endpoint", url or store.url, "--region", REGION]
    done = subprocess.run([*command, *words], capture_output=True, timeout=300, stdin=subprocess.DEVNULL,
                          env={**PLAIN, **(store.keys if store else {}), **environment})
    return done.returncode, done.stderr.decode()


def below(objects, prefix):
    return {key.removeprefix(f"{prefix}/"): value for key, value in objects.items() if key.startswith(f"{prefix}/")}


def files_of(folder):
    site = folder / "site"
    return {str(path.relative_to(site)): path.read_bytes() for path in site.rglob("*") if path.is_file()}


def check_store(tally, folder, store):
    status, said = send(store, folder)
    if "libcurl" in said:
        tally.skip("sending to a store", said.strip())
        return False
    there = below(store.objects(), PREFIX)
    tally.check("a site is sent whole, under keys that need encoding", status == 0 and
                {name: value[0] for name, value in there.items()} == files_of(folder), status, said, sorted(there))
    kinds = {Path(name).suffix: kind for name, (_, kind, _) in there.items()}
    tally.check("each file has its type", kinds == {".html": "text/html; charset=utf-8", ".json": "application/json"})
    line = Line(store)
    status, said = send(store, folder, url=line.url)
    methods = {head.split()[0] for head in line.heads}
    tally.check("the second time nothing is sent", status == 0 and methods == {"HEAD"}, status, said, methods)
    shutil.copy(SAMPLES / "leaky-py3.12-memray1.19.3-aggregate.bin", folder / "runs/1.bin")
    send(store, folder)
    now = below(store.objects(), PREFIX)
    changed = sorted(name.split("-")[0] for name in now if now[name][0] != there.get(name, [None])[0])
    tally.check("after a change, what changed is", changed == ["cards/1.bin", "index.html", "runs.json"], changed)
    (folder / "runs/2.bin").unlink()
    send(store, folder, "--prune")
    tally.check("nothing is ever deleted there", set(below(store.objects(), PREFIX)) == set(now))
    line.close()
    return True


def check_refusals(tally, folder, store):
    status, said = send(store, folder, to=f"s3://{BUCKET}/wrong", AWS_SECRET_ACCESS_KEY="wrong")
    tally.check("a wrong secret is refused by the store, and told",
                status == 4 and "403, SignatureDoesNotMatch" in said, status, said)
    status, said = send(store, folder, to="s3://absent-bucket/x")
    tally.check("so is a bucket that is not there", status == 4 and "404, NoSuchBucket" in said, status, said)
    tally.check("no index leads to cards that were not sent", not below(store.objects(), "wrong"))
    keys = folder / "keys"
    keys.write_text("[default]\naws_access_key_id = no\n\n[mine]\n"
                    f"aws_access_key_id = {store.keys['AWS_ACCESS_KEY_ID']}\n"
                    f"AWS_SECRET_ACCESS_KEY={store.keys['AWS_SECRET_ACCESS_KEY']}\n")
    settings = folder / "settings"
    settings.write_text(f"[profile mine]\nregion = {REGION}\nendpoint_url = {store.url}\n"
                        "[profile role]\nrole_arn = x\n")
    files = {"AWS_SHARED_CREDENTIALS_FILE": str(keys), "AWS_CONFIG_FILE": str(settings)}
    plain = {**PLAIN, **files}

    def by_profile(name):
        done = subprocess.run([PROGRAM, "publish", folder / "runs", "-o", folder / "site", "--to",
                               f"s3://{BUCKET}/profile"], capture_output=True, timeout=300, env={**plain, **name})
        return done.returncode, done.stderr.decode()
    status, said = by_profile({"AWS_PROFILE": "mine"})
    tally.check("the keys of a profile, its region and its server", status == 0 and
                {name: value[0] for name, value in below(store.objects(), "profile").items()} == files_of(folder), said)
    for name, text in (("role", "has none of its own"), ("absent", "the profile 'absent'"), ("default", "none of its")):
        status, said = by_profile({"AWS_PROFILE": name, "AWS_REGION": REGION})
        tally.check(f"a profile without keys is told: {name}", status == 2 and text in said, status, said)
    for to, environment, text in (("s3://", {}, "no name of a bucket"), ("ftp://x/y", {}, "does not begin with s3://"),
                                  ("s3://reports", {"AWS_ACCESS_KEY_ID": ""}, "needs AWS_ACCESS_KEY_ID")):
        status, said = send(store, folder, to=to, **environment)
        tally.check(f"--to {to} {' '.join(environment)}: {text}", status == 2 and text in said, status, said)


def check_line(tally, folder, store):
    line = Line(store, errors=3, cuts=3)
    status, said = send(store, folder, url=line.url, to=f"s3://{BUCKET}/line")
    tally.check("what may pass is tried again", status == 0 and line.errors == line.cuts == 0 and
                {name: value[0] for name, value in below(store.objects(), "line").items()} == files_of(folder), said)
    line.close()
    line = Line(store, errors=1 << 30)
    start = time.monotonic()
    status, said = send(store, folder, url=line.url, to=f"s3://{BUCKET}/never")
    tally.check("but not for ever, with pauses that grow", status == 4 and "503" in said and
                time.monotonic() - start > 2, status, said)
    line.close()
    line = Line(store)
    send(store, folder, url=line.url, to=f"s3://{BUCKET}/token", AWS_SESSION_TOKEN="of-a-session")
    signed = [re.search(r"SignedHeaders=([^,]*)", head)[1].split(";") for head in line.heads]
    wanted = "host", "x-amz-content-sha256", "x-amz-date", "x-amz-security-token"
    tally.check("the token of a session goes along, and is signed", line.heads and
                all("x-amz-security-token: of-a-session" in head for head in line.heads) and
                all(name in names for names in signed for name in wanted), *signed[:1])
    line.close()


def check_interrupted(tally, folder, store):
    for number in range(40):
        shutil.copy(SAMPLES / "json_dict-py3.13-memray1.18.0-default.bin", folder / f"runs/more-{number}.bin")
    to = f"s3://{BUCKET}/cut"
    line = Line(store, files=5)
    program = subprocess.Popen([PROGRAM, "publish", folder / "runs", "-o", folder / "site", "--to", to, "--endpoint",
                                line.url, "--region", REGION], env={**PLAIN, **store.keys}, start_new_session=True)
    wait_for(lambda: line.files < 0 and len(below(store.objects(), "cut")) == 5)
    os.killpg(program.pid, signal.SIGKILL)
    program.wait()
    line.close()
    before = below(store.objects(), "cut")
    line = Line(store)
    status, said = send(store, folder, to=to, url=line.url)
    after = below(store.objects(), "cut")
    tally.check("an upload that was killed leaves no index", len(before) == 5 and "index.html" not in before,
                sorted(before))
    tally.check("and is completed by the next one", status == 0 and
                {name: value[0] for name, value in after.items()} == files_of(folder), said)
    tally.check("which sends only the rest", all(after[name] == value for name, value in before.items()))
    line.close()


def check_tools(tally, folder):
    """The words that each tool is started with; the tools themselves are the user's."""
    tools = folder / "tools"
    tools.mkdir()
    for name in "gcloud", "gsutil", "az", "rclone":
        script = f'#!/bin/sh\nprintf "%s|" {name} "$@" >>"$TOLD"\necho >>"$TOLD"\nexit "${{ENDS:-0}}"\n'
        (tools / name).write_text(script)
        (tools / name).chmod(0o755)
    site = folder / "site"
    wanted = {
        "gs://bucket/a b/": ["gcloud|storage|rsync|--recursive|{}/cards|gs://bucket/a b/cards|",
                             "gcloud|storage|rsync|--recursive|{}|gs://bucket/a b|"],
        "az://container/x/y": ["az|storage|blob|upload-batch|--overwrite|true|--source|{}/cards|"
                               "--destination|container|--destination-path|x/y/cards|",
                               "az|storage|blob|upload-batch|--overwrite|true|--source|{}|--destination|container|"
                               "--destination-path|x/y|"],
        "remote:$(touch x)/;y": ["rclone|copy|--checksum|{}/cards|remote:$(touch x)/;y/cards|",
                                 "rclone|copy|--checksum|{}|remote:$(touch x)/;y|"],
    }
    for to, lines in wanted.items():
        told = folder / "told"
        told.unlink(missing_ok=True)
        status, said = send(None, folder, to=to, PATH=f"{tools}:/usr/bin:/bin", TOLD=str(told))
        got = told.read_text().splitlines() if told.exists() else []
        tally.check(f"{to} is sent by its tool, cards first",
                    status == 0 and got == [line.format(site) for line in lines], said, *got)
    status, said = send(None, folder, to="remote:x", PATH=f"{tools}:/usr/bin:/bin", TOLD=str(told), ENDS="3")
    tally.check("a tool that fails is told", status == 4 and "rclone could not send" in said, status, said)
    status, said = send(None, folder, to="gs://bucket", PATH="/nothing")
    tally.check("so is one that is not there", status == 4 and "none of the tools" in said, status, said)


def main():
    tally = Tally()
    folder = Path(tempfile.mkdtemp(prefix="profrender-test-"))
    (folder / "runs").mkdir()
    for number in range(3):
        shutil.copy(SAMPLES / "daily-sales.bin", folder / f"runs/{number}.bin")
    try:
        check_tools(tally, folder)
        moto = environment("moto")
        if not moto:
            tally.skip("sending to a store that checks signatures", "moto could not be installed")
        else:
            with Store(moto, folder) as store:
                if check_store(tally, folder, store):
                    check_refusals(tally, folder, store)
                    check_line(tally, folder, store)
                    check_interrupted(tally, folder, store)
    finally:
        shutil.rmtree(folder)
    sys.exit(tally.finish())


if __name__ == "__main__":
    main()
