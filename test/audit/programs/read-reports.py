"""Reads a report of an audit with a program that others wrote, and prints the outcome as JSON: read-reports.py sarif|junit|csv <file>"""

import json
import sys


def sarif(path):
    """What the schema of SARIF 2.1.0 says against a log, and the number of its results."""
    from sarif_kit.validate import validation_errors

    with open(path, encoding="utf-8") as file:
        log = json.load(file)
    return {"errors": validation_errors(log), "results": sum(len(run["results"]) for run in log["runs"])}


def junit(path):
    """The suites of a report, with the outcome of each of their cases."""
    from junitparser import JUnitXml

    return {
        suite.name: {
            "numbers": [suite.tests, suite.failures, suite.skipped],
            "cases": [[case.classname, case.name, [type(result).__name__ for result in case.result]] for case in suite],
        }
        for suite in JUnitXml.fromfile(path)
    }


def table(path):
    """The rows of a table."""
    import csv

    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, strict=True))


print(json.dumps({"sarif": sarif, "junit": junit, "csv": table}[sys.argv[1]](sys.argv[2])))
