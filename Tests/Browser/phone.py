"""A phone: one context of a real Chromium, whose motion sensor is fed through DevTools."""

import math
import time

from hosted_room import PATIENCE

GRAVITY = 9.80665
FACE_UP = (0.0, 0.0, GRAVITY)
SENSORS = ("accelerometer", "linear-acceleration", "gyroscope")
# Chromium lets a page read its sensors unasked; without windows it has nobody who would say so.
ALLOWED = ["accelerometer", "gyroscope", "magnetometer"]
# The browser's own words on a host that is gone or closing: no fault of the page.
NETWORK = ("Failed to load resource", "WebSocket connection to")
PORTRAIT = {"width": 390, "height": 844}


class Phone:
    """`page` is Playwright's. Values are m/s² and rad/s, in the device's axes."""

    def __init__(self, browser, url=None, sensors=True, scripts=(), viewport=PORTRAIT, **options):
        self.context = browser.new_context(
            ignore_https_errors=True, viewport=viewport, device_scale_factor=2, has_touch=True, permissions=ALLOWED,
            **options)
        for script in scripts:
            self.context.add_init_script(script)
        self.page = self.context.new_page()
        self.errors = []
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on(
            "console", lambda message: self.errors.append(message.text)
            if message.type == "error" and not message.text.startswith(NETWORK) else None)
        self.devtools = self.context.new_cdp_session(self.page)
        if sensors:
            # The page asks for its sensors as it loads: what comes later finds the real ones, which do not exist.
            for sensor in SENSORS:
                self.devtools.send("Emulation.setSensorOverrideEnabled", {"enabled": True, "type": sensor})
            self.hold()
        if url:
            self.page.goto(url)

    def hold(self, force=FACE_UP, rotation=(0, 0, 0), user=(0, 0, 0)):
        """From now on the sensors say this: acceleration with gravity, turning, and acceleration without."""
        xyz = lambda v: {"xyz": {"x": v[0], "y": v[1], "z": v[2]}}
        for sensor, value in zip(SENSORS, (force, user, rotation)):
            self.devtools.send("Emulation.setSensorOverrideReadings", {"type": sensor, "reading": xyz(value)})

    def tilt(self, pitch=0.0, roll=0.0):
        """Held still at these angles (rad): top edge up, right edge down."""
        self.hold((-GRAVITY * math.sin(roll) * math.cos(pitch), GRAVITY * math.sin(pitch),
                   GRAVITY * math.cos(pitch) * math.cos(roll)))

    def turn(self, pitch=0.0, roll=0.0, within=300):
        """Turned from lying flat to these angles within so many ms, as the gyroscope feels it, and held there."""
        self.hold(rotation=(pitch * 1000 / within, roll * 1000 / within, 0))
        self.page.wait_for_timeout(within)
        self.tilt(pitch, roll)

    def shake(self, room, player=1, since=0):
        """Shaken until the room tells it; the event. What a machine that stands still leaves of a shake may be none."""
        deadline, turn = time.monotonic() + PATIENCE, 0
        while not room.gesture("shake", player, since):
            assert time.monotonic() < deadline, f"no shake was told; the last events were {room.events[-5:]}"
            push = 25 * (-1) ** turn
            self.hold((push, 0, GRAVITY), user=(push, 0, 0))
            self.page.wait_for_timeout(80)
            turn += 1
        self.hold()
        return room.gesture("shake", player, since)

    def play(self, gesture, is_so):
        """Presses the gesture's button until this is so: a machine that stands still for a second swallows one."""
        deadline = time.monotonic() + PATIENCE
        while not is_so():
            assert time.monotonic() < deadline, f"{gesture} came to nothing"
            self.page.click(f"[data-gesture={gesture}]:not([aria-pressed=true])")
            again = time.monotonic() + 5
            while not is_so() and time.monotonic() < again:
                self.page.wait_for_timeout(50)

    def orient(self, beta, gamma, alpha=0):
        """What `deviceorientation` says, in degrees."""
        self.devtools.send(
            "DeviceOrientation.setDeviceOrientationOverride", {"alpha": alpha, "beta": beta, "gamma": gamma})

    def start(self):
        self.page.click("#start")
        return self

    def seated(self):
        """Waits for a seat: the player's number and name as the page shows them."""
        self.page.wait_for_selector("main[data-state=seated]")
        return self.page.inner_text("#number"), self.page.inner_text("#name")

    def close(self):
        self.context.close()
