#!/usr/bin/env python3
"""Validates every shipped recipe against the JSON Schema with an independent validator, and makes sure that wrong
recipes are refused. usage: schema_validation.py SCHEMA FOLDER…"""
import json
import pathlib
import sys
import tomllib

import jsonschema

schema = json.loads(pathlib.Path(sys.argv[1]).read_text())
validator = jsonschema.Draft202012Validator(schema)
validator.check_schema(schema)

recipes = [f for folder in sys.argv[2:] for f in sorted(pathlib.Path(folder).rglob("*.toml"))]
assert len(recipes) >= 8, recipes
for file in recipes:
    errors = [e.message for e in validator.iter_errors(tomllib.loads(file.read_text()))]
    assert not errors, f"{file}: {errors}"

wrong = {
    "an unknown top-level key": 'sede = 1',
    "an unknown parameter": '[model]\ntype = "Recognizer"\n[model.backbone]\ntype = "SlowFast"\naplha = 4',
    "an unknown component": '[model]\ntype = "Recognizer"\n[model.backbone]\ntype = "SlowFst"',
    "a wrong type": '[train]\nmax_epochs = "ten"',
    "a value out of range": '[optimizer]\ntype = "SGD"\nlr = -1',
    "a choice that is none": '[hooks.amp]\ntype = "AMP"\ndtype = "float8"',
    "a bad entry of a list": '[[data.train.pipeline]]\ntype = "Flip"\nprobability = 2\n[data.train]\ntype = "VideoDataset"',
    "a hook that is a number": '[hooks]\namp = 3',
}
for what, text in wrong.items():
    assert list(validator.iter_errors(tomllib.loads(text))), f"accepted: {what}"
print(f"{len(recipes)} recipes valid, {len(wrong)} wrong ones refused")
