"""Reads pages in base64, one on each line, and answers each with a line of JSON: the text by trafilatura, and the CPU time in ms."""

import base64
import json
import sys
import time

import trafilatura

for line in sys.stdin:
    html = base64.b64decode(line).decode("utf-8", "replace")
    start = time.process_time()
    text = trafilatura.extract(html, include_comments=False) or ""
    print(json.dumps({"text": text, "cpuMs": (time.process_time() - start) * 1000}), flush=True)
