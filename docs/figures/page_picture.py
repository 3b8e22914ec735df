"""Takes the picture of the page in README: the hem of a skirt is pulled aside; the cloth is colored by its curvature.

Usage: page_picture.py URL PICTURE, with the address that `taffeta view scenes/panelled_skirt.toml` prints and the Python of
tests/external/environment
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "external"))

from page import Page
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.support.ui import Select

url, picture = sys.argv[1:]
page = Page(url, (960, 600))
Select(page.find("#color")).select_by_value("curvature")
page.wait("the skirt hangs", lambda: page.get("frame") >= 40)
page.pause()
hem = page.run("return window.taffeta.screen(window.taffeta.position(0, window.taffeta.nearest(0, [0.0, -0.6, 0.0])))")
hand = ActionChains(page.driver, duration=50)
hand.w3c_actions.pointer_action.move_to_location(*map(round, hem)).pointer_down()
hand.perform()
hand = ActionChains(page.driver, duration=50)
hand.w3c_actions.pointer_action.move_to_location(round(hem[0]) + 150, round(hem[1]) - 80)
hand.perform()
page.send(do="run", on=True)
page.wait_frames(25)
page.send(do="run", on=False)
page.wait("it pauses", lambda: not page.is_running())
ActionChains(page.driver).release().perform()
page.wait("nothing is told", lambda: not page.notices())
page.run("window.taffeta.draw()")
page.driver.save_screenshot(picture)
page.driver.quit()
