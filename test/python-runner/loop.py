"""Runs runner.py for each line of standard input, which is an array of arguments or a recorded run, and writes a line with
the id, the status and perhaps the "yes" or "no" of each case."""
import json, sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3] / "conformance"))
import runner

CASES = {case["id"]: case for case in runner.DATA["cases"]}

def check(args):
    results = []
    options = runner.options_of(args)
    runner.check(options.url, options, lambda *result: results.append(result))
    return results

def replay(recorded):
    run = runner.Run("http://127.0.0.1", runner.options_of(["http://127.0.0.1", "--no-auth"]))
    run.values.update(recorded["values"])
    answers_at = lambda places: [None if place is None else recorded["answers"][place] for place in places]
    run.exchanges = dict(zip(recorded["exchanges"], answers_at(recorded["exchanges"].values())))
    return [(one["id"], *judge(CASES[one["id"]], answers_at(one["answers"]), run)) for one in recorded["cases"]]

def judge(case, answers, run):
    try:
        return runner.judge(case, answers, run.fill, runner.DATA["$defs"])
    except runner.Skip as reason:
        return "skipped", str(reason)

for line in sys.stdin:
    job = json.loads(line)
    results = replay(job) if isinstance(job, dict) else check(job)
    short = [(id, status, observed) if observed in ("yes", "no") else (id, status) for id, status, observed in results]
    print(json.dumps(short), flush=True)
