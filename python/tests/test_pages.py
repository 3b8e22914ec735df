"""Code blocks of the pages and the examples are executed."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT

PAGES = [ROOT / "README.md", ROOT / "docs" / "python.md", ROOT / "docs" / "datasets.md", ROOT / "python" / "README.md"]
EXAMPLES = sorted((ROOT / "python" / "examples").glob("*.py"))


def blocks(path: Path) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", path.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_the_code_blocks_of_a_page_run_one_after_another(page: Path, tmp_path: Path) -> None:
    code = blocks(page)
    assert code, "there are some"
    for name in ("scenes", "meshes"):
        (tmp_path / name).symlink_to(ROOT / name)
    (tmp_path / "page.py").write_text("\n\n".join(code))
    done = subprocess.run([sys.executable, "page.py"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_an_example_runs(example: Path, tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, str(example)], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert list(tmp_path.iterdir()), "it leaves a file"


# The gallery is written by the program that makes its pictures.
@pytest.mark.parametrize("page", sorted({*(ROOT / "docs").glob("*.md")} - {ROOT / "docs" / "gallery.md"}), ids=lambda p: p.name)
def test_a_page_says_how_each_of_its_pictures_is_made(page: Path) -> None:
    check_pictures(page, page)


def test_the_pictures_of_the_readme_are_made_by_listed_commands() -> None:
    check_pictures(ROOT / "README.md", ROOT / "docs" / "notes" / "figures.md")


def check_pictures(page: Path, notes: Path) -> None:
    """Checks that the pictures of a page exist, and that the code of the notes names each of them."""
    text = notes.read_text(encoding="utf-8")
    code = "\n".join(re.findall(r"^```sh\n(.*?)^```", text, re.MULTILINE | re.DOTALL) + re.findall(r"`([^`\n]+)`", text))
    pictures = re.findall(r"!\[[^\]]*\]\(([^)]+)\)", page.read_text(encoding="utf-8"))
    for picture in (page.parent / name for name in pictures):
        assert picture.exists() and picture.resolve().relative_to(ROOT).as_posix() in code, picture
