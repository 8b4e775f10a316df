"""Reads pages in base64, one on each line, and answers each with a line of JSON: the publishing day by htmldate as text, and the CPU time in ms."""

import base64
import json
import sys
import time

from htmldate import find_date

extensive = "--fast" not in sys.argv
for line in sys.stdin:
    html = base64.b64decode(line).decode("utf-8", "replace")
    start = time.process_time()
    try:
        day = find_date(html, original_date=True, extensive_search=extensive) or ""
    except Exception:
        # Such a page counts as one without a day.
        day = ""
    print(json.dumps({"text": day, "cpuMs": (time.process_time() - start) * 1000}), flush=True)
