"""Drives the page of `taffeta view` in a headless Chromium.

Usage: page.py CASE URL SCREENSHOT, with CASE one of live, keys, sizes, folder, crowd, rope, colors, seams, closed. Fails with the first thing that is
wrong; prints what was measured.
"""

import os
import pathlib
import shutil
import sys
import time

from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.actions.action_builder import ActionBuilder
from selenium.webdriver.common.actions.pointer_input import PointerInput
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
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

    def __init__(self, url: str, screen: tuple[int, int] | None = None, is_phone: bool = False):
        """Opens the page on a screen of a size [px], which may be that of a telephone, or in a window."""
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
        self.url, self.origin = url, url.split("?")[0]
        if screen:
            metrics = {"width": screen[0], "height": screen[1], "deviceScaleFactor": 1 + is_phone, "mobile": is_phone}
            self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
            self.driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": is_phone})
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

    def press(self, key: str):
        """Presses a key, wherever the focus is."""
        ActionChains(self.driver).send_keys(key).perform()

    def record(self):
        """Records the commands that are sent from now on."""
        script = """window.sent = [];
            const send = WebSocket.prototype.send;
            WebSocket.prototype.send = function (text) {
                window.sent.push(JSON.parse(text));
                return send.call(this, text);
            };"""
        self.run(script)

    def take_sent(self) -> list[str]:
        """The names of the commands sent since the last time, but for those that take over frames."""
        # What a key does when it is released, too.
        time.sleep(0.2)
        names = self.run("return window.sent.splice(0).map((command) => command.do)")
        return [name for name in names if name != "taken"]

    def notices(self) -> str:
        return self.find("#notices").text

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
        assert len(names) >= 10 and all(name.startswith((self.origin, "data:")) for name in names), names

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

    # Threads and hems can be seen, then edges and colors in their place.
    plain = page.count_colors()
    assert plain > 20, plain
    looks = page.run("return window.taffeta.looks(0)")
    # Six vertices at each vertex of the four edges, of which the first comes twice.
    assert looks["woven"] and looks["hem"] >= 6 * 33 and looks["copies"] == 0, looks
    page.find("#wireframe").click()
    Select(page.find("#color")).select_by_value("strain")
    page.wait_frames(3)
    assert page.count_colors() > 20
    page.wait("there is a legend", lambda: page.find("#legend").is_displayed())
    looks = page.run("return window.taffeta.looks(0)")
    assert not looks["woven"] and looks["hem"] == 0, looks
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


def check_colors(url: str, picture: str):
    """Colors that are chosen in a pause are drawn at once, and taken back."""
    page = Page(url)
    page.pause()
    page.find("#reset").click()
    page.wait("frame 0", lambda: page.get("frame") == 0)
    time.sleep(0.5)
    script = """const [x, y] = window.taffeta.screen(window.taffeta.position(0, window.taffeta.nearest(0, [0.5, 0.5, 0])));
        const canvas = document.getElementById("stage");
        const context = Object.assign(document.createElement("canvas"), { width: canvas.width, height: canvas.height }).getContext("2d");
        window.taffeta.draw();
        context.drawImage(canvas, 0, 0);
        const scale = canvas.width / canvas.clientWidth;
        return Array.from(context.getImageData(x * scale, y * scale, 1, 1).data.slice(0, 3));"""
    Select(page.find("#color")).select_by_value("strain")
    time.sleep(0.5)
    gray = page.run(script)
    assert min(gray) > 150 and max(gray) - min(gray) < 20, ("no strain is gray", gray)
    Select(page.find("#color")).select_by_value("")
    time.sleep(0.5)
    red = page.run(script)
    assert red[0] > red[2] + 60, ("the first cloth is red", red)
    page.driver.save_screenshot(picture)
    page.expect_quiet()
    page.driver.quit()


def check_keys(url: str, picture: str):
    """Keys act whatever was clicked before; what is refused is told, and why nothing moves in a pause."""
    page = Page(url)
    page.pause()
    page.record()

    # Space is heard once after a click on anything, and does to that nothing.
    page.find("#step").click()
    page.take_sent()
    page.press(Keys.SPACE)
    assert page.take_sent() == ["run"], "after a click on another button"
    page.wait("it runs", page.is_running)
    page.find("#run").click()
    page.wait("it pauses", lambda: not page.is_running())
    page.take_sent()
    page.press(Keys.SPACE)
    assert page.take_sent() == ["run"], "after a click on the button itself"
    page.wait("it runs", page.is_running)
    page.find("#wireframe").click()
    page.press(Keys.SPACE)
    assert page.take_sent() == ["run"], "after a click on a box"
    assert page.find("#wireframe").is_selected()
    page.wait("it pauses", lambda: not page.is_running())
    Select(page.find("#color")).select_by_value("strain")
    page.press(Keys.SPACE)
    assert page.take_sent() == ["run"], "after a choice from a list"
    page.wait("it runs", page.is_running)
    page.pause()
    page.take_sent()

    # Arrows are frames, and not values of the slider that was moved.
    dial = page.find("input[data-key='gravity.y']")
    dial.click()
    page.wait("the slider is clicked", lambda: "set" in page.take_sent())
    value, frame = dial.get_attribute("value"), page.get("frame")
    page.press(Keys.ARROW_RIGHT)
    page.wait("a frame more", lambda: page.get("frame") == frame + 1)
    page.press(".")
    page.wait("another one", lambda: page.get("frame") == frame + 2)
    assert dial.get_attribute("value") == value
    page.take_sent()
    page.press(Keys.ARROW_LEFT)
    page.wait("a simulation does not go back", lambda: "no frames to go to" in page.notices())

    # What is reached by Tab has its own keys.
    page.press(Keys.TAB)
    page.run("document.getElementById('step').focus()")
    page.take_sent()
    page.press(Keys.SPACE)
    assert page.take_sent() == ["step"]
    page.run("arguments[0].focus()", dial)
    page.press(Keys.ARROW_RIGHT)
    assert page.take_sent() == ["set"] and dial.get_attribute("value") != value

    # Refusals are told: which command, and why; and again, when they have been dismissed.
    page.send(do="dance")
    page.wait("nonsense is refused", lambda: 'refused: {"do":"dance"}: unknown variant `dance`' in page.notices())
    page.run("[...document.querySelectorAll('.notice')].at(-1).click()")
    assert "dance" not in page.notices()
    page.send(do="dance")
    page.wait("it is again", lambda: "dance" in page.notices())
    page.send(do="reset")
    page.wait("it is at its start", lambda: page.get("frame") == 0)

    # A hand in a pause.
    x, y = (round(c) for c in page.run("return window.taffeta.screen(window.taffeta.position(0, window.taffeta.nearest(0, [0.5, 0.4, 0])))"))
    for ends_by in ["release", "run"]:
        actions = ActionChains(page.driver)
        actions.w3c_actions.pointer_action.move_to_location(x, y)
        actions.w3c_actions.pointer_action.pointer_down()
        actions.perform()
        page.wait("the pause is told", lambda: "Paused: what you hold" in page.notices())
        if ends_by == "run":
            page.driver.save_screenshot(picture)
            page.press(Keys.SPACE)
            page.wait("it runs", page.is_running)
            page.wait("there is no pause", lambda: "Paused" not in page.notices(), 2.0)
        ActionChains(page.driver).release().perform()
        page.wait("it lets go", lambda: page.get("grabs") == 0)
        page.wait("the hint goes", lambda: "Paused" not in page.notices())
    page.expect_quiet()
    page.driver.quit()


# What overlaps, is cut or out of reach. Shows all that can be in front of the picture.
LAYOUT = """
    const problems = [];
    const box = (element) => element.getBoundingClientRect();
    const name = (element) => element.id ? "#" + element.id : element.dataset.key ?? element.textContent.slice(0, 30);
    const isIn = (inner, outer) =>
        inner.left >= outer.left - 1 && inner.right <= outer.right + 1 && inner.top >= outer.top - 1 && inner.bottom <= outer.bottom + 1;
    const { documentElement: root } = document;
    const find = (id) => document.getElementById(id);
    if (root.scrollWidth > innerWidth || root.scrollHeight > innerHeight) problems.push(`the page is ${root.scrollWidth} × ${root.scrollHeight}`);

    // What a machine under load shows: whether it is must not decide the test.
    const [size] = find("readout").firstChild.textContent.split("\\n");
    const lines = [size, "123456 contacts, 123456 edits of the mesh", "0.000123 ms per frame, 60 frames/s", "Rougher to keep real time: step error 0.000123, edges × 12.3"];
    const slow = Object.assign(document.createElement("div"), { className: "slow", textContent: "Slower than real time: 1 s of cloth takes 0.000123 s." });
    find("readout").replaceChildren(lines.join("\\n"), slow);
    find("banner").hidden = false;
    find("banner").textContent = "No connection to taffeta view. Trying again … If it has been started anew, open the address that it prints.";
    find("clock").textContent = "frame 123456   2057.600 s, past the scene's end";
    const stage = box(find("stage"));
    if (stage.width * stage.height < 0.4 * innerWidth * innerHeight) problems.push(`the picture has ${stage.width} × ${stage.height} px`);
    const front = [...document.querySelectorAll("#banner, #readout, #legend, #notices, #timeline > *")].filter((element) => box(element).width > 0);
    for (const [i, one] of front.entries()) {
        if (!isIn(box(one), stage)) problems.push(`${name(one)} is not within the picture`);
        if (one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 0) problems.push(`${name(one)} is cut`);
        for (const other of front.slice(i + 1)) {
            const [a, b] = [box(one), box(other)];
            if (a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1) problems.push(`${name(one)} and ${name(other)} overlap`);
        }
    }
    // Without a connection there is nothing to see.
    find("banner").hidden = true;
    const free = box(find("timeline")).top - Math.max(box(find("readout")).bottom, box(find("legend")).bottom) - box(find("notices")).height;
    if (free < 60) problems.push(`only ${free} px of the picture are free`);

    const panel = document.querySelector("aside");
    if (panel.scrollWidth > panel.clientWidth) problems.push("the panel is cut");
    for (const control of document.querySelectorAll("button, select, input, aside h2, aside canvas, aside output")) {
        if (box(control).width === 0) continue;
        control.scrollIntoView({ block: "center" });
        const { left, right, top, bottom } = box(control);
        const met = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
        if (left < 0 || right > innerWidth || top < 0 || bottom > innerHeight) problems.push(`${name(control)} cannot be scrolled to`);
        else if (met !== control && !control.contains(met)) problems.push(`${name(control)} is covered`);
        if (control.matches("button, select") && innerWidth < 500 && bottom - top < 36) problems.push(`${name(control)} is too small for a finger`);
    }
    panel.scrollTop = 0;
    return problems;
"""


def check_sizes(url: str, picture: str):
    """Nothing overlaps, is cut or out of reach, on a telephone and on a screen; a finger holds the cloth."""
    for name, screen in [("phone", (390, 844)), ("lying", (740, 360)), ("screen", (1280, 800))]:
        is_phone = name != "screen"
        page = Page(url, screen, is_phone)
        is_live = page.get("status.mode") == "live"
        page.send(do="dance")
        page.send(do="pin", body=99, point=[0.0, 0.0, 0.0])
        page.wait("refusals are told", lambda: "pin" in page.notices() and "dance" in page.notices())
        page.wait("there are numbers", lambda: "vertices" in page.find("#readout").text)
        if is_live:
            Select(page.find("#color")).select_by_value("strain")
            page.wait("there is a legend", lambda: page.find("#legend").is_displayed())
            page.pause()
            page.find("#fit").click()
            page.run("window.taffeta.draw()")
            x, y = (round(c) for c in page.run("return window.taffeta.screen(window.taffeta.position(0, window.taffeta.nearest(0, [0.5, 0.8, 0])))"))
            finger = ActionBuilder(page.driver, mouse=PointerInput("touch" if is_phone else "mouse", "finger"))
            finger.pointer_action.move_to_location(x, y)
            finger.pointer_action.pointer_down()
            finger.perform()
            page.wait("a finger holds it", lambda: page.get("grabs") == 1)
            page.wait("the pause is told", lambda: "Paused" in page.notices())
        problems = page.run(LAYOUT)
        page.driver.save_screenshot(picture.replace(".png", f"-{name}.png"))
        assert not problems, (name, problems)
        if is_live:
            finger.clear_actions()
            page.wait("the finger lets go", lambda: page.get("grabs") == 0)
            # The lower edge of the sheet and the upper one, by a finger.
            page.find("button[data-tool='sew']").click()
            page.wait("edges are known", lambda: page.run("return window.taffeta.edges?.length") == 4)
            page.find("#reset").click()
            page.wait("frame 0", lambda: page.get("frame") == 0)
            page.find("#fit").click()
            # They may cover an edge.
            page.run("while (document.querySelector('.notice')) document.querySelector('.notice').click(); window.taffeta.draw()")
            for number in [0, 2]:
                middle = "window.taffeta.edges[arguments[0]].points.slice(-3).map((x, k) => (x + window.taffeta.edges[arguments[0]].points[k]) / 2)"
                x, y = (round(c) for c in page.run(f"return window.taffeta.screen({middle})", number))
                finger = ActionBuilder(page.driver, mouse=PointerInput("touch" if is_phone else "mouse", "finger"))
                finger.pointer_action.move_to_location(x, y)
                finger.pointer_action.pointer_down()
                finger.pointer_action.pointer_up()
                finger.perform()
            page.wait("it is a seam", lambda: page.run("return window.taffeta.seams.length") == 1)
            problems = page.run(LAYOUT)
            page.driver.save_screenshot(picture.replace(".png", f"-{name}-seams.png"))
            assert not problems, (name, problems)
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


def check_seams(url: str, picture: str):
    """Two edges that are clicked become a seam, in words of the scene file; seams are collected and taken back."""
    page = Page(url)
    page.find("button[data-tool='sew']").click()
    page.wait("it pauses", lambda: not page.is_running())
    page.wait("edges are known", lambda: page.run("return window.taffeta.edges?.length") == 12)
    hint = lambda: page.find("#seam-hint").text
    page.send(do="step")
    page.wait("the way to time 0 is told", lambda: page.get("frame") > 0 and "press Reset" in hint())
    page.find("#reset").click()
    page.wait("frame 0", lambda: page.get("frame") == 0 and "Reset" not in hint())
    page.find("#fit").click()
    page.run("window.taffeta.draw()")

    def click(start: list[float], end: list[float]) -> str:
        """Clicks beside the middle of the edge with some ends, and returns its name."""
        script = """const [start, end, is] = [arguments[0], arguments[1], (a, b) => a.every((x, k) => Math.abs(x - b[k]) < 1e-6)];
            return window.taffeta.edges.find(({ points }) => is(start, points.slice(0, 3)) && is(end, points.slice(-3)));"""
        edge = page.run(script, start, end)
        place = page.run("return window.taffeta.screen(arguments[0])", [(a + b) / 2 for a, b in zip(start, end)])
        actions = ActionChains(page.driver, duration=50)
        actions.w3c_actions.pointer_action.move_to_location(round(place[0]) + 2, round(place[1]))
        actions.click()
        actions.perform()
        return edge["name"]

    right, behind = ([1, 0, 0], [1, 2, 0]), ([1, 2, 1], [1, 0, 1])
    count = lambda: page.run("return window.taffeta.seams.length")
    name = click(*right)
    assert name == "front, edge 1" and hint().startswith(f"{name}, 2.0000 m: click"), (name, hint())
    page.press(Keys.ESCAPE)
    assert hint().startswith("Click an edge") and count() == 0, hint()

    click(*right)
    other = click(*behind)
    page.wait("it is a seam", lambda: count() == 1)
    assert f"{name} (2.0000 m) to {other} (2.0000 m), 1 : 1.000" in page.find("#seam-list").text
    pairs = page.run("return Array.from(window.taffeta.seams[0].pairs)")
    assert pairs == [1, 0, 0, 1, 0, 1, 1, 2, 0, 1, 2, 1], pairs
    # The overlay has the two runs and the lines between them.
    page.wait("it is drawn", lambda: page.run("return window.taffeta.painted()") > 1000)
    click([0, 2, 0], [0, 0, 0])
    click([0, 0, 1], [0, 2, 1])
    page.wait("they are two seams", lambda: count() == 2)
    text = page.find("#seam-text").get_attribute("value")
    assert text.count("[[cloth.seam]]") == 2 and 'a = { panel = "front", edge = 1 }' in text, text
    pathlib.Path(picture).with_suffix(".toml").write_text(text)
    page.find("#seam-copy").click()
    page.wait("it is copied", lambda: page.find("#seam-copy").text in ["Copied", "Press Ctrl-C"])
    page.driver.save_screenshot(picture)

    # The ground of a scene without a floor.
    assert page.get("ground")
    page.find("#ground").click()
    assert not page.get("ground")

    # What cannot be sewn is told, and nothing is lost.
    click(*right)
    click([1.2, 1.5, 0], [1.2, 0, 0])
    page.wait("the longer one is gathered", lambda: count() == 3 and "gathered" in page.find("#seam-list").text)
    click(*right)
    click([1.6, 0, 0], [1.6, 1.5, 0])
    page.wait("the reason is told", lambda: "face opposite ways" in hint())
    page.find("#seam-list button").click()
    assert count() == 2
    page.find("#seam-clear").click()
    assert count() == 0 and not page.find("#seam-text").is_displayed()
    page.expect_quiet()
    page.driver.quit()


def check_closed(url: str, picture: str):
    """A cloth without edges says so."""
    page = Page(url)
    page.find("button[data-tool='sew']").click()
    page.wait("the reason is told", lambda: "There is nothing to click: cloth \"ball\": its surface is closed" in page.find("#seam-hint").text)
    page.driver.save_screenshot(picture)
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
    # Arrows go on and back, over a gap, also after a click on the slider.
    page.find("#seek").click()
    page.send(do="seek", frame=6)
    page.wait("frame 6", lambda: page.get("frame") == 6)
    for key, shown in [(Keys.ARROW_RIGHT, 9), (Keys.ARROW_LEFT, 6), (Keys.ARROW_LEFT, 5)]:
        page.press(key)
        page.wait(f"frame {shown}", lambda: page.get("frame") == shown)
    page.send(do="seek", frame=20)
    page.wait("the end", lambda: page.get("frame") == 20)
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
    first.driver.get(first.url)
    first.wait("it is still there", lambda: (first.get("frame") or 0) >= last)
    first.driver.refresh()
    first.wait("it is after a reload", lambda: (first.get("frame") or 0) >= last)
    first.wait_frames(5)
    first.driver.save_screenshot(picture)
    first.driver.get(first.origin)
    assert "Open the whole address" in first.find("body").text, "without a token it is locked"
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
    cases = {"live": check_live, "keys": check_keys, "sizes": check_sizes, "folder": check_folder, "crowd": check_crowd, "rope": check_rope, "colors": check_colors, "seams": check_seams, "closed": check_closed, "measure": measure}
    cases[case](address, screenshot)
