"""Makes a virtual environment, once per list of requirements, and prints its interpreter.

Usage: environment.py FOLDER [REQUIREMENTS], with the list of the readers if none is given
"""

import hashlib
import pathlib
import shutil
import subprocess
import sys
import venv


def main() -> int:
    own = pathlib.Path(__file__).with_name("requirements.txt")
    requirements = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else own
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    key = hashlib.sha256(requirements.read_bytes() + version.encode()).hexdigest()[:12]
    folder = pathlib.Path(sys.argv[1]) / f"readers-{key}"
    python = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    complete = folder / "complete"
    if not complete.exists():
        shutil.rmtree(folder, ignore_errors=True)
        venv.create(folder, with_pip=True)
        # No dependencies but the listed ones: VTK would bring packages for plots.
        install = [python, "-m", "pip", "install", "--quiet", "--no-deps", "--only-binary", ":all:", "-r", requirements]
        subprocess.run(install, check=True, stdout=sys.stderr)
        complete.touch()
    print(python)
    return 0


if __name__ == "__main__":
    sys.exit(main())
