// SPDX-License-Identifier: Apache-2.0
// The program's JSON matches schemas/, no more and no less, for every sample.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import Ajv from "ajv/dist/2020.js";

const ROOT = new URL("../../", import.meta.url).pathname;
const PROGRAM = `${ROOT}build/profrender`;
const samples = readdirSync(`${ROOT}samples`).filter((name) => name.endsWith(".bin"));
const profiles = readdirSync(`${ROOT}samples/cpu`).filter((name) => name !== "expected.json");
samples.push(...profiles.map((name) => `cpu/${name}`));
const timelines = readdirSync(`${ROOT}samples/timeline`).filter((name) => name !== "expected.json");
samples.push(...timelines.map((name) => `timeline/${name}`), "nightly");

/** Commands by schema; INPUT stands for the capture. */
const COMMANDS = {
  records: [
    "export INPUT --view peak",
    "export INPUT",
    "export INPUT --view cpu --threads split",
    "export INPUT --view leaks --threads split",
    "export INPUT --view temporary",
    "export INPUT --view allocated --threads split",
    "export INPUT --view peak --window 0:0.01",
    "export INPUT --view leaks --window b0:b1 --bins 4",
    "export INPUT --view temporal-peak --bins 16",
    "export INPUT --view temporal-leaks --bins samples --threads split",
  ],
  table: [
    "table INPUT --json",
    "table INPUT --json --leaks --threads split",
    "table INPUT --json --allocated --group module --limit 3",
    "table INPUT --json --leaks --group file --limit 3",
    "table INPUT --json --group location --sort total",
    "table INPUT --json --group code --limit 3",
  ],
  tree: [
    "tree INPUT --json",
    "tree INPUT --json --invert --limit 7",
    "tree INPUT --json --leaks --threads split --depth 3",
    "tree INPUT --json --allocated --min-share 0 --limit 0",
  ],
  summary: ["summary INPUT --json", "summary INPUT --json --leaks --threads split --limit 4"],
  explain: ["explain INPUT --json", "explain samples/nightly --json"],
  grew: [
    "grew INPUT INPUT INPUT --json",
    "grew samples/daily-sales.bin --json --windows 2",
    "grew samples/daily-sales.bin --json --windows 3 --leaks --by path",
  ],
  diff: [
    "diff INPUT INPUT --json",
    "diff INPUT INPUT --json --history samples/daily-sales.bin --history samples/cpu",
    "diff samples/daily-sales.bin INPUT --json --base-window b1:b2",
    "diff samples/daily-sales.bin --json --base-window 0:1 --window 4:5 --limit 3",
    "diff samples/daily-sales.bin INPUT --json --leaks --by own",
    "diff samples/cpu/fanout.yappi.pstats INPUT --json --by total --limit 3",
    "diff samples/threads_named-py3.8-memray1.19.1-default.bin INPUT --json --by path",
  ],
  check: [
    "check INPUT --json --max-peak 1k --max-leaked 10GiB --allow-incomplete",
    "check INPUT --json --baseline samples/daily-sales.bin --functions --allow-incomplete",
    "check INPUT --json --baseline samples/none --baseline-optional --budget crunch=1 --max-allocations 3",
    "check INPUT --json --baseline samples/cpu/fanout.yappi.pstats --tolerance-absolute 1ms",
  ],
  stats: ["stats INPUT --json"],
  info: ["info INPUT --json", "info INPUT --json --samples all"],
  series: ["export INPUT --view series"],
};

/** A copy that allows no property it does not name: what is written must be documented. */
function closed(schema) {
  if (Array.isArray(schema)) return schema.map(closed);
  if (schema === null || typeof schema !== "object") return schema;
  const copy = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]));
  const isObject = [copy.type].flat().includes("object");
  return isObject && copy.properties ? { additionalProperties: false, ...copy } : copy;
}

function validator(name) {
  const schema = JSON.parse(readFileSync(`${ROOT}schemas/${name}.schema.json`, "utf8"));
  const ajv = new Ajv({ allErrors: true, allowUnionTypes: true, strictTuples: false, strictTypes: false });
  ajv.addFormat("date-time", /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  return ajv.compile(closed(schema));
}

/** The document, also of a check that fails; or null where the capture cannot have it (exit status 3). */
function run(command, input) {
  const words = command.split(" ").map((word) => (word === "INPUT" ? `${ROOT}samples/${input}` : word));
  try {
    const how = { cwd: ROOT, maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "ignore"] };
    return JSON.parse(execFileSync(PROGRAM, words, how));
  } catch (error) {
    if (error.status === 1) return JSON.parse(error.stdout);
    assert.equal(error.status, 3, `${command}: exit status ${error.status}`);
    return null;
  }
}

/** All for the first command of a document; of three samples one for those that vary it, and each another. */
function shareOf(all, number) {
  return number ? all.filter((_, i) => i % 3 === number % 3) : all;
}

for (const [name, commands] of Object.entries(COMMANDS)) {
  const validate = validator(name);
  for (const [number, command] of commands.entries()) {
    test(`${command} is as schemas/${name}.schema.json says`, () => {
      let documents = 0;
      for (const sample of shareOf(samples, number)) {
        const document = run(command, sample);
        if (!document) continue;
        documents++;
        assert.ok(validate(document), `${sample}: ${JSON.stringify(validate.errors?.slice(0, 3), null, 1)}`);
      }
      assert.ok(documents > 0);
    });
  }
  test(`schemas/${name}.schema.json refuses a document with a field more, or one less`, () => {
    const document = run(commands[0], samples[0]);
    assert.ok(!validate({ ...document, surprise: 1 }));
    for (const field of Object.keys(document)) {
      const { [field]: _, ...rest } = document;
      assert.ok(!validate(rest), `without ${field}`);
    }
  });
}

test("frame of each table is as schemas/frame.schema.json says", () => {
  const validate = validator("frame");
  const tables = ["samples/tables/orders.csv", "samples/tables/events.jsonl"];
  for (const table of tables)
    for (const more of [[], ["--redact", "values"], ["--header", "no"]]) {
      const words = ["frame", "-q", "--json", table, ...more];
      const document = JSON.parse(execFileSync(PROGRAM, words, { cwd: ROOT, stdio: "pipe" }));
      assert.ok(validate(document), `${table}: ${JSON.stringify(validate.errors?.slice(0, 3), null, 1)}`);
      assert.ok(!validate({ ...document, surprise: 1 }));
      for (const field of Object.keys(document)) {
        const { [field]: _, ...rest } = document;
        assert.ok(!validate(rest), `without ${field}`);
      }
    }
});

test("what schemas/frame-schema.schema.json allows is taken, and nothing else", () => {
  const validate = validator("frame-schema");
  const types = validator("frame-schema").schema.$defs.type.enum;
  const pairs = [...types, "zip", "", 3, null, [], {}, { unit: "s" }, { type: "text", unit: "s" },
    { type: "text", x: 1 }, { type: "time", day_first: true }, { type: "date", day_first: "yes" },
    { type: "date", day_first: false, unit: "d" }, { type: "moment", unit: "ns" }, { type: "duration", unit: "min" },
    { type: "duration", day_first: true }, { type: "duration", unit: "y" }, { type: "identifier" }, { type: "ignore" }];
  for (const total of pairs) {
    const words = ["frame", "-q", "--json", "samples/tables/orders.csv", "--schema", JSON.stringify({ total })];
    const answer = spawnSync(PROGRAM, words, { cwd: ROOT, encoding: "utf8" });
    assert.equal(answer.status === 0, validate({ total }), `${JSON.stringify(total)}: ${answer.stderr}`);
    if (answer.status === 0) assert.ok(validator("frame")(JSON.parse(answer.stdout)));
  }
});

test("what schemas/frame-sections.schema.json allows is taken, and nothing else", () => {
  const validate = validator("frame-sections");
  const file = "orders.csv";
  const sections = [{ kind: "profile", file }, { kind: "profile", file, title: "x", header: "yes", separator: "tab" },
    { kind: "profile", file, separator: ";;" }, { kind: "profile", file, header: "perhaps" }, { kind: "profile" },
    { kind: "profile", file, schema: { total: "text" } }, { kind: "profile", file, schema: "x" },
    { kind: "profile", file, pairs: [["price", "total"], ["country", "paid"]] }, { kind: "profile", file, pairs: [] },
    { kind: "profile", file, pairs: ["price,total"] }, { kind: "profile", file, pairs: [["price"]] },
    { kind: "profile", file, pairs: [["price", "total", "paid"]] }, { kind: "profile", file, pairs: [["price", 3]] },
    { kind: "profile", file, pairs: Array(20).fill(["price", "total"]) },
    { kind: "profile", file, pairs: Array(21).fill(["price", "total"]) },
    { kind: "table", file, pairs: [["price", "total"]] },
    { kind: "profile", file, sort: "total" }, { kind: "profile", file: 3 }, { kind: "profile", file: "" }, { file }, 3,
    { kind: "table", file, sort: "total", descending: true, rows: 5 }, { kind: "table", file, rows: 0 },
    { kind: "table", file, rows: 100001 }, { kind: "table", file, descending: 1 }, { kind: "table", file, x: 1 },
    { kind: "box", file, value: "total", by: "country" }, { kind: "box", file, by: "country" },
    { kind: "gantt", file: "steps.csv", group: "Kind" },
    { kind: "gantt", file: "steps.csv", start: "Start", finish: "Finish", name: "Name" },
    { kind: "markdown", text: "x" }, { kind: "markdown", text: "x", file }, { kind: "markdown", file, first_line: 3 },
    { kind: "source", file, first_line: 3 }, { kind: "source", text: "", first_line: 0 }, { kind: "source", text: 3 },
    { kind: "image", text: "x" }, { kind: "pie", file }];
  for (const [document, where] of [...sections.map((section) => [{ sections: [section] }, section]),
    [{ sections: [] }, "none"], [{}, "empty"], [{ sections: sections[0] }, "no array"], [{ title: "x" }, "title only"],
    [{ $schema: "x", title: "x", sections: [sections[0]] }, "all"], [{ sections: [sections[0]], x: 1 }, "more"]]) {
    const words = ["frame", "sections", "-", "-q", "--format", "html"];
    const input = JSON.stringify(document);
    const answer = spawnSync(PROGRAM, words, { cwd: `${ROOT}/samples/tables`, input, encoding: "utf8" });
    assert.equal(answer.status === 0, validate(document), `${JSON.stringify(where)}: ${answer.stderr}`);
  }
});

test("rows, boxes and bars of a table are as schemas/frame.schema.json says", () => {
  const validate = validator("frame");
  const views = {
    table: [["orders.csv"], ["orders.csv", "--sort", "price", "--descending", "--rows", "5"], ["events.jsonl"]],
    box: [["orders.csv"], ["orders.csv", "--value", "total", "--by", "country"]],
    gantt: [["steps.csv"], ["steps.csv", "--group", "Kind"]],
  };
  for (const [view, calls] of Object.entries(views))
    for (const [table, ...more] of calls) {
      const words = ["frame", "-q", "--json", `samples/tables/${table}`, "--as", view, ...more];
      const document = JSON.parse(execFileSync(PROGRAM, words, { cwd: ROOT, stdio: "pipe" }));
      assert.ok(validate(document), `${words}: ${JSON.stringify(validate.errors?.slice(0, 3), null, 1)}`);
      assert.ok(document[{ table: "table", box: "boxes", gantt: "gantt" }[view]], view);
    }
});

test("frame diff is as schemas/frame-diff.schema.json says", () => {
  const validate = validator("frame-diff");
  const folder = mkdtempSync(`${tmpdir()}/frame-diff-`);
  const before = `${folder}/before.csv`, after = `${folder}/after.csv`;
  const rows = (name, kinds) => Array.from({ length: 60 }, (_, i) => `${i * kinds.length},${kinds[i % kinds.length]}`);
  writeFileSync(before, ["n,kind", ...rows("n", ["a", "b"])].join("\n"));
  writeFileSync(after, ["n,kind,more", ...rows("n", ["b", "c", "d"]).map((row) => `${row},1`)].join("\n"));
  for (const [a, b] of [[before, after], [after, before], [before, before]])
    for (const more of [[], ["--redact", "values"]]) {
      const words = ["frame", "diff", "-q", "--json", a, b, ...more];
      const document = JSON.parse(execFileSync(PROGRAM, words, { stdio: "pipe" }));
      assert.ok(validate(document), JSON.stringify(validate.errors?.slice(0, 3), null, 1));
      assert.ok(!validate({ ...document, surprise: 1 }));
      for (const field of Object.keys(document)) {
        const { [field]: _, ...rest } = document;
        assert.ok(!validate(rest), `without ${field}`);
      }
      if (a !== b && !more.length) assert.ok(document.columns.some((column) => column.new_categories?.values.length));
    }
});

test("check --frame is as schemas/check-frame.schema.json says", () => {
  const validate = validator("check-frame");
  const table = "samples/tables/orders.csv";
  for (const more of [[], ["--baseline", table]])
    for (const [rule, status] of [["missing below 1 %", 1], ["rows at least 1", 0], ["mean within 3 %", 0]]) {
      const words = ["check", "--frame", "-q", "--json", table, "--rule", rule, ...more];
      const answer = spawnSync(PROGRAM, words, { cwd: ROOT, encoding: "utf8" });
      assert.equal(answer.status, status, answer.stderr);
      const document = JSON.parse(answer.stdout);
      assert.ok(validate(document), JSON.stringify(validate.errors?.slice(0, 3), null, 1));
      assert.equal(document.passed, status === 0);
      assert.ok(!validate({ ...document, surprise: 1 }));
      for (const field of Object.keys(document)) {
        const { [field]: _, ...rest } = document;
        assert.ok(!validate(rest), `without ${field}`);
      }
    }
});

test("info of a file that is known but not read is as schemas/info.schema.json says", () => {
  const validate = validator("info");
  const answer = spawnSync(PROGRAM, ["info", "-", "--json"], { input: "hdrb" });
  assert.equal(answer.status, 3);
  const document = JSON.parse(answer.stdout);
  assert.ok(validate(document), JSON.stringify(validate.errors));
  assert.ok(validate({ ...document, remedy: null }));
  assert.ok(!validate({ ...document, notes: [] }));
  for (const field of Object.keys(document)) {
    const { [field]: _, ...rest } = document;
    assert.ok(!validate(rest), `without ${field}`);
  }
});

test("runs.json of a site is as schemas/runs.schema.json says", () => {
  const site = mkdtempSync(join(tmpdir(), "profrender-site-"));
  try {
    execFileSync(PROGRAM, ["publish", `${ROOT}samples`, "-o", site], { stdio: "ignore" });
    const validate = validator("runs");
    const document = JSON.parse(readFileSync(join(site, "runs.json"), "utf8"));
    assert.ok(document.runs.length > 20 && document.ignored.length > 0);
    assert.ok(validate(document), JSON.stringify(validate.errors?.slice(0, 3), null, 1));
    assert.ok(!validate({ ...document, surprise: 1 }));
    assert.ok(!validate({ ...document, runs: [{ ...document.runs[0], status: "odd" }] }));
  } finally {
    rmSync(site, { recursive: true });
  }
});

test("the sample of rules is as schemas/check-config.schema.json says, and a mistyped rule is not", () => {
  const validate = validator("check-config");
  const rules = JSON.parse(readFileSync(`${ROOT}samples/profrender-check.json`, "utf8"));
  assert.ok(validate(rules), JSON.stringify(validate.errors));
  assert.ok(!validate({ ...rules, toleranse: "5%" }));
  assert.ok(!validate({ ...rules, budgets: [{ pattern: "load" }] }));
});
