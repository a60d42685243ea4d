"""The program in the README, as a newcomer would paste it."""

import re
import subprocess
import sys
from pathlib import Path

from conftest import ENDPOINT, KEY, unique_id

README = Path(__file__).resolve().parents[3] / "README.md"


async def test_the_program_in_the_readme_works(client):
    database = unique_id()
    program = re.search(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)[1]
    program = program.replace("http://localhost:8081", ENDPOINT).replace('"shop"', f'"{database}"')
    program = re.sub(r'key = "[^"]*"', f'key = "{KEY}"', program)
    try:
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 0, done.stderr
        assert done.stdout.splitlines() == ["42", "1", "{'id': '1', 'total': 42}"]
    finally:
        await client.delete_database(database)
