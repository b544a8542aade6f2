# SPDX-License-Identifier: Apache-2.0
"""A store that checks signatures (moto), and a connection to it that can break."""

import json
import os
import re
import socket
import subprocess
import threading
import time

LIMIT_S = 120
BUCKET, REGION = "reports", "eu-west-1"
# No keys of the user who runs this, neither from the environment nor from a home folder.
PLAIN = {**{name: value for name, value in os.environ.items() if not name.startswith("AWS_")},
         "AWS_SHARED_CREDENTIALS_FILE": os.devnull, "AWS_CONFIG_FILE": os.devnull,
         "AWS_EC2_METADATA_DISABLED": "true"}

# moto checks signatures and permissions after the first four calls, which create a user and a bucket.
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
        objects[item["Key"]] = [got["Body"].read().hex(), got["ContentType"]]
print(json.dumps(objects))
"""


def wait_for(condition):
    end = time.monotonic() + LIMIT_S
    while not condition() and time.monotonic() < end:
        time.sleep(0.01)
    return condition()


class Store:
    """moto, as a user with a bucket sees it; it takes a free port and reports it."""

    def __init__(self, programs, folder):
        self.programs, self.log = programs, folder / "moto.log"

    def __enter__(self):
        with self.log.open("wb") as log:
            self.server = subprocess.Popen([self.programs / "moto_server", "-H", "127.0.0.1", "-p", "0"],
                                           env={**PLAIN, "INITIAL_NO_AUTH_ACTION_COUNT": "4", "PYTHONUNBUFFERED": "1"},
                                           stdout=log, stderr=log)
        found = wait_for(lambda: re.search(r"http://127\.0\.0\.1:(\d+)", self.log.read_text()))
        if not found:
            raise RuntimeError(f"moto does not start: {self.log.read_text()}")
        self.url, self.port = found[0], int(found[1])
        self.keys = dict(zip(("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"), self.ask(SETUP)))
        return self

    def __exit__(self, *_):
        self.server.kill()
        self.server.wait()

    def ask(self, script):
        done = subprocess.run([self.programs / "python", "-c", script, self.url, BUCKET, REGION], check=True,
                              capture_output=True, env={**PLAIN, **getattr(self, "keys", {})})
        return json.loads(done.stdout)

    def objects(self, prefix):
        """{name below the prefix: (bytes, type)}"""
        return {key.removeprefix(f"{prefix}/"): (bytes.fromhex(body), kind)
                for key, (body, kind) in self.ask(LIST).items() if key.startswith(f"{prefix}/")}


class Line:
    """Between a tool and the store: keeps the first line of each request; lets this many files through, then cuts."""

    def __init__(self, store, files=1 << 30):
        self.store, self.files, self.heads, self.lock = store, files, [], threading.Lock()
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

    def passes(self, head):
        with self.lock:
            self.heads.append(head.split(b"\r\n")[0].decode("latin-1"))
            self.files -= head.startswith(b"PUT")
            return self.files >= 0

    def serve(self, client):
        with client, socket.create_connection(("127.0.0.1", self.store.port)) as server:
            threading.Thread(target=self.copy, args=(server, client), daemon=True).start()
            while part := self.receive(client):
                if re.match(rb"(GET|PUT|HEAD|POST|DELETE) /", part) and not self.passes(part):
                    return
                server.sendall(part)

    @staticmethod
    def receive(source):
        try:
            return source.recv(65536)
        except OSError:
            return b""

    def copy(self, source, target):
        try:
            while part := self.receive(source):
                target.sendall(part)
        except OSError:
            pass

    def close(self):
        self.listener.close()

    def sent(self):
        return [head.split()[1] for head in self.heads if head.startswith("PUT")]
