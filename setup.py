"""The build step that copies examples into the wheel; all other settings of the build are in pyproject.toml."""

from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

LARGEST = 5_000_000


class BuildWithExamples(build_py):
    """The build of Python files, and of `examples` as `ndpir/example_files`: programs, models and configs of at most
    5 MB."""

    def run(self) -> None:
        super().run()
        if self.editable_mode:  # the package finds the checkout's examples
            return
        source = Path("examples")
        for path in sorted(source.rglob("*")):
            is_config = path.suffix == ".json" and path.parent.name == "configs"
            is_program = path.suffix in (".mlir", ".onnx") and "plugin" not in path.parts
            if not (is_program or is_config):
                continue
            if path.stat().st_size > LARGEST:
                self.announce(f"{path} has more than {LARGEST} bytes; it is left out of the package", level=3)
                continue
            target = Path(self.build_lib, "ndpir", "example_files", path.relative_to(source))
            self.mkpath(str(target.parent))
            self.copy_file(str(path), str(target))


setup(cmdclass={"build_py": BuildWithExamples})
