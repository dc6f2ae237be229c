"""validate_reports.py SCHEMA REPORT...: one line for each place of a report that the JSON Schema
refuses. Exit code 1 when there is one, 3 without the jsonschema package."""
import json
import sys

try:
    import jsonschema
except ImportError:
    sys.exit(3)


def main(schema_path, report_paths):
    with open(schema_path) as file:
        schema = json.load(file)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    refused = False
    for path in report_paths:
        with open(path) as file:
            report = json.load(file)
        for error in validator.iter_errors(report):
            refused = True
            place = ".".join(str(part) for part in error.absolute_path)
            print(f"{path}: {place}: {error.message[:160]}")
    return 1 if refused else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
