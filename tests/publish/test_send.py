# SPDX-License-Identifier: Apache-2.0
"""`profrender publish --to`: what the user's tool sees of a site, and what is in the store afterwards."""

import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from stores import BUCKET, PLAIN, REGION, Line, Store, wait_for

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
from packages import environment  # noqa: E402

# What must be encoded, what must not, and what some encode twice.
PREFIX = "a b/x:y+z=%41/ü"
STACKS = "main;work 5\n"

# Each tool writes down its arguments, and the files it was given to send.
TOOL = """#!/bin/sh
{ printf '%s|' "$(basename "$0")" "$@"; echo; } >> "$SEEN/words"
for word in "$@"; do
    [ -d "$word" ] && find "$word" | sed "s#^$word#+#" | sort >> "$SEEN/words"
    [ -d "$word" ] && cp -a "$word/." "$SEEN/files/"
done
exit ${ENDS:-0}
"""


@pytest.fixture
def tools(tmp_path):
    """A folder for PATH with all tools, and where they write."""
    folder = tmp_path / "tools"
    folder.mkdir()
    for name in "aws", "s5cmd", "gcloud", "gsutil", "az", "rclone":
        (folder / name).write_text(TOOL)
        (folder / name).chmod(0o755)
    (tmp_path / "seen/files").mkdir(parents=True)
    return folder


def send(site, to, path, *words, **variables):
    return site.publish("--to", to, *words,
                        env={**PLAIN, "PATH": f"{path}:/usr/bin:/bin", "SEEN": f"{site.path.parent}/seen", **variables})


def calls(site):
    """The argument lines that tools were started with, {} where the copy was."""
    lines = (site.path.parent / "seen/words").read_text().splitlines()
    return [line.replace(f"{site.path}/.profrender-sending", "{}") for line in lines if not line.startswith("+")]


WORDS = {
    "s3://bucket/a b/": ["aws|s3|sync|--no-follow-symlinks|--only-show-errors|{}/cards|s3://bucket/a b/cards|",
                         "aws|s3|sync|--no-follow-symlinks|--only-show-errors|{}/list|s3://bucket/a b|"],
    "gs://bucket/a b/": ["gcloud|storage|rsync|--recursive|{}/cards|gs://bucket/a b/cards|",
                         "gcloud|storage|rsync|--recursive|{}/list|gs://bucket/a b|"],
    "az://container/x/y": ["az|storage|blob|upload-batch|--overwrite|true|--source|{}/cards|"
                           "--destination|container|--destination-path|x/y/cards|",
                           "az|storage|blob|upload-batch|--overwrite|true|--source|{}/list|--destination|container|"
                           "--destination-path|x/y|"],
    "az://container": ["az|storage|blob|upload-batch|--overwrite|true|--source|{}/cards|"
                       "--destination|container|--destination-path|cards|",
                       "az|storage|blob|upload-batch|--overwrite|true|--source|{}/list|--destination|container|"
                       "--destination-path|.|"],
    "remote:$(touch x)/;y": ["rclone|copy|--checksum|{}/cards|remote:$(touch x)/;y/cards|",
                             "rclone|copy|--checksum|{}/list|remote:$(touch x)/;y|"],
}


@pytest.mark.parametrize("to", WORDS)
def test_each_address_has_its_tool_and_cards_go_first(site, tools, to):
    site.put("a.folded", STACKS)
    answer = send(site, to, tools)
    assert answer.status == 0, answer.err
    assert calls(site) == WORDS[to]


def test_without_aws_s5cmd_sends(site, tools):
    (tools / "aws").unlink()
    (tools / "cat").symlink_to("/bin/cat")
    for name in "basename", "find", "sed", "sort", "cp", "sh":
        (tools / name).symlink_to(shutil.which(name))
    site.put("a.folded", STACKS)
    answer = site.publish("--to", "s3://bucket", "--endpoint", "http://h", "--region", "r",
                          env={"PATH": str(tools), "SEEN": f"{site.path.parent}/seen"})
    assert answer.status == 0, answer.err
    assert calls(site) == [
        "s5cmd|--endpoint-url|http://h|--log|error|sync|--no-follow-symlinks|--destination-region|r|{}/cards/|"
        "s3://bucket/cards/|",
        "s5cmd|--endpoint-url|http://h|--log|error|sync|--no-follow-symlinks|--destination-region|r|{}/list/|"
        "s3://bucket/|"]


def test_server_and_region_go_along(site, tools):
    site.put("a.folded", STACKS)
    send(site, "s3://bucket", tools, "--endpoint", "http://127.0.0.1:9000", "--region", "eu-west-1")
    begins = "aws|--endpoint-url|http://127.0.0.1:9000|--region|eu-west-1|s3|"
    assert len(calls(site)) == 2 and all(call.startswith(begins) for call in calls(site))


def test_only_what_is_listed_is_sent(site, tools, tmp_path):
    """Everything else in the site: others' files, leftovers of killed programs, links."""
    site.put("a.folded", STACKS)
    site.put("old.folded", STACKS)
    site.put("wrong.bin", b"memray\0\xff\0\0\0" + bytes(64))
    site.publish()
    (site.runs / "old.folded").unlink()
    (tmp_path / "secret").write_text("secret")
    for name in "secret.txt", ".env", "cards/.profrender-aB3xYz", "cards/unlisted.html", ".profrender-folder":
        (site.path / name).write_text("secret")
    for name in "cards/link.html", "link.txt":
        (site.path / name).symlink_to(tmp_path / "secret")
    site.add(card="cards/link.html")
    site.add(card="../secret")
    assert send(site, "gs://bucket", tools).status == 0
    seen = tmp_path / "seen/files"
    listed = {Path(entry["card"]).name for entry in site.entries().values() if entry["status"] != "unreadable"}
    assert {path.name for path in seen.iterdir()} == listed | {"index.html", "runs.json"} and len(listed) == 2
    assert not any(path.is_symlink() or b"secret" == path.read_bytes() for path in seen.iterdir())
    assert not (site.path / ".profrender-sending").exists()


def test_what_a_killed_program_was_sending_is_removed(site, tools):
    site.put("a.folded", STACKS)
    site.publish()
    for name in "cards", "list":
        (site.path / ".profrender-sending" / name).mkdir(parents=True)
        (site.path / ".profrender-sending" / name / "x.html").write_text("secret")
    assert site.publish().status == 0 and not (site.path / ".profrender-sending").exists()


def test_a_link_in_the_place_of_the_copy_is_not_followed(site, tools, tmp_path):
    site.put("a.folded", STACKS)
    site.publish()
    (tmp_path / "elsewhere/cards").mkdir(parents=True)
    (tmp_path / "elsewhere/cards/precious.html").write_text("precious")
    (site.path / ".profrender-sending").symlink_to(tmp_path / "elsewhere")
    send(site, "gs://bucket", tools)
    assert (tmp_path / "elsewhere/cards/precious.html").read_text() == "precious"
    assert not (tmp_path / "seen/files/precious.html").exists()


def test_without_hard_links_files_are_copied_with_their_times(site, tools):
    strace = shutil.which("strace")
    if not strace:
        pytest.skip("there is no strace")
    site.put("a.folded", STACKS)
    site.publish()
    os.utime(site.card("a.folded"), ns=(10**18, 10**18))
    command = [strace, "-f", "-qq", "-o", "/dev/null", "-e", "trace=linkat", "-e", "inject=linkat:error=EPERM",
               site.program.path, "publish", site.runs, "-o", site.path, "--to", "gs://bucket"]
    done = subprocess.run(command, capture_output=True, timeout=60, check=False,
                          env={**PLAIN, "PATH": f"{tools}:/usr/bin:/bin", "SEEN": f"{site.path.parent}/seen"})
    sent = site.path.parent / "seen/files" / site.card("a.folded").name
    assert done.returncode == 0, done.stderr
    assert sent.read_bytes() == site.card("a.folded").read_bytes() and sent.stat().st_mtime_ns == 10**18


def test_a_tool_that_fails_is_named_and_the_index_stays_away(site, tools):
    site.put("a.folded", STACKS)
    answer = send(site, "remote:x", tools, ENDS="3")
    assert answer.status == 4 and "rclone could not send to remote:x/cards" in answer.err
    assert len(calls(site)) == 1 and site.index() and not (site.path / ".profrender-sending").exists()


@pytest.mark.parametrize("to, names", [("s3://b/x", "aws or s5cmd"), ("gs://b", "gcloud or gsutil"), ("az://c", "az"),
                                       ("remote:x", "rclone")])
def test_a_tool_that_is_not_installed_is_named(site, to, names):
    site.put("a.folded", STACKS)
    answer = site.publish("--to", to, env={"PATH": "/nothing"})
    assert answer.status == 4 and f"is installed: {names}" in answer.err and site.index()


WRONG = [(["--to", "ftp://x/y"], "--to takes s3://"), (["--to", "s3://"], "--to takes s3://"),
         (["--to", "gs:///x"], "--to takes s3://"), (["--to", "-x:y"], "--to takes s3://"),
         (["--region", "r"], "go with --to s3://"),
         (["--to", "gs://b", "--endpoint", "http://h"], "go with --to s3://")]


@pytest.mark.parametrize("words, text", WRONG)
def test_wrong_addresses_are_refused_before_anything_is_made(site, words, text):
    answer = site.publish(*words)
    assert answer.status == 2 and text in answer.err and not site.path.exists()


# ---- with the tools themselves, and a store --------------------------------------------------------------------------


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    programs = environment("moto")
    if not programs:
        pytest.skip("moto could not be installed")
    with Store(programs, tmp_path_factory.mktemp("moto")) as running:
        yield running


@pytest.fixture(scope="module")
def real_tools():
    programs = environment("store_tools")
    if not programs:
        pytest.skip("the tools could not be installed")
    return programs


@pytest.fixture(params=["aws", "s5cmd"])
def tool(request, real_tools, tmp_path):
    """A folder for PATH with one of the tools."""
    folder = tmp_path / request.param
    folder.mkdir()
    (folder / request.param).symlink_to(real_tools / request.param)
    return folder


def to_store(site, store, tool, *words, to=f"s3://{BUCKET}/{PREFIX}", url=None, **variables):
    return site.publish("--to", to, "--endpoint", url or store.url, "--region", REGION, *words,
                        env={**PLAIN, **store.keys, "PATH": str(tool), "HOME": str(site.path.parent), **variables})


def bytes_of(objects):
    return {name: body for name, (body, _) in objects.items()}


def files_of(site):
    return {name: (site.path / name).read_bytes() for name in site.files() if (site.path / name).is_file()}


def test_a_site_is_sent_whole_and_then_what_changed(site, store, tool, samples):
    to = f"s3://{BUCKET}/{tool.name}/{PREFIX}"
    for number in range(3):
        shutil.copy(samples / "daily-sales.bin", site.runs / f"{number}.bin")
    (site.runs / "wrong.bin").write_bytes(b"memray\0\xff\0\0\0" + bytes(64))
    answer = to_store(site, store, tool, to=to)
    assert answer.status == 0, answer.err
    there = store.objects(f"{tool.name}/{PREFIX}")
    assert bytes_of(there) == files_of(site) and len(there) == 5
    assert {Path(name).suffix: kind.split(";")[0] for name, (_, kind) in there.items()} == {
        ".html": "text/html", ".json": "application/json"}
    for path in site.path.glob("cards/*"):  # times in a store have whole seconds: s5cmd sends again what seems newer
        os.utime(path, (path.stat().st_atime, path.stat().st_mtime - 5))
    line = Line(store)
    before = files_of(site)
    shutil.copy(samples / "leaky-py3.12-memray1.19.3-aggregate.bin", site.runs / "1.bin")
    assert to_store(site, store, tool, to=to, url=line.url).status == 0
    line.close()
    assert bytes_of(store.objects(f"{tool.name}/{PREFIX}")) == files_of(site)
    changed = {name for name, data in files_of(site).items() if name.startswith("cards/") and before.get(name) != data}
    assert {Path(path).name for path in line.sent() if "/cards/" in path} == {Path(name).name for name in changed}
    assert 1 <= len(changed) <= 2, "the card, and one that says how it differs from it"
    (site.runs / "2.bin").unlink()
    assert to_store(site, store, tool, "--prune", to=to).status == 0
    assert set(store.objects(f"{tool.name}/{PREFIX}")) == set(there)


def test_what_the_store_refuses_is_shown(site, store, tool):
    site.put("a.folded", STACKS)
    answer = to_store(site, store, tool, to=f"s3://{BUCKET}/{tool.name}-refused", AWS_SECRET_ACCESS_KEY="wrong")
    assert answer.status == 4 and "SignatureDoesNotMatch" in answer.err
    assert f"{tool.name} could not send" in answer.err
    answer = to_store(site, store, tool, to="s3://absent-bucket/x")
    assert answer.status == 4 and re.search("NoSuchBucket|bucket does not exist|not found|NotFound", answer.err)
    assert not store.objects(f"{tool.name}-refused")


def test_the_keys_of_a_profile_are_the_business_of_the_tool(site, store, tool, tmp_path):
    """Also keys that a process supplies, which is how a login works."""
    site.put("a.folded", STACKS)
    process = tmp_path / "process.sh"
    process.write_text(f"""#!/bin/sh\necho '{{"Version": 1, "AccessKeyId": "{store.keys['AWS_ACCESS_KEY_ID']}",
"SecretAccessKey": "{store.keys['AWS_SECRET_ACCESS_KEY']}"}}'\n""")
    process.chmod(0o755)
    settings = tmp_path / "settings"
    settings.write_text(f"[profile mine]\nregion = {REGION}\ncredential_process = {process}\n")
    answer = site.publish("--to", f"s3://{BUCKET}/{tool.name}-profile", "--endpoint", store.url,
                          env={**PLAIN, "PATH": f"{tool}:/usr/bin:/bin", "AWS_CONFIG_FILE": str(settings),
                               "AWS_PROFILE": "mine", "AWS_SDK_LOAD_CONFIG": "1", "HOME": str(tmp_path)})
    assert answer.status == 0, answer.err
    assert bytes_of(store.objects(f"{tool.name}-profile")) == files_of(site)


def test_an_upload_that_is_killed_leaves_no_index_and_is_completed(site, store, real_tools, samples):
    """aws sends with ten threads; the connection lets five files through."""
    for number in range(30):
        site.put(f"{number}.folded", f"main;work{number} 5\n")
    site.publish()
    line = Line(store, files=5)
    prefix = "killed"
    path = f"{real_tools}:/usr/bin:/bin"
    running = subprocess.Popen([site.program.path, "publish", site.runs, "-o", site.path, "--to",
                                f"s3://{BUCKET}/{prefix}", "--endpoint", line.url, "--region", REGION],
                               env={**PLAIN, **store.keys, "PATH": path}, start_new_session=True,
                               stderr=subprocess.DEVNULL)
    assert wait_for(lambda: line.files < 0)
    os.killpg(running.pid, signal.SIGKILL)
    running.wait()
    line.close()
    before = store.objects(prefix)
    assert len(before) <= 5 and "index.html" not in before and (site.path / ".profrender-sending").exists()
    answer = site.publish("--to", f"s3://{BUCKET}/{prefix}", "--endpoint", store.url, "--region", REGION,
                          env={**PLAIN, **store.keys, "PATH": path})
    assert answer.status == 0, answer.err
    assert bytes_of(store.objects(prefix)) == files_of(site) and not (site.path / ".profrender-sending").exists()


def test_no_key_is_in_the_words_of_a_process(site, store, real_tools, tmp_path):
    """The program never sees keys; what it starts gets them from the environment or the files of the tool."""
    site.put("a.folded", STACKS)
    strace = shutil.which("strace")
    if not strace:
        pytest.skip("there is no strace")
    log = tmp_path / "log"
    subprocess.run([strace, "-f", "-qq", "-s", "400", "-e", "trace=execve,connect", "-o", log, site.program.path,
                    "publish", site.runs, "-o", site.path, "--to", f"s3://{BUCKET}/strace", "--endpoint", store.url],
                   env={**PLAIN, **store.keys, "PATH": f"{real_tools}:/usr/bin:/bin"}, check=True, timeout=120)
    words = re.findall(r"execve\((.*)\]", log.read_text())
    assert words and store.keys["AWS_SECRET_ACCESS_KEY"] not in "".join(words)
