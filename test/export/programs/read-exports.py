# Reads one export by a program that others wrote, and prints its rows as JSON: key, url, title, text, score and fetchedAt in
# ms, absent ones as null. Arguments: what reads it, and the path.
import json
import sys

reader, path = sys.argv[1:]
NAMES = ["key", "url", "title", "text", "score", "fetchedAt"]


def ms(value):
    """A time of any kind as ms since the epoch."""
    import datetime

    if value is None or isinstance(value, (int, float)):
        return value
    if value.tzinfo is None:
        value = value.replace(tzinfo=datetime.timezone.utc)
    return round(value.timestamp() * 1000)


def duckdb_rows(source):
    import duckdb

    cursor = duckdb.connect().execute(f"select {', '.join(chr(34) + n + chr(34) for n in NAMES)} from {source}")
    return [dict(zip(NAMES, row)) for row in cursor.fetchall()]


def pandas_rows(frame):
    rows = frame[NAMES].astype(object).where(frame[NAMES].notna(), None).to_dict("records")
    return rows


if reader == "csv":
    import csv
    import gzip

    csv.field_size_limit(10**9)
    opened = gzip.open(path, "rt", encoding="utf-8", newline="") if path.endswith(".gz") else open(path, encoding="utf-8", newline="")
    with opened as file:
        rows = [{n: row[n] for n in NAMES} for row in csv.DictReader(file, strict=True)]
    for row in rows:
        # CSV has no null: what is empty may be absent.
        row["score"] = float(row["score"])
        row["fetchedAt"] = int(row["fetchedAt"]) if row["fetchedAt"] else None
elif reader == "pandas-jsonl":
    import pandas

    rows = pandas_rows(pandas.read_json(path, lines=True, convert_dates=False, dtype=False, precise_float=True))
elif reader == "pandas-parquet":
    import pandas

    rows = pandas_rows(pandas.read_parquet(path))
elif reader == "pyarrow-parquet":
    import pyarrow.parquet

    rows = pyarrow.parquet.read_table(path, columns=NAMES).to_pylist()
elif reader == "duckdb-jsonl":
    rows = duckdb_rows(f"read_json('{path}', format = 'newline_delimited', maximum_object_size = 100000000)")
elif reader == "duckdb-csv":
    rows = duckdb_rows(f"read_csv('{path}', header = true, all_varchar = false, types = {{'title': 'VARCHAR', 'text': 'VARCHAR'}})")
elif reader == "duckdb-parquet":
    rows = duckdb_rows(f"read_parquet('{path}')")
else:
    sys.exit(f"no such reader: {reader}")

for row in rows:
    row["fetchedAt"] = ms(row["fetchedAt"])
json.dump(rows, sys.stdout)
