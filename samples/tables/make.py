# SPDX-License-Identifier: Apache-2.0
"""Made orders.csv, events.jsonl and steps.csv, and makes them again, byte for byte: `python3 make.py` in this folder.

Invented orders of a shop, with what real tables have: missing values, commas and quotes in texts, a date that stands
for "unknown", a code with leading zeros, a row that repeats, one that is too short. And steps of a run, with those that
run side by side, that have no start or end, or end before they start.
"""

import json
import random
from datetime import datetime, timedelta

rng = random.Random(21)
COUNTRIES = ["DE", "FR", "US", "GB", "NL"]
COMMENTS = ["", "", "", "gift", 'asked for "express"', "late, again", "call first"]


def order(number):
    at = datetime(2026, 3, 1) + timedelta(minutes=37 * number)
    amount, quantity = round(rng.lognormvariate(3.4, 0.9), 2), rng.randint(1, 5)
    return [f"ORD-{number:05}", at.strftime("%Y-%m-%d %H:%M:%S") if number != 17 else "1900-01-01 00:00:00",
            rng.choices(COUNTRIES, [5, 3, 2, 1, 1])[0], f"{rng.randint(1, 99999):05}", f"{amount:.2f}", quantity,
            f"{amount * quantity:.2f}", f"customer{rng.randint(1, 40)}@example.com",
            "" if rng.random() < 0.2 else rng.randint(1, 5), rng.choice(["true", "false"]), rng.choice(COMMENTS)]


def field(value):
    text = str(value)
    return '"' + text.replace('"', '""') + '"' if any(c in text for c in ',"\n') else text


rows = [order(number) for number in range(120)]
rows.insert(60, rows[59])
with open("orders.csv", "w", encoding="utf-8", newline="") as out:
    out.write("order,placed_at,country,postcode,price,quantity,total,email,rating,paid,comment\n")
    for number, row in enumerate(rows):
        out.write(",".join(map(field, row if number != 90 else row[:6])) + "\n")

with open("events.jsonl", "w", encoding="utf-8", newline="") as out:
    for number in range(40):
        event = {"at": f"2026-03-0{1 + number % 9}T12:{number:02}:00Z", "kind": rng.choice(["view", "cart", "buy"]),
                 "ms": rng.randint(1, 900), "tags": rng.sample(["new", "mobile", "ad"], 2)}
        if number % 7 == 0:
            event["error"] = {"code": 500 + number % 3}
        out.write(json.dumps(event) + "\n")
    out.write('{"at": "2026-03-0\n')

AT = "2026-11-18 03:"
STEPS = [("load", "12:44", "14:10", "io"), ("clean", "14:10.25", "15:00", "cpu"), ("fit", "14:30", "40:00", "gpu"),
         ("fit", "20:30", "50:00", "gpu"), ("fit", "52:00", "", "gpu"),
         ("a very long name of a step that does not fit into the label, at all", "", "14:00", "io"),
         ("never", "", "", "io"), ("back", "14:30", "10:00", "io"), ("instant", "30:00", "30:00", "cpu")]
with open("steps.csv", "w", encoding="utf-8", newline="") as out:
    out.write("Name,Start,Finish,Kind\n")
    for name, start, finish, kind in STEPS:
        out.write(",".join(map(field, [name, start and AT + start, finish and AT + finish, kind])) + "\n")
