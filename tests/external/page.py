"""Drives the page of `taffeta view` in a headless Chromium.

Usage: page.py CASE URL SCREENSHOT, with CASE one of live, folder, crowd, rope. Fails with the first thing that is wrong; prints
what was measured.
"""

import os
import pathlib
import shutil
import sys
import time

from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select

PATIENCE = 60.0  # s, on a busy machine


def find_browser() -> tuple[str, str]:
    """Chromium and its driver."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    if browser is None or driver is None:
        sys.exit("Chromium and its driver are missing (Debian: chromium, chromium-driver)")
    return browser, driver


class Page:
    """The page in a browser."""

    def __init__(self, url: str):
        browser, driver = find_browser()
        options = webdriver.ChromeOptions()
        options.binary_location = browser
        for argument in ["--headless=new", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--window-size=1280,860"]:
            options.add_argument(argument)
        if os.geteuid() == 0:
            options.add_argument("--no-sandbox")
        options.add_argument("--disable-dev-shm-usage")
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
        self.url = url
        self.driver.get(url)
        self.wait("a frame is shown", lambda: self.get("frame") is not None)

    def run(self, script: str, *arguments):
        return self.driver.execute_script(script, *arguments)

    def get(self, path: str):
        return self.run(f"return window.taffeta?.{path}")

    def send(self, **command):
        self.run("window.taffeta.send(arguments[0])", command)

    def wait(self, what: str, is_so, patience: float = PATIENCE):
        end = time.monotonic() + patience
        while not is_so():
            if time.monotonic() > end:
                self.driver.save_screenshot(sys.argv[3])
                notices = self.get("status.notices")
                raise AssertionError(f"not so after {patience} s: {what}; frame {self.get('frame')}, {notices}, {self.log()}")
            time.sleep(0.05)

    def find(self, selector: str):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def log(self):
        return self.driver.get_log("browser")

    def slide(self, key: str, part: float):
        """Moves a slider to a part of its way, as a hand would."""
        dial = self.find(f"input[data-key='{key}']")
        script = """const [dial, part] = arguments;
            dial.value = Math.round(part * dial.max);
            dial.dispatchEvent(new Event("input", { bubbles: true }));
            dial.dispatchEvent(new Event("change", { bubbles: true }));"""
        self.run(script, dial, part)

    def wait_frames(self, count: int):
        last = self.get("frame") + count
        self.wait(f"frame {last}", lambda: self.get("frame") >= last)

    def is_running(self) -> bool:
        return self.get("status.running")

    def pause(self):
        if self.is_running():
            self.find("#run").click()
        self.wait("it pauses", lambda: not self.is_running())
        # What was on its way.
        time.sleep(0.5)

    def expect_quiet(self):
        """Expects no errors, and nothing from elsewhere."""
        severe = [entry for entry in self.log() if entry["level"] == "SEVERE"]
        assert not severe, severe
        names = self.run("return performance.getEntriesByType('resource').map((entry) => entry.name)")
        assert len(names) >= 10 and all(name.startswith((self.url, "data:")) for name in names), names

    def count_colors(self) -> int:
        """Different colors of the picture, at some places."""
        script = """const copy = document.createElement("canvas");
            [copy.width, copy.height] = [160, 100];
            const context = copy.getContext("2d");
            window.taffeta.draw();
            context.drawImage(document.getElementById("stage"), 0, 0, 160, 100);
            const { data } = context.getImageData(0, 0, 160, 100);
            const colors = new Set();
            for (let i = 0; i < data.length; i += 4) colors.add(data[i] * 65536 + data[i + 1] * 256 + data[i + 2]);
            return colors.size;"""
        return self.run(script)


def distance(a, b) -> float:
    return sum((x - y) ** 2 for x, y in zip(a, b)) ** 0.5


def drag(page: Page, place: list[float], shift: tuple[int, int]):
    """Drags the vertex at a place of the layout, and waits until it is near the pointer. Vertices have other numbers when the
    mesh has changed."""
    find = "return window.taffeta.position(0, window.taffeta.nearest(0, arguments[0]))"
    page.pause()
    before = page.run(find, place)
    x, y = (round(c) for c in page.run("return window.taffeta.screen(arguments[0])", before))
    actions = ActionChains(page.driver, duration=50)
    actions.w3c_actions.pointer_action.move_to_location(x, y)
    actions.w3c_actions.pointer_action.pointer_down()
    actions.perform()
    page.send(do="run", on=True)
    actions = ActionChains(page.driver, duration=50)
    for k in range(1, 11):
        actions.w3c_actions.pointer_action.move_to_location(x + shift[0] * k // 10, y + shift[1] * k // 10)
    actions.perform()
    target = (x + shift[0], y + shift[1])

    def has_followed() -> bool:
        after = page.run(find, place)
        on_screen = page.run("return window.taffeta.screen(arguments[0])", after)
        return distance(before, after) > 0.05 and distance(on_screen, target) < 60

    # No number of frames: they may be faster than the browser, which draws without a GPU.
    page.wait("it follows the pointer", has_followed)
    # Not by the button: a click on it would let go of the cloth first.
    page.send(do="run", on=False)
    page.wait("it pauses", lambda: not page.is_running())
    ActionChains(page.driver).release().perform()
    page.wait("it lets go", lambda: page.get("grabs") == 0)


def check_live(url: str, picture: str):
    page = Page(url)
    page.expect_quiet()
    assert page.get("status.mode") == "live"

    # The cloth moves.
    corner = "return window.taffeta.position(0, window.taffeta.nearest(0, [0, 0, 0]))"
    start = page.run(corner)
    page.wait("it falls", lambda: page.run(corner)[1] < start[1] - 0.01)

    # A step is one frame, and a reset goes back.
    page.pause()
    frame = page.get("frame")
    page.find("#step").click()
    page.wait("one frame more", lambda: page.get("frame") == frame + 1)
    page.find("#reset").click()
    page.wait("frame 0", lambda: page.get("frame") == 0)

    # A slider changes the motion: gravity upwards.
    page.slide("gravity.y", 1.0)
    page.wait("gravity is set", lambda: any(c["key"] == "gravity.y" and c["value"] == 20.0 for c in page.get("status.controls")))
    page.find("#run").click()
    page.wait("it rises", lambda: page.run(corner)[1] > start[1] + 0.01)
    page.find("#defaults").click()
    page.wait("gravity is back", lambda: any(c["key"] == "gravity.y" and c["value"] == -9.81 for c in page.get("status.controls")))

    # Material and thresholds.
    page.slide("cloth.0.material.density", 0.8)
    page.slide("cloth.0.remesh.size_max", 0.5)
    Select(page.find("select[title='material preset']")).select_by_value("silk")
    page.wait_frames(5)
    page.find("#defaults").click()

    # Edges and colors can be seen.
    plain = page.count_colors()
    assert plain > 20, plain
    page.find("#wireframe").click()
    Select(page.find("#color")).select_by_value("strain")
    page.wait_frames(3)
    assert page.count_colors() > 20
    page.wait("there is a legend", lambda: page.find("#legend").is_displayed())
    page.wait("there are numbers", lambda: "vertices" in page.find("#readout").text)

    # A drag moves a vertex, toward the pointer.
    page.pause()
    page.find("#reset").click()
    page.wait("frame 0", lambda: page.get("frame") == 0)
    drag(page, [0.5, 0.35, 0.0], (60, -80))
    page.driver.save_screenshot(picture)

    # Pins: one more is held, then none of the scene's are.
    held = page.run("return window.taffeta.held(0)")
    assert held > 1, "the scene holds the upper edge"
    page.send(do="pin", body=0, point=[0.5, 0.3, 0.0])
    page.wait("a vertex more is held", lambda: page.run("return window.taffeta.held(0)") == held + 1)
    page.send(do="unpin", body=0, point=[0.5, 1.0, 0.0])
    page.wait("the edge is free", lambda: page.run("return window.taffeta.held(0)") == 1)
    page.send(do="unpin", body=0, point=[0.9, 0.9, 0.0])
    page.wait("that is refused", lambda: "no pin holds" in page.find("#notices").text)

    # Nonsense is refused and changes nothing.
    page.send(do="set", key="gravity.y", value=1e9)
    page.wait("the reason is told", lambda: "must be from" in page.find("#notices").text)
    page.send(do="nonsense")
    page.driver.quit()


def check_rope(url: str, picture: str):
    """A rope is dragged, pinned where it is and let go; beside it nothing is taken."""
    page = Page(url)
    # A vertex of the ring in the middle of the tube, which has twelve.
    middle = "return window.taffeta.place('line', 12 * 10)"
    page.pause()
    before = page.run(middle)
    x, y = (round(c) for c in page.run("return window.taffeta.screen(arguments[0])", before))
    # A few pixels beside it: ropes are thin.
    actions = ActionChains(page.driver, duration=50)
    actions.w3c_actions.pointer_action.move_to_location(x, y + 5)
    actions.w3c_actions.pointer_action.pointer_down()
    actions.perform()
    page.send(do="run", on=True)
    page.wait("it is held", lambda: page.get("grabs") == 1)
    actions = ActionChains(page.driver, duration=50)
    for k in range(1, 11):
        actions.w3c_actions.pointer_action.move_to_location(x, y - 12 * k)
    actions.perform()
    page.wait("it follows the pointer up", lambda: page.run(middle)[1] > before[1] + 0.03)
    after = page.run(middle)
    page.driver.save_screenshot(picture)
    ActionChains(page.driver).release().perform()
    page.wait("it lets go", lambda: page.get("grabs") == 0)
    page.wait("it sinks back", lambda: page.run(middle)[1] < after[1] - 0.02)
    # The end is free at first.
    end = "return window.taffeta.place('line', 12 * 20)"
    held = "return window.taffeta.holds('line')"
    page.pause()
    place = page.run(end)
    assert page.run(held) == 1
    page.send(do="pin", body=0, point=[1.0, 0.0, 0.0])
    page.wait("the end is held", lambda: page.run(held) == 2)
    page.send(do="run", on=True)
    page.wait_frames(20)
    kept = page.run(end)
    assert distance(kept, place) < 0.02, ("it is pinned", place, kept)
    page.send(do="unpin", body=0, point=[1.0, 0.0, 0.0])
    page.wait("the end is free", lambda: page.run(held) == 1)
    page.expect_quiet()
    page.driver.quit()


def check_folder(url: str, picture: str):
    page = Page(url)
    assert page.get("status.mode") == "folder"
    page.wait("missing frames are told", lambda: "frames are missing: 7 to 8" in page.find("#notices").text)
    page.pause()
    corner = [0.0, 0.0, 0.0]
    places = {}
    # Forth, back, and to a frame that is missing.
    for wanted, shown in [(2, 2), (12, 12), (2, 2), (8, 9), (20, 20)]:
        page.run(
            """const seek = document.getElementById("seek");
            seek.value = arguments[0];
            seek.dispatchEvent(new Event("input"));
            seek.dispatchEvent(new Event("change"));""",
            wanted,
        )
        page.wait(f"frame {shown}", lambda: page.get("frame") == shown)
        place = page.run("return window.taffeta.position(0, 0)")
        assert places.setdefault(shown, place) == place, "the same frame again"
    assert distance(places[2], places[12]) > 1e-3 or distance(places[12], places[20]) > 1e-3, places
    page.wait("the clock says so", lambda: page.find("#clock").text.startswith("frame 20"))
    # From the end it plays from the beginning, and stops at the end.
    page.find("#run").click()
    page.wait("it plays", lambda: 0 < page.get("frame") < 20)
    page.wait("it stops at the end", lambda: page.get("frame") == 20 and not page.is_running())
    page.send(do="grab", body=0, point=corner, target=corner, stamp=1.0)
    page.wait("that is refused", lambda: "a recording cannot be changed" in page.find("#notices").text)
    page.expect_quiet()
    page.driver.save_screenshot(picture)
    page.driver.quit()


def check_crowd(url: str, picture: str):
    """Two browsers see and command the same simulation; one goes in mid-run, holding the cloth."""
    first, second = Page(url), Page(url)
    first.pause()
    second.wait("the second knows of the pause", lambda: not second.is_running())
    second.wait("both show the same", lambda: second.get("frame") == first.get("frame"))
    assert first.run("return window.taffeta.position(0, 5)") == second.run("return window.taffeta.position(0, 5)")
    second.send(do="grab", body=0, point=[0.5, 0.3, 0.0], target=[0.0, 1.0, 0.5], stamp=1.0)
    second.find("#run").click()
    first.wait("the first runs too", first.is_running)
    first.wait_frames(5)
    second.driver.quit()
    first.wait_frames(10)
    # And again with nobody for a while.
    last = first.get("frame")
    first.driver.get("about:blank")
    time.sleep(1.0)
    first.driver.get(url)
    first.wait("it is still there", lambda: (first.get("frame") or 0) >= last)
    first.wait_frames(5)
    first.driver.save_screenshot(picture)
    first.driver.quit()


def measure(url: str, picture: str):
    """Prints how many frames are shown per second and how long a drag takes to be seen."""
    page = Page(url)
    page.send(do="real_time", on=False)
    time.sleep(6.0)
    begun, frame = time.monotonic(), page.get("frame")
    time.sleep(6.0)
    rate = (page.get("frame") - frame) / (time.monotonic() - begun)
    report = page.get("report")
    figures = {name: report.get(name) for name in ["vertices", "step_ms", "solve_ms", "remesh_ms", "picture_ms"]}
    shown, drawn, cost, size = (page.get(name) for name in ["rate", "drawRate", "cost", "bytes"])
    drag(page, [0.5, 0.35, 0.0], (60, -80))
    page.send(do="run", on=True)
    script = """const place = window.taffeta.position(0, arguments[0]);
        window.taffeta.send({ do: "grab", body: 0, point: [0.5, 0.3, 0], target: place, stamp: performance.now() });
        window.taffeta.latencies.length = 0;
        let k = 0;
        const timer = setInterval(() => {
            const target = [place[0], place[1] + 0.1 * Math.sin(k / 20), place[2]];
            window.taffeta.send({ do: "drag", target, stamp: performance.now() });
            if (++k > 300) clearInterval(timer);
        }, 16);"""
    page.run(script, page.run("return window.taffeta.nearest(0, [0.5, 0.3, 0])"))
    time.sleep(5.5)
    latencies = sorted(page.get("latencies"))
    middle, worst = latencies[len(latencies) // 2], latencies[int(0.95 * len(latencies))]
    print(f"{rate:.1f} frames/s simulated, {shown:.1f} delivered, {drawn:.1f} drawn, {cost:.1f} ms per frame in the page, {size} bytes; {figures}")
    print(f"a drag is seen after {middle:.0f} ms (median of {len(latencies)}), {worst:.0f} ms (95 %)")
    page.driver.save_screenshot(picture)
    page.driver.quit()


if __name__ == "__main__":
    case, address, screenshot = sys.argv[1:]
    pathlib.Path(screenshot).parent.mkdir(parents=True, exist_ok=True)
    {"live": check_live, "folder": check_folder, "crowd": check_crowd, "rope": check_rope, "measure": measure}[case](address, screenshot)
