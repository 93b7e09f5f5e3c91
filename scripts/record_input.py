"""Records what a page sees when a person uses mouse and keyboard: makes ``tests/fixtures/input_events.json``.

The input comes through the operating system: a Chromium with a window, on a display of its own (Xvfb), is used with
xdotool. Needs both (``apt-get install xvfb xdotool``) and a Chromium that pagelens finds; a few seconds. Run it from
the top of the repository after a change of ``tests/fixtures/input_page.html`` or ``tests/support/person.py``, or for
another Chromium::

    python -m scripts.record_input

``tests/browser/test_as_a_person.py`` holds our own input to the recording.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import pagelens
from tests.support.person import EVENTS, PAGE, SCENES

#: Time for Chrome to take what xdotool did, and for a double click to be over. Seconds.
PAUSE = 0.15
BETWEEN = 0.7


def main() -> None:
    read, write = os.pipe()
    with subprocess.Popen(
        ["Xvfb", "-displayfd", str(write), "-screen", "0", "1280x1000x24"], pass_fds=[write]
    ) as screen:
        try:
            os.environ["DISPLAY"] = ":" + os.read(read, 16).decode().strip()
            recorded = asyncio.run(record_all())
        finally:
            screen.terminate()
    scenes = []
    for name, events in recorded.items():
        lines = ",\n".join(f"  {json.dumps(event)}" for event in events)
        scenes.append(f" {json.dumps(name)}: [\n{lines}\n ]")
    EVENTS.write_text("{\n" + ",\n".join(scenes) + "\n}\n")
    print(f"{sum(map(len, recorded.values()))} events of {len(recorded)} scenes are in {EVENTS.name}.")


async def record_all() -> dict[str, list[dict[str, object]]]:
    async with pagelens.launch(headless=False, viewport=(900, 600)) as browser:
        page = await browser.new_page()
        await page.bring_to_front()
        return {name: await record(page, scene.by_hand) for name, scene in SCENES.items()}


async def record(page: pagelens.Page, commands: Sequence[str]) -> list[dict[str, object]]:
    await page.goto(PAGE.as_uri())
    corner = "[screenX + (outerWidth - innerWidth) / 2, screenY + outerHeight - innerHeight]"
    left, top = await page.evaluate(f"() => {corner}")

    async def by_hand(command: str) -> None:
        words = []
        for word in command.split():
            if word.startswith("@"):
                box = await (await page.element(f"css=#{word[1:]}")).box()
                assert box is not None
                words += [
                    "mousemove",
                    str(round(left + box.x + box.width / 2)),
                    str(round(top + box.y + box.height / 2)),
                ]
            else:
                words.append(word)
        await asyncio.to_thread(subprocess.run, ["xdotool", *words], check=True)
        await asyncio.sleep(PAUSE)

    await by_hand("@park")
    await asyncio.sleep(BETWEEN)
    await page.evaluate("() => { log = [] }")
    for command in commands:
        await by_hand(command)
    return [json.loads(line) for line in await page.evaluate("() => log")]


if __name__ == "__main__":
    main()
