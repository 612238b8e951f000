"""What the operator's page says of devices: their batteries, and how deep they are."""

import threading
import time

from hosted_room import wait_until


def test_a_battery_that_runs_low_is_told_and_its_charger_too(room, phones, operators):
    script = "window.charge = { level: 0.34, charging: false }; navigator.getBattery = async () => window.charge;"
    phone = phones(room.phone_url(), scripts=[script]).start()
    phone.seated()
    wait_until(lambda: (room.peer("P1").get("sensor") or {}).get("battery") == 34, what="34 %")
    phone.page.evaluate("window.charge.level = 0.095")
    event = room.wait_event(type="battery", player=1)
    assert (event["percent"], event["charging"]) == (10, False)
    assert "battery is at 10 %" in room.cli("peers", "P1")
    operator = operators(room)
    operator.says("#troubles-list", "its battery is at 10")
    phone.page.evaluate("window.charge.charging = true")
    room.wait_event(type="battery", player=1, charging=True)
    assert "charging" in room.cli("peers", "P1")


def test_how_deep_a_device_is_is_shown_and_told(room, natives, operators):
    diver, over = natives(room, "Diver"), threading.Event()
    water = {"condition": "notSubmerged", "surfacePressure": 101.3}

    def read():
        start = time.monotonic()
        while not over.wait(0.4):
            diver.say({"t": time.monotonic() - start, "submersion": water})

    reading = threading.Thread(target=read)
    reading.start()
    try:
        operator = operators(room)
        wait_until(lambda: operator.polled() == ["Diver"], what="the diver")
        operator.choose("Diver")
        operator.says("#chosen-figures", "out of the water")
        water = {"condition": "submerged", "depth": 0.5, "depthUncertainty": 0.12, "temperature": 18.5}
        operator.says("#events", "under water, less than 1 m deep, 0.50 ± 0.12 m, 18.5 °C")
        water = water | {"depth": 3.25}
        operator.says("#chosen-figures", "deep under water, 3.25 ± 0.12 m, 18.5 °C")
        event = room.wait_event(type="submersion", state="submergedDeep")
        assert (event["from"], event["depth"], event["pressure"]) == ("submergedShallow", 3.25, None)
    finally:
        over.set()
        reading.join()
    diver.close()
    room.wait_event(type="submersion", state="unknown")
