"""What is shipped: every module and data file, under one name, from a clone in a folder of any name."""

import fnmatch
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

import tefter

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
SETUPTOOLS = PROJECT["tool"]["setuptools"]
OUTSIDE = {"tests", "bench"}
FOLDERS = {path.parent.name for path in ROOT.glob("*/*.py")} - OUTSIDE
NOT_COPIED = (".git", ".venv", "build", "dist", "*.egg-info", "__pycache__", ".*_cache", ".hypothesis", ".benchmarks")


def run(*command: str | Path, cwd: Path) -> str:
    """The standard output; both outputs are shown when the command fails."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    words = [str(word) for word in command]
    done = subprocess.run(words, cwd=cwd, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert done.returncode == 0, f"{words} ended with {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def pip(python: str | Path, *arguments: str | Path, cwd: Path) -> None:
    run(python, "-m", "pip", "-q", "--disable-pip-version-check", *arguments, cwd=cwd)


def source_files() -> list[str]:
    """The files a clone would hold: tracked, or new and not ignored. Without git: all but what tools leave behind."""
    if (ROOT / ".git").exists():
        git = ("git", "-c", f"safe.directory={ROOT}", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
        listed = run(*git, cwd=ROOT).split("\0")
        return sorted(name for name in listed if name and (ROOT / name).is_file())
    paths = (path.relative_to(ROOT) for path in ROOT.rglob("*") if path.is_file())
    return sorted(
        path.as_posix()
        for path in paths
        if not any(fnmatch.fnmatch(part, pattern) for part in path.parts for pattern in NOT_COPIED)
    )


def package_files() -> list[str]:
    """Those of them that belong into the wheel: all in the package's folders, and two of the root."""
    names = [name for name in source_files() if not name.startswith(".")]
    return [name for name in names if name in ("__init__.py", "py.typed") or Path(name).parts[0] in FOLDERS]


def package_of(name: str) -> str:
    return ".".join(["tefter", *Path(name).parent.parts])


# --- fast: the lists in pyproject.toml, and this very process -------------------------------------------------------


def test_every_folder_with_python_is_a_listed_package() -> None:
    assert {package_of(name) for name in package_files() if name.endswith(".py")} == set(SETUPTOOLS["packages"])


def test_every_package_has_an_init() -> None:
    folders = [ROOT.joinpath(*package.split(".")[1:]) for package in SETUPTOOLS["packages"]]
    assert [str(folder) for folder in folders if not (folder / "__init__.py").is_file()] == []


def test_every_data_file_is_listed_and_every_pattern_names_a_file() -> None:
    patterns = {
        "/".join([*package.split(".")[1:], pattern])
        for package, listed in SETUPTOOLS["package-data"].items()
        for pattern in listed
    }
    data = {name for name in package_files() if not name.endswith(".py")}
    listed = {pattern: {name for name in data if Path(name).match(pattern)} for pattern in patterns}
    assert data - set().union(*listed.values()) == set(), "not listed in package-data"
    assert [pattern for pattern, names in listed.items() if not names] == [], (
        "no such file: drop the pattern, or add the file"
    )


def test_the_code_is_loaded_once() -> None:
    import tefter.interpreter  # noqa: F401  (what a second copy would be seen by)

    assert [name for name in sys.modules if name.split(".")[-1] == "interpreter"] == ["tefter.interpreter"]
    ours = {str(ROOT / name) for name in package_files()}
    files = [(str(getattr(module, "__file__", None)), name) for name, module in sys.modules.items()]
    wrong = [name for file, name in files if file in ours and name.split(".")[0] not in ("tefter", "__main__")]
    assert wrong == []


def test_tests_run_against_this_clone() -> None:
    assert Path(str(tefter.__file__)).resolve() == ROOT / "__init__.py"


def test_everything_that_ci_installs_is_pinned() -> None:
    lines = [line for line in (ROOT / "constraints.txt").read_text("utf-8").splitlines() if not line.startswith("#")]
    pinned = {line.split("==")[0].lower().replace("_", "-") for line in lines}
    assert all("==" in line for line in lines)
    wanted = [*PROJECT["project"]["dependencies"]]
    for extra, listed in PROJECT["project"]["optional-dependencies"].items():
        wanted += listed if extra != "all" else []
    names = {name.split(">")[0].lower().replace("_", "-") for name in wanted}
    assert names - pinned == set()


# --- slow: a clean copy, in a folder of another name, built and installed -------------------------------------------


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The repository as a clone would have it, in a folder of another name."""
    target = tmp_path_factory.mktemp("clone") / "some-other name"
    for name in source_files():
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, target / name)
    return target


def new_environment(folder: Path, *requirements: str | Path) -> Path:
    """A new virtual environment with these things installed; gives its bin folder."""
    run(sys.executable, "-m", "venv", folder, cwd=folder.parent)
    scripts = folder / ("Scripts" if os.name == "nt" else "bin")
    pip(scripts / "python", "install", "-c", ROOT / "constraints.txt", *requirements, cwd=folder.parent)
    return scripts


@pytest.fixture(scope="module")
def wheel(copy: Path) -> Path:
    out = copy.parent / "wheel"
    pip(sys.executable, "wheel", "--no-deps", "--no-build-isolation", "-w", out, copy, cwd=copy.parent)
    (built,) = out.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path) -> Path:
    """The bin folder of an environment that holds the wheel and its core dependencies alone."""
    return new_environment(wheel.parents[1] / "clean", wheel)


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    return tmp_path


def about_the_wheel(test: Callable[..., None]) -> Callable[..., None]:
    """Slow, and all in one process, so that the wheel is built once."""
    return pytest.mark.slow(pytest.mark.xdist_group("wheel")(test))


@about_the_wheel
def test_the_wheel_holds_the_package_alone(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    metadata = f"tefter-{PROJECT['project']['version']}.dist-info/"
    shipped = {name.removeprefix("tefter/") for name in names if not name.startswith(metadata)}
    assert shipped == set(package_files())
    licences = {name.split("/")[-1] for name in names if name.startswith(f"{metadata}licenses/")}
    assert licences == set(PROJECT["project"]["license-files"])


@about_the_wheel
def test_every_data_file_opens_from_the_wheel(installed: Path, elsewhere: Path) -> None:
    data = [name for name in package_files() if not name.endswith(".py")]
    expected = {name: hashlib.sha256((ROOT / name).read_bytes()).hexdigest() for name in data}
    script = """if True:
        import hashlib, json, sys
        from importlib.resources import files
        digest = lambda name: hashlib.sha256(files("tefter").joinpath(name).read_bytes()).hexdigest()
        print(json.dumps({name: digest(name) for name in json.loads(sys.argv[1])}))
    """
    found = run(installed / "python", "-I", "-c", script, json.dumps(list(expected)), cwd=elsewhere)
    assert json.loads(found) == expected


@about_the_wheel
def test_every_module_imports_with_core_dependencies_alone(installed: Path, elsewhere: Path) -> None:
    modules = [
        ".".join(["tefter", *Path(name).with_suffix("").parts]).removesuffix(".__init__")
        for name in package_files()
        if name.endswith(".py") and not name.endswith("__main__.py")
    ]
    script = "import importlib, sys; [importlib.import_module(name) for name in sys.argv[1:]]"
    run(installed / "python", "-I", "-W", "error", "-c", script, *modules, cwd=elsewhere)


@about_the_wheel
def test_docstring_examples_run_on_the_wheel(installed: Path, elsewhere: Path) -> None:
    script = """if True:
        import doctest, importlib, pkgutil, sys, tefter
        names = [m.name for m in pkgutil.walk_packages(tefter.__path__, "tefter.") if not m.name.endswith("__main__")]
        results = [doctest.testmod(importlib.import_module(name)) for name in ["tefter", *names]]
        sys.exit(sum(result.failed for result in results))
    """
    run(installed / "python", "-I", "-c", script, cwd=elsewhere)


@about_the_wheel
def test_the_command_runs_from_another_directory(installed: Path, elsewhere: Path) -> None:
    shipped = {Path(name).stem for name in package_files() if name.endswith(".rules")}
    output = run(installed / "tefter", "books", cwd=elsewhere)
    assert {name for name in shipped if name in output} >= {"osmica"}


@about_the_wheel
def test_types_are_strict_on_the_wheel(installed: Path, elsewhere: Path) -> None:
    config = ROOT / "pyproject.toml"
    mypy = [sys.executable, "-m", "mypy", "--config-file", config, "--python-executable", installed / "python"]
    run(*mypy, "--cache-dir", elsewhere / "cache", "-p", "tefter", cwd=elsewhere)


@pytest.mark.slow
@pytest.mark.xdist_group("clone")
def test_a_clone_of_any_name_can_be_installed_for_editing(copy: Path, elsewhere: Path) -> None:
    scripts = new_environment(elsewhere / "editable", "-e", f"{copy}[test]")
    where = run(scripts / "python", "-c", "import tefter; print(tefter.__file__)", cwd=elsewhere)
    assert Path(where.strip()) == copy / "__init__.py"
    for place in ([], ["tests"], [copy / "tests" / "test_packaging.py"]):
        run(scripts / "pytest", "-q", "-k", "loaded_once or this_clone or listed", *place, cwd=copy)
    assert "osmica" in run(scripts / "tefter", "books", cwd=elsewhere)
