"""validate.py SCHEMA FILE...: validates YAML files by a JSON schema (draft 7); prints `FILE: PATH` for each error."""
import json
import sys

import jsonschema
import yaml

schema = json.load(open(sys.argv[1]))
jsonschema.Draft7Validator.check_schema(schema)
validator = jsonschema.Draft7Validator(schema)
for name in sys.argv[2:]:
    for error in validator.iter_errors(yaml.safe_load(open(name))):
        print(f"{name}: {'.'.join(str(part) for part in error.path)}")
